package io.cloudmw.it.dynamodb;

import static io.cloudmw.it.dynamodb.Operation.VOLUME;
import static io.cloudmw.it.dynamodb.Operation.withAVolume;
import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.catalog.change.CommitRequest;
import io.cloudmw.coordinator.upkeep.walk.ManifestWalk;
import io.cloudmw.core.chunk.ChunkDigester;
import io.cloudmw.core.manifest.EncodedSegment;
import io.cloudmw.core.manifest.ManifestSegment;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.file.FileVersion;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Tests of the number of requests for many files at once. */
@ExtendWith(DynamoDbExtension.class)
final class DynamoDbBatchesIT {
    private static final int DIRECTORIES = 2;
    private static final int FILES = 120;
    private static final int LEAF = 4 << 10;

    private final DynamoDbLocal dynamoDb;

    DynamoDbBatchesIT(DynamoDbLocal dynamoDb) {
        this.dynamoDb = dynamoDb;
    }

    /** Puts a file of one byte. */
    private static void put(Catalog catalog, FilePath path) throws Exception {
        VersionId version = VersionId.random();
        Chunk chunk = new Chunk(
                0,
                new ChunkId(version, 0),
                new ByteRange(0, 1),
                LEAF,
                ChunkDigester.digest(ByteBuffer.allocate(1), LEAF),
                List.of(new StoreId("s1")));
        EncodedSegment segment = EncodedSegment.of(new ManifestSegment(0, List.of(chunk)));
        catalog.putSegment(version, 0, segment.bytes(), 1);
        FileVersion committing = new FileVersion(path, version, 1, 1, 1, LEAF, 0, segment.manifestSha256(), 1);
        catalog.commit(new CommitRequest(committing, Optional.empty(), List.of()));
    }

    @Test
    void filesOfABatchTheirSegmentsAndAWalkTakeFewRequests() throws Exception {
        String table = DynamoDbLocal.newTable();
        AtomicInteger requests = new AtomicInteger();
        try (FaultyNetwork network = new FaultyNetwork(
                        dynamoDb.endpoint(), (operation, request, status, sentNanos) -> requests.incrementAndGet());
                Catalog counted = DynamoDbLocal.open(table, network.endpoint());
                Catalog catalog = withAVolume(dynamoDb.open(table))) {
            List<FilePath> paths = new ArrayList<>();
            for (int directory = 0; directory < DIRECTORIES; directory++) {
                for (int file = 0; file < FILES; file++) {
                    FilePath path = FilePath.parse(VOLUME + ":/d/" + directory + "/" + file);
                    put(catalog, path);
                    paths.add(path);
                }
            }
            requests.set(0);
            List<VersionId> versions = counted.files(paths).stream()
                    .map(file -> file.orElseThrow().version().id())
                    .toList();
            // In each of three batches: the volume, up to three directories, the files, and the directories again.
            assertThat(requests.get()).isLessThanOrEqualTo(3 * 6);
            requests.set(0);
            assertThat(counted.firstSegments(versions)).hasSize(DIRECTORIES * FILES);
            assertThat(requests.get()).isEqualTo(3);

            requests.set(0);
            ManifestWalk walk = new ManifestWalk(counted);
            int walked = 0;
            while (walk.next().isPresent()) {
                walked++;
            }
            assertThat(walked).isEqualTo(DIRECTORIES * FILES);
            // The records of each version, and pages of versions, their segments and the volume.
            assertThat(requests.get()).isLessThan(DIRECTORIES * FILES * 3 / 2);
        }
    }
}
