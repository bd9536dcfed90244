package io.cloudmw.core.store.disk;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.fleet.StoreIdentity;
import io.cloudmw.core.store.ChunkReader;
import io.cloudmw.core.store.ChunkSource;
import io.cloudmw.core.store.ChunkStore;
import io.cloudmw.core.testing.store.ChunkStoreContract;
import io.cloudmw.core.testing.store.Chunks;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class DiskChunkStoreTest extends ChunkStoreContract {
    private static final StoreId ID = new StoreId("disk-1");
    private static final long RESERVE = 1000;

    @TempDir
    Path directory;

    private final AtomicLong usable = new AtomicLong(1L << 40);

    @Override
    protected ChunkStore create() throws CloudMwException {
        return open(ID);
    }

    @Override
    protected boolean hasFiles() {
        return true;
    }

    @Test
    void chunksAndIdentitySurviveReopening() throws Exception {
        byte[] content = Chunks.bytes(3, 5000);
        ChunkId chunk = seeded(content);
        store().close();

        try (DiskChunkStore again = open(ID)) {
            assertThat(Chunks.read(again, chunk, 0, 5000)).isEqualTo(content);
            assertThat(again.usedBytes()).isEqualTo(5000);
        }
    }

    @Test
    void aDirectoryOfAnotherStoreIsRefusedAndLeftAlone() throws Exception {
        store().close();
        Path leftover = Files.createFile(directory.resolve("incoming/leftover"));

        CloudMwException failure = failure(() -> open(new StoreId("disk-2")));

        assertThat(failure.code()).isEqualTo(ErrorCode.STORE_MISMATCH);
        assertThat(failure).hasMessageContaining("disk-1").hasMessageContaining("disk-2");
        assertThat(leftover).exists();
    }

    @Test
    void aSecondWriterIsRefusedWhileTheFirstIsOpen() {
        CloudMwException failure = failure(() -> open(ID));

        assertThat(failure.code()).isEqualTo(ErrorCode.STORE_UNAVAILABLE);
        assertThat(failure).hasMessageContaining("open in another process");
    }

    @Test
    void aReaderOfTheSameDirectoryIsWelcomeAndChangesNothing() throws Exception {
        byte[] content = Chunks.bytes(4, 100);
        ChunkId chunk = seeded(content);
        Path halfWritten = Files.createFile(directory.resolve("incoming/half-written"));

        try (DiskChunkStore reader = DiskChunkStore.openForReading(ID, directory)) {
            assertThat(Chunks.read(reader, chunk, 0, 100)).isEqualTo(content);
            assertThat(failure(() -> reader.delete(chunk)).code()).isEqualTo(ErrorCode.STORE_DENIED);
            assertThat(failure(() -> reader.put(Chunks.id(), Chunks.source(content)))
                            .code())
                    .isEqualTo(ErrorCode.STORE_DENIED);
        }
        assertThat(halfWritten).exists();
    }

    @Test
    void readingADirectoryThatIsNoStoreIsRefused(@TempDir Path other) {
        assertThat(failure(() -> DiskChunkStore.openForReading(ID, other)).code())
                .isEqualTo(ErrorCode.STORE_UNAVAILABLE);
        assertThat(other).isEmptyDirectory();
    }

    @Test
    void halfWrittenFilesOfACrashAreRemovedAtOpen() throws Exception {
        store().close();
        Path leftover = Files.writeString(directory.resolve("incoming/leftover"), "half a chu");

        open(ID).close();

        assertThat(leftover).doesNotExist();
    }

    @Test
    void aFailedPutLeavesNoFile() throws Exception {
        failure(() -> store().put(Chunks.id(), Chunks.brokenSource(new byte[10], 20)));

        try (Stream<Path> files = Files.list(directory.resolve("incoming"))) {
            assertThat(files).isEmpty();
        }
    }

    @Test
    void theReserveOfTheFileSystemIsNeverUsed() throws Exception {
        usable.set(RESERVE + 100);
        CloudMwException failure = failure(() -> store().put(Chunks.id(), Chunks.source(new byte[101])));

        assertThat(failure.code()).isEqualTo(ErrorCode.STORE_FULL);
        assertThat(failure)
                .hasMessageContaining("needs 101 B, 100 B free besides the reserve of 1000 B in " + directory);
        seeded(new byte[100]);
    }

    @Test
    void putsAtTheSameTimeCannotShareTheSameRoom() throws Exception {
        usable.set(RESERVE + 150);
        List<CloudMwException> inner = new ArrayList<>();
        ChunkId second = Chunks.id();
        ChunkSource outer = new ChunkSource() {
            @Override
            public long length() {
                return 100;
            }

            @Override
            public InputStream open() {
                inner.add(failure(() -> store().put(second, Chunks.source(new byte[100]))));
                return new ByteArrayInputStream(new byte[100]);
            }
        };

        store().put(Chunks.id(), outer);

        assertThat(inner.get(0).code()).isEqualTo(ErrorCode.STORE_FULL);
        store().put(second, Chunks.source(new byte[100]));
    }

    @Test
    void aDiskThatIsGoneIsNotADiskThatLostItsChunks() throws Exception {
        ChunkId chunk = seeded(new byte[10]);
        deleteAll(directory);

        assertThat(failure(() -> Chunks.read(store(), chunk, 0, 10)).code()).isEqualTo(ErrorCode.STORE_UNAVAILABLE);
        assertThat(failure(() -> store().length(chunk)).code()).isEqualTo(ErrorCode.STORE_UNAVAILABLE);
    }

    @Test
    void aChunkCutShortBehindItsBackIsUnavailable() throws Exception {
        ChunkId chunk = seeded(new byte[1000]);
        try (ChunkReader reader = store().read(chunk, new ByteRange(0, 1000))) {
            Files.writeString(store().file(chunk).orElseThrow(), "short", UTF_8);
            assertThat(failure(() -> Chunks.readAll(reader)).code()).isEqualTo(ErrorCode.STORE_UNAVAILABLE);
        }
    }

    @Test
    void anInterruptedReadIsCancelled() throws Exception {
        ChunkId chunk = seeded(new byte[1000]);
        try (ChunkReader reader = store().read(chunk, new ByteRange(0, 1000))) {
            Thread.currentThread().interrupt();
            assertThat(failure(() -> reader.read(ByteBuffer.allocate(10))).code())
                    .isEqualTo(ErrorCode.CANCELLED);
        } finally {
            assertThat(Thread.interrupted()).isTrue();
        }
    }

    @Test
    void usedAndFreeBytesFollowPutsAndDeletes() throws Exception {
        usable.set(5000);
        DiskChunkStore disk = (DiskChunkStore) store();
        ChunkId chunk = seeded(new byte[700]);
        assertThat(disk.usedBytes()).isEqualTo(700);
        assertThat(disk.freeBytes()).isEqualTo(4000);
        usable.set(10);
        assertThat(disk.freeBytes()).isZero();

        disk.delete(chunk);
        assertThat(disk.usedBytes()).isZero();
    }

    private DiskChunkStore attached(Path root) throws CloudMwException {
        return DiskChunkStore.attach(new StoreId("d"), root, 0, path -> 1L << 40);
    }

    @Test
    void aNewDiskTakesNothingBeforeTheClusterHasTakenItIn() throws Exception {
        Path root = directory.resolve("new");
        String value;
        try (DiskChunkStore disk = attached(root)) {
            assertThat(disk.identity().isEmpty()).isTrue();
            value = disk.identity().identity().value();
            assertThat(failure(() -> disk.put(Chunks.id(), Chunks.source(new byte[10])))
                            .code())
                    .isEqualTo(ErrorCode.STORE_UNAVAILABLE);
            assertThat(failure(() -> disk.length(Chunks.id())).code()).isEqualTo(ErrorCode.STORE_UNAVAILABLE);
        }
        try (DiskChunkStore disk = attached(root)) {
            assertThat(disk.identity().identity().value())
                    .as("a helper that was killed says the same again")
                    .isEqualTo(value);
            disk.identity().accepted("c1");
            disk.put(Chunks.id(), Chunks.source(new byte[10]));
        }
        try (DiskChunkStore disk = attached(root)) {
            assertThat(disk.identity().isEmpty()).isFalse();
            assertThat(disk.identity().identity()).isEqualTo(new StoreIdentity(value, "c1", 0));
            disk.identity().accepted("c2");
        }
        try (DiskChunkStore disk = attached(root)) {
            assertThat(disk.identity().identity()).isEqualTo(new StoreIdentity(value, "c2", 0));
        }
        DiskChunkStore.openForReading(new StoreId("d"), root).close();
    }

    /** The directory below the mount point has files that the helper wrote once, when the disk was not mounted. */
    @Test
    void aDiskThatIsGoneWhileItIsOpenGetsNeitherAnIdentityNorChunks() throws Exception {
        Path root = directory.resolve("unmounted");
        try (DiskChunkStore disk = attached(root)) {
            disk.identity().accepted("c1");
            Files.delete(root.resolve("cloudmw-store"));

            disk.identity().accepted("c1");

            assertThat(root.resolve("cloudmw-store")).doesNotExist();
            assertThat(failure(() -> disk.put(Chunks.id(), Chunks.source(new byte[10])))
                            .code())
                    .isEqualTo(ErrorCode.STORE_UNAVAILABLE);
        }
    }

    @Test
    void aDiskOfAReleaseBeforeIdentitiesIsThereAndGetsOne() throws Exception {
        Path root = Files.createDirectories(directory.resolve("old"));
        Files.writeString(root.resolve("cloudmw-store"), "cloudmw-store 1\nd\n", UTF_8);
        String value;
        try (DiskChunkStore disk = attached(root)) {
            assertThat(disk.identity().isEmpty()).isFalse();
            value = disk.identity().identity().value();
            assertThat(value).hasSize(32);
            disk.put(Chunks.id(), Chunks.source(new byte[10]));
        }
        try (DiskChunkStore disk = attached(root)) {
            assertThat(disk.identity().identity().value()).isEqualTo(value);
            disk.identity().accepted("c1");
        }
        assertThat(Files.readAllLines(root.resolve("cloudmw-store"), UTF_8))
                .as("what the release before reads of it is as it was")
                .startsWith("cloudmw-store 1", "d");
    }

    private DiskChunkStore open(StoreId id) throws CloudMwException {
        return DiskChunkStore.open(id, directory, RESERVE, path -> usable.get());
    }

    private static void deleteAll(Path root) throws IOException {
        try (Stream<Path> paths = Files.walk(root)) {
            for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
                if (!path.equals(root)) {
                    Files.delete(path);
                }
            }
        }
    }
}
