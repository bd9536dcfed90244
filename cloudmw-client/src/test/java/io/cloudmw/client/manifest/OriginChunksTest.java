package io.cloudmw.client.manifest;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.client.manifest.OriginChunks.Origin;
import io.cloudmw.client.manifest.OriginChunks.Piece;
import io.cloudmw.core.chunk.ChunkCutter;
import io.cloudmw.core.manifest.ManifestPlan;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.file.FileVersion;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Tests of which version provides which chunk of a new version. */
final class OriginChunksTest {
    private static final int LEAF = 16;
    private static final int CHUNK = 64;

    private static Origin origin(long chunks, long firstIndex) {
        FileVersion version = new FileVersion(
                FilePath.parse("v:/f"), VersionId.random(), chunks * CHUNK, chunks, 1, LEAF, 0, "0".repeat(64), CHUNK);
        return new Origin(version, firstIndex);
    }

    /** For every chunk: the part provides it where there is one, otherwise the base, otherwise none. */
    @Test
    void chunkOfBaseAndPartIsThePartsAlone() {
        SplittableRandom random = new SplittableRandom(7);
        for (int round = 0; round < 200; round++) {
            List<Origin> origins = new ArrayList<>(List.of(origin(random.nextInt(3000), 0)));
            long end = 0;
            for (int i = random.nextInt(5); i >= 0; i--) {
                Origin part = origin(random.nextInt(1500), end + random.nextLong(3) * random.nextLong(900));
                origins.add(part);
                end = part.firstIndex() + part.version().chunkCount();
            }
            long count = Math.max(end, origins.get(0).version().chunkCount()) + random.nextInt(3);
            ManifestPlan plan = new ManifestPlan(new ChunkCutter(count * CHUNK, CHUNK), LEAF);
            for (int segment = 0; segment < plan.segmentCount(); segment++) {
                List<Piece> pieces = OriginChunks.pieces(plan, origins, segment);
                long first = plan.firstChunk(segment);
                for (long index = first; index < first + plan.chunkCount(segment); index++) {
                    assertThat(providing(pieces, index))
                            .as("round %d, chunk %d", round, index)
                            .isEqualTo(expected(origins, index));
                }
            }
        }
    }

    private static List<Origin> providing(List<Piece> pieces, long index) {
        return pieces.stream()
                .filter(piece -> index >= piece.firstIndex() && index < piece.endIndex())
                .map(Piece::origin)
                .toList();
    }

    private static List<Origin> expected(List<Origin> origins, long index) {
        List<Origin> having = origins.stream()
                .filter(origin -> index >= origin.firstIndex()
                        && index < origin.firstIndex() + origin.version().chunkCount())
                .toList();
        return having.isEmpty() ? List.of() : List.of(having.get(having.size() - 1));
    }
}
