package io.cloudmw.client.handle;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.cloudmw.client.FakeCluster;
import io.cloudmw.client.file.RemoteFile;
import io.cloudmw.client.rpc.FakeHelper;
import io.cloudmw.client.rpc.FakeHelper.Sharing;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.Mode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
final class OpenFileTest {
    private static final int LEAF = 4 << 10;
    private static final int CHUNK = 256 << 10;
    private static final int SIZE = 5 * CHUNK + 1234;
    private static final FilePath FILE = FilePath.parse("vol:/f");

    @TempDir
    private Path directory;

    private FakeCluster cluster;
    private byte[] content;

    @BeforeEach
    void start() throws Exception {
        cluster = new FakeCluster(CHUNK, LEAF, FakeHelper.Script.SERVE, directory.resolve("nowhere"), 8L << 20);
        content = cluster.put(FILE, SIZE, 1);
        cluster.coordinator().switches(1);
    }

    @AfterEach
    void close() {
        cluster.close();
    }

    private RemoteFile open() throws Exception {
        return cluster.client().files().open(FILE).get(20, SECONDS);
    }

    private void assertReads(RemoteFile file, int position, int length) throws Exception {
        ByteBuffer target = ByteBuffer.allocate(length + 5).position(3).limit(3 + length);
        int expected = Math.min(length, SIZE - position);
        assertThat(file.read(target, position).get(20, SECONDS)).isEqualTo(expected);
        assertThat(target.position()).isEqualTo(3 + expected);
        assertThat(Arrays.copyOfRange(target.array(), 3, 3 + expected))
                .as("%d bytes at %d", length, position)
                .isEqualTo(Arrays.copyOfRange(content, position, position + expected));
        assertThat(target.array()[2]).isZero();
        assertThat(target.array()[3 + expected]).isZero();
    }

    private static ErrorCode failure(CompletableFuture<Integer> read) {
        return read.handle((bytes, error) -> error instanceof CloudMwException known ? known.code() : null)
                .orTimeout(20, SECONDS)
                .join();
    }

    @Test
    void readsAtAnyPositionReturnTheBytes() throws Exception {
        Random random = new Random(7);
        try (RemoteFile file = open()) {
            for (int i = 0; i < 300; i++) {
                assertReads(file, random.nextInt(SIZE), 1 + random.nextInt(i % 10 == 0 ? 3 * CHUNK : 3 * LEAF));
            }
            assertReads(file, 0, SIZE);
            assertReads(file, SIZE - 1, 100);
            assertReads(file, CHUNK - 1, 2);
            assertThat(file.version().sizeBytes()).isEqualTo(SIZE);
        }
    }

    @Test
    void readAtTheEndReturnsNothing() throws Exception {
        try (RemoteFile file = open()) {
            assertThat(file.read(ByteBuffer.allocate(1), SIZE).get(20, SECONDS)).isEqualTo(-1);
            assertThat(file.read(ByteBuffer.allocate(0), 7).get(20, SECONDS)).isZero();
            assertThatThrownBy(() -> file.read(ByteBuffer.allocate(1), -1))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> file.read(ByteBuffer.allocate(1).asReadOnlyBuffer(), 0))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void smallReadIsOneRequestAndItsNeighbourNone() throws Exception {
        try (RemoteFile file = open()) {
            int plans = cluster.coordinator().plans();
            assertReads(file, 10 * LEAF + 5, 100);
            assertThat(cluster.helper().sharedReads()).isEqualTo(1);
            assertReads(file, 10 * LEAF + 200, LEAF - 200);
            assertReads(file, 11 * LEAF - 1, 2);
            assertThat(cluster.helper().sharedReads()).isEqualTo(2);
            assertThat(cluster.helper().begunTransfers()).isZero();
            assertThat(cluster.coordinator().plans()).isEqualTo(plans);
        }
    }

    @Test
    void smallReadsUseAnEventLoopWithoutTransfers() throws Exception {
        try (RemoteFile file = open()) {
            for (int leaf = 0; leaf < 4; leaf++) {
                assertReads(file, leaf * LEAF, 100);
            }
            assertThat(cluster.helper().sharedReadThreads())
                    .singleElement()
                    .asString()
                    .contains("interactive");
        }
    }

    @Test
    void concurrentReadsOfOneLeafShareARequest() throws Exception {
        try (RemoteFile file = open();
                RemoteFile again = open()) {
            List<ByteBuffer> targets = IntStream.range(0, 16)
                    .mapToObj(i -> ByteBuffer.allocate(100))
                    .toList();
            List<CompletableFuture<Integer>> reads = IntStream.range(0, 16)
                    .mapToObj(i -> (i % 2 == 0 ? file : again).read(targets.get(i), 3L * LEAF + i))
                    .toList();
            for (int i = 0; i < 16; i++) {
                assertThat(reads.get(i).get(20, SECONDS)).isEqualTo(100);
                assertThat(targets.get(i).array())
                        .isEqualTo(Arrays.copyOfRange(content, 3 * LEAF + i, 3 * LEAF + i + 100));
            }
            assertThat(cluster.helper().sharedReads()).isEqualTo(1);
        }
    }

    /** A longer one is one request for all of it: each request for a leaf is one of the store. */
    @Test
    void smallReadWithoutSwitchesIsOneRequestToAHelper() throws Exception {
        cluster.coordinator().switches(0);
        cluster.coordinator().mode(Mode.COOPERATIVE);
        cluster.coordinator().blockRequests();
        try (RemoteFile file = open()) {
            assertReads(file, 10 * LEAF + 5, 100);
            assertThat(cluster.helper().sharedReads()).isEqualTo(1);
            assertReads(file, 20 * LEAF, 3 * LEAF);
            assertThat(cluster.helper().sharedReads()).isEqualTo(2);
            assertThat(cluster.helper().begunTransfers()).isZero();
        }
    }

    @Test
    void racedFileIsReadOrdinarily() throws Exception {
        cluster.coordinator().switches(0);
        try (RemoteFile file = open()) {
            assertReads(file, 70_000, 5_000);
            assertThat(cluster.helper().sharedReads()).isZero();
        }
    }

    @Test
    void refusedLeafIsReadOrdinarilyAndTheSwitchIsAvoided() throws Exception {
        cluster.helper().share(Sharing.REFUSE);
        try (RemoteFile file = open()) {
            assertReads(file, 100, 100);
            assertReads(file, 100_000, 100);
            assertThat(cluster.helper().sharedReads()).isEqualTo(1);
            assertThat(cluster.helper().begunTransfers()).isEqualTo(2);
        }
    }

    @Test
    void unansweredLeafIsReadOrdinarily() throws Exception {
        cluster.helper().share(Sharing.SILENT);
        try (RemoteFile file = open()) {
            assertReads(file, 100, 100);
            assertThat(cluster.helper().sharedReads()).isEqualTo(1);
        }
    }

    @Test
    void corruptLeafIsDroppedAndReportedToTheSwitch() throws Exception {
        cluster.helper().share(Sharing.SPOIL);
        try (RemoteFile file = open()) {
            assertReads(file, 100, 100);
            await().until(() -> cluster.helper().corruptShared() == 1);
        }
    }

    @Test
    void corruptLongLeafIsReportedToTheSwitchAfterItsEnd() throws Exception {
        cluster.close();
        cluster = new FakeCluster(CHUNK, CHUNK / 2, FakeHelper.Script.SERVE, directory.resolve("again"), 8L << 20);
        content = cluster.put(FILE, SIZE, 1);
        cluster.coordinator().switches(1);
        corruptLeafIsDroppedAndReportedToTheSwitch();
    }

    @Test
    void closedFileFailsEveryRead() throws Exception {
        cluster.helper().share(Sharing.SILENT);
        RemoteFile file = open();
        CompletableFuture<Integer> pending = file.read(ByteBuffer.allocate(10), 0);
        file.close();
        file.close();
        assertThat(failure(pending)).isEqualTo(ErrorCode.CANCELLED);
        assertThat(failure(file.read(ByteBuffer.allocate(10), 0))).isEqualTo(ErrorCode.CANCELLED);
    }

    @Test
    void closingTheClientClosesItsFiles() throws Exception {
        RemoteFile file = open();
        cluster.client().close();
        assertThat(failure(file.read(ByteBuffer.allocate(10), 0))).isEqualTo(ErrorCode.CANCELLED);
    }

    @Test
    void emptyFileCanBeOpened() throws Exception {
        FilePath empty = FilePath.parse("vol:/empty");
        var unused = cluster.put(empty, 0, 1);
        try (RemoteFile file = cluster.client().files().open(empty).get(20, SECONDS)) {
            assertThat(file.read(ByteBuffer.allocate(1), 0).get(20, SECONDS)).isEqualTo(-1);
        }
    }

    @Test
    void missingFileCannotBeOpened() throws IOException {
        assertThat(cluster.client()
                        .files()
                        .open(FilePath.parse("vol:/none"))
                        .handle((file, error) -> error instanceof CloudMwException known ? known.code() : null)
                        .join())
                .isEqualTo(ErrorCode.NOT_FOUND);
    }
}
