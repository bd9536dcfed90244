package io.cloudmw.client.pack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.cloudmw.client.file.EntryStatus;
import io.cloudmw.client.file.FileGet;
import io.cloudmw.client.sink.FileSink;
import io.cloudmw.core.chunk.ChunkDigester;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.file.Attributes;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class PackReaderTest {
    private static final int LEAF = 4096;
    private static final int LARGE = 50 * LEAF;
    private static final ChunkId PACK = new ChunkId(VersionId.random(), 0);

    @TempDir
    Path here;

    private final byte[] pack = new byte[10 * LEAF];
    private final List<PackedFile> files = new ArrayList<>();

    @Test
    void filesAreWrittenFromLeavesInAnyOrderThatComeTwice() throws Exception {
        new Random(5).nextBytes(pack);
        add("inside", 10, 100, pack);
        add("across", 4000, 3 * LEAF, pack);
        add("last", 8 * LEAF + 1, 2 * LEAF - 1, pack);
        PackReader reader = reader(true, Runnable::run);

        List<Integer> leaves = new ArrayList<>();
        for (int leaf = 0; leaf < 10; leaf++) {
            leaves.add(leaf);
            leaves.add(leaf);
        }
        Collections.shuffle(leaves, new Random(6));
        for (int leaf : leaves) {
            reader.write(leaf * (long) LEAF, ByteBuffer.wrap(pack, leaf * LEAF, LEAF));
        }

        assertThat(reader.finish()).isEmpty();
        for (PackedFile file : files) {
            ByteRange place = file.place();
            assertThat(file.call().result().join()).isEqualTo(file.status());
            assertThat(Files.readAllBytes(file.get().target()))
                    .isEqualTo(Arrays.copyOfRange(pack, (int) place.offset(), (int) place.end()));
        }
    }

    @Test
    void aFileWhoseBytesAreNotThoseOfItsManifestIsNotWritten() throws Exception {
        byte[] other = pack.clone();
        other[50] = 1;
        add("wrong", 10, 100, other);
        add("right", 200, 100, pack);
        PackReader reader = reader(false, Runnable::run);

        reader.write(0, ByteBuffer.wrap(pack, 0, LEAF));

        assertThat(reader.finish()).isEmpty();
        assertThatExceptionOfType(CompletionException.class)
                .isThrownBy(() -> files.get(0).call().result().join())
                .withMessageContaining(ErrorCode.REPLICA_CORRUPT.name());
        assertThat(here.resolve("wrong")).doesNotExist();
        assertThat(here.resolve("right")).exists();
    }

    @Test
    void largeFilesAreWrittenAndThoseThatFailLeaveNothing() throws Exception {
        byte[] large = new byte[3 * LARGE];
        new Random(7).nextBytes(large);
        byte[] other = large.clone();
        other[2 * LARGE + 5] ^= 1;
        add("right", 100, LARGE, large);
        add("wrong", LARGE + 200, LARGE, other);
        add("none/unwritable", 2 * LARGE + 300, 70_000, large);
        add("part", 2 * LARGE + 80_000, LARGE - 80_000, large);
        PackReader reader = reader(false, Runnable::run);

        for (int at = 0; at < 3 * LARGE - LEAF; at += LEAF) {
            reader.write(at, ByteBuffer.wrap(large, at, LEAF));
        }

        assertThat(reader.finish()).containsExactly(files.get(3));
        assertThat(Files.readAllBytes(here.resolve("right"))).isEqualTo(Arrays.copyOfRange(large, 100, LARGE + 100));
        assertThat(failure(1)).contains(ErrorCode.REPLICA_CORRUPT.name());
        assertThat(failure(2)).contains(ErrorCode.LOCAL_IO.name());
        try (var left = Files.list(here)) {
            assertThat(left).containsExactly(here.resolve("right"));
        }
    }

    private String failure(int file) {
        return assertThatExceptionOfType(CompletionException.class)
                .isThrownBy(() -> files.get(file).call().result().join())
                .actual()
                .toString();
    }

    @Test
    void filesWhoseBytesDidNotComeAreLeft() throws Exception {
        add("came", 0, 100, pack);
        add("missing", LEAF - 50, 100, pack);
        PackReader reader = reader(false, Runnable::run);
        reader.write(0, ByteBuffer.wrap(pack, 0, LEAF));
        assertThat(reader.finish()).containsExactly(files.get(1));
    }

    @Test
    void aFileThatIsWholeWhileTheReadIsFinishedIsLeftAndWaitsForNothing() throws Exception {
        add("first", 0, 100, pack);
        add("late", 100, 100, pack);
        PackReader reader = reader(false, Runnable::run);
        reader.write(0, ByteBuffer.wrap(pack, 0, 100));
        Executor thread = task -> {
            Thread started = new Thread(task, "late delivery");
            started.setDaemon(true);
            started.start();
        };
        CompletableFuture<Void> late = files.get(0).call().result().thenCompose(status -> {
            CompletableFuture<Void> delivery =
                    CompletableFuture.runAsync(() -> reader.write(0, ByteBuffer.wrap(pack, 0, LEAF)), thread);
            // The read goes on to be finished only when the delivery is over.
            return CompletableFuture.completedFuture(join(delivery));
        });

        assertThat(reader.finish()).containsExactly(files.get(1));
        assertThat(late).isCompleted();
    }

    private static Void join(CompletableFuture<Void> delivery) {
        try {
            return delivery.get(20, TimeUnit.SECONDS);
        } catch (InterruptedException | ExecutionException | TimeoutException e) {
            throw new IllegalStateException("the delivery does not end", e);
        }
    }

    @Test
    @Timeout(20)
    void filesThatNoThreadWritesFail() throws Exception {
        add("unwritten", 0, 100, pack);
        PackReader reader = reader(false, task -> {
            throw new RejectedExecutionException("on purpose");
        });

        reader.write(0, ByteBuffer.wrap(pack, 0, LEAF));

        assertThat(CompletableFuture.supplyAsync(reader::finish).get(15, TimeUnit.SECONDS))
                .isEmpty();
        assertThat(failure(0)).contains("the client was closed");
    }

    @Test
    void aDirectoryThatCannotBeForcedFailsItsFilesOnly() throws Exception {
        Path bad = Files.createDirectory(here.resolve("bad"));
        add("good", 0, 100, pack);
        add("bad/one", 100, 100, pack);
        add("bad/two", 200, 100, pack);
        PackReader reader = new PackReader(files, true, Runnable::run, directory -> {
            if (directory.equals(bad)) {
                throw new CloudMwException(ErrorCode.LOCAL_IO, "on purpose");
            }
        });
        reader.write(0, ByteBuffer.wrap(pack, 0, LEAF));

        assertThat(reader.finish()).isEmpty();
        assertThat(files.get(0).call().result())
                .isCompletedWithValue(files.get(0).status());
        assertThat(failure(1)).contains("on purpose");
        assertThat(failure(2)).contains("on purpose");
    }

    private PackReader reader(boolean durable, Executor writers) {
        return new PackReader(files, durable, writers, FileSink::forceDirectory);
    }

    private void add(String name, int offset, int length, byte[] content) {
        byte[] bytes = Arrays.copyOfRange(content, offset, offset + length);
        Chunk chunk = new Chunk(
                0,
                PACK.slice(new ByteRange(offset, length)),
                new ByteRange(0, length),
                LEAF,
                ChunkDigester.digest(ByteBuffer.wrap(bytes), LEAF),
                List.of(new StoreId("s1")));
        files.add(new PackedFile(
                new FileGet(FilePath.parse("data:/" + name), here.resolve(name)),
                new EntryStatus(Optional.empty(), offset, Attributes.NONE, false),
                chunk,
                new SharedCall<>()));
    }
}
