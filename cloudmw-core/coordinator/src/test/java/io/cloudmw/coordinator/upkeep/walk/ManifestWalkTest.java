package io.cloudmw.coordinator.upkeep.walk;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.coordinator.catalog.change.BatchCommit;
import io.cloudmw.coordinator.testing.TestCluster;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.chunk.ReplicaReport;
import io.cloudmw.core.model.chunk.ReplicaState;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.placement.CurrentReplicas;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class ManifestWalkTest {
    private TestCluster cluster;

    @BeforeEach
    void start() throws CloudMwException {
        cluster = new TestCluster().withVolume(2);
    }

    private static List<ChunkWalk.Stretch> all(ChunkWalk walk) throws CloudMwException {
        List<ChunkWalk.Stretch> found = new ArrayList<>();
        for (Optional<ChunkWalk.Stretch> next = walk.next(); next.isPresent(); next = walk.next()) {
            found.add(next.get());
        }
        return found;
    }

    private static List<Chunk> chunks(List<ChunkWalk.Stretch> found) {
        return found.stream()
                .flatMap(stretch -> stretch.chunks().stream())
                .map(CurrentReplicas::chunk)
                .toList();
    }

    @Test
    void chunkOfAPackIsFoundOnceAndSlicesAreNot() throws Exception {
        FileVersion large = cluster.put(FilePath.parse("v:/large"), 10);
        BatchCommit batch = cluster.packed(TestCluster.VOLUME, "/a", "/b", "/c");
        Chunk pack = batch.pack().orElseThrow().chunk();
        List<ChunkWalk.Stretch> found = all(new ManifestWalk(cluster.catalog));
        assertThat(chunks(found))
                .extracting(Chunk::id)
                .containsExactlyInAnyOrder(new ChunkId(large.id(), 0), pack.id());
        assertThat(found)
                .as("a stretch for each version, so that no step takes longer than a segment")
                .hasSize(5);
    }

    @Test
    void recordOfASliceLeadsToTheChunkOfItsPack() throws Exception {
        BatchCommit batch = cluster.packed(TestCluster.VOLUME, "/a", "/b");
        Chunk pack = batch.pack().orElseThrow().chunk();
        ChunkId slice =
                batch.files().get(1).segment().orElseThrow().chunks().get(0).id();
        cluster.catalog.report(List.of(new ReplicaReport(slice, new StoreId("d1"), ReplicaState.MISSING)), 1);
        List<ChunkWalk.Stretch> found = all(new PendingReplicaWalk(cluster.catalog));
        assertThat(chunks(found)).containsExactly(pack);
        assertThat(found.get(0).chunks().get(0).faulty()).containsExactly(new StoreId("d1"));
    }
}
