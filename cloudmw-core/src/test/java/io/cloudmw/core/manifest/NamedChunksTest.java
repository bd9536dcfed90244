package io.cloudmw.core.manifest;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.chunk.ChunkId;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

final class NamedChunksTest {
    private static final VersionId OWNER = VersionId.random();

    @Test
    void answersAreThoseOfASet() {
        SplittableRandom random = new SplittableRandom(5);
        List<VersionId> owners = List.of(OWNER, VersionId.random());
        Set<ChunkId> model = new HashSet<>();
        NamedChunks named = new NamedChunks();
        for (int i = 0; i < 5000; i++) {
            ChunkId chunk = new ChunkId(owners.get(random.nextInt(2)), random.nextInt(1000));
            assertThat(named.add(chunk)).as("%d %s", i, chunk).isEqualTo(model.add(chunk));
        }
    }

    @Test
    void numberOfRunsIsLimited() {
        NamedChunks named = new NamedChunks(2);
        assertThat(named.add(new ChunkId(OWNER, 0))).isTrue();
        assertThat(named.add(new ChunkId(OWNER, 2))).isTrue();
        assertThat(named.add(new ChunkId(OWNER, 4))).as("a third run").isFalse();
        assertThat(named.add(new ChunkId(VersionId.random(), 1)))
                .as("of another version")
                .isFalse();
        assertThat(named.add(new ChunkId(OWNER, 3))).as("of the second run").isTrue();
        assertThat(named.add(new ChunkId(OWNER, 1))).as("joins both").isTrue();
        assertThat(named.add(new ChunkId(OWNER, 6))).isTrue();
        assertThat(named.add(new ChunkId(OWNER, 0))).isFalse();
    }
}
