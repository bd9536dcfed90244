package io.cloudmw.client.channel;

import static java.nio.file.StandardOpenOption.APPEND;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.TRUNCATE_EXISTING;
import static java.nio.file.StandardOpenOption.WRITE;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.cloudmw.client.FakeCluster;
import io.cloudmw.client.GetOptions;
import io.cloudmw.client.rpc.FakeHelper;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.file.Attributes;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.Channels;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.NonReadableChannelException;
import java.nio.channels.NonWritableChannelException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(120)
final class FileChannelsTest {
    private static final int LEAF = 16 << 10;
    private static final int CHUNK = 256 << 10;
    private static final int SIZE = 12 * CHUNK + 1234;
    private static final FilePath FILE = FilePath.parse("vol:/f");
    private static final FilePath NEW = FilePath.parse("vol:/new");

    @TempDir
    private Path directory;

    private FakeCluster cluster;
    private FileChannels channels;
    private byte[] content;

    @BeforeEach
    void start() throws Exception {
        cluster = new FakeCluster(CHUNK, LEAF, FakeHelper.Script.SERVE, directory.resolve("nowhere"), 8L << 20);
        channels = FileChannels.of(cluster.client(), ChannelOptions.defaults().withMemory(8L << 20));
        content = cluster.put(FILE, SIZE, 1);
    }

    @AfterEach
    void stop() {
        channels.close();
        cluster.close();
    }

    private byte[] stored(FilePath file) throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        cluster.client()
                .files()
                .read(file, Channels.newChannel(bytes), GetOptions.defaults())
                .get(60, SECONDS);
        return bytes.toByteArray();
    }

    private boolean exists(FilePath file) {
        return cluster.coordinator().files().containsKey(file);
    }

    // ---- reading

    @ParameterizedTest
    @ValueSource(ints = {1, 7_000, 100_000, 2 << 20})
    void inputStreamReturnsEveryByteAndFillsEachBuffer(int buffer) throws Exception {
        int part = buffer == 1 ? 3_000 : SIZE;
        byte[] read = new byte[part];
        try (InputStream stream = channels.newInputStream(FILE)) {
            for (int at = 0; at < part; at += buffer) {
                int wanted = Math.min(buffer, part - at);
                assertThat(stream.read(read, at, wanted)).isEqualTo(wanted);
            }
            if (part == SIZE) {
                assertThat(stream.read()).isEqualTo(-1);
            }
        }
        assertThat(read).isEqualTo(Arrays.copyOf(content, part));
    }

    @Test
    void streamOverAMissingFileIsRefused() {
        assertThatThrownBy(() -> channels.newInputStream(NEW))
                .isInstanceOf(NoSuchFileException.class)
                .hasMessageContaining("/new");
        assertThatThrownBy(() -> channels.open(NEW, Set.of(READ))).isInstanceOf(NoSuchFileException.class);
        assertThatThrownBy(() -> channels.open(NEW, Set.of(WRITE))).isInstanceOf(NoSuchFileException.class);
    }

    @Test
    void sequentialReadsShareOneTransferAndSmallBackwardSeeksFetchNothing() throws Exception {
        try (FileChannel channel = channels.open(FILE, Set.of(READ))) {
            ByteBuffer buffer = ByteBuffer.allocate(LEAF);
            long at = 0;
            for (; at < 2 * CHUNK; at += LEAF) {
                assertThat(channel.read(buffer.clear())).isEqualTo(LEAF);
            }
            int begun = cluster.helper().begunTransfers();
            for (; at < 6 * CHUNK; at += LEAF) {
                assertThat(channel.read(buffer.clear())).isEqualTo(LEAF);
            }
            assertThat(channel.read(buffer.clear(), at - 3 * LEAF)).isEqualTo(LEAF);
            assertThat(buffer.array()).isEqualTo(Arrays.copyOfRange(content, (int) at - 3 * LEAF, (int) at - 2 * LEAF));
            assertThat(cluster.helper().begunTransfers()).isEqualTo(begun);
        }
    }

    @Test
    void randomReadsReadNothingAhead() throws Exception {
        try (FileChannel channel = channels.open(FILE, Set.of(READ))) {
            for (int chunk : new int[] {9, 2, 6, 0, 11, 4}) {
                assertThat(channel.read(ByteBuffer.allocate(100), (long) chunk * CHUNK))
                        .isEqualTo(100);
            }
        }
        assertThat(channels.bufferedBytes()).isZero();
    }

    @Test
    void abandonedReadAheadLeavesNoTransfer() throws Exception {
        try (InputStream stream = channels.newInputStream(FILE)) {
            assertThat(stream.readNBytes(3 * CHUNK)).hasSize(3 * CHUNK);
        }
        await().untilAsserted(
                        () -> assertThat(cluster.client().runningTransfers()).isZero());
    }

    @Test
    void manyChannelsReadInTurnWithinOneMemoryLimit() throws Exception {
        List<FileChannel> open = new ArrayList<>();
        try {
            for (int i = 0; i < 60; i++) {
                open.add(channels.open(FILE, Set.of(READ)));
            }
            ByteBuffer buffer = ByteBuffer.allocate(100_000);
            for (int round = 0; round < 6; round++) {
                for (FileChannel channel : open) {
                    assertThat(channel.read(buffer.clear())).isEqualTo(buffer.capacity());
                    int from = round * buffer.capacity();
                    assertThat(buffer.array()).isEqualTo(Arrays.copyOfRange(content, from, from + buffer.capacity()));
                    assertThat(channels.bufferedBytes()).isLessThanOrEqualTo(8L << 20);
                }
            }
        } finally {
            for (FileChannel channel : open) {
                channel.close();
            }
        }
    }

    private interface Ending {
        void end(FileChannel channel, Thread reader) throws IOException;
    }

    /** The failure of a read that waits for a silent helper, when it is ended so. */
    private Throwable failureOfAReadThatIs(Ending ending) throws Exception {
        try (FakeCluster silent =
                        new FakeCluster(CHUNK, LEAF, FakeHelper.Script.SILENT, directory.resolve("nowhere"), 8L << 20);
                FileChannels ofSilent = FileChannels.of(silent.client(), ChannelOptions.defaults())) {
            silent.put(FILE, SIZE, 1);
            FileChannel channel = ofSilent.open(FILE, Set.of(READ));
            CompletableFuture<Throwable> read = new CompletableFuture<>();
            Thread reader = new Thread(() -> read.complete(failureOf(() -> channel.read(ByteBuffer.allocate(9)))));
            reader.start();
            await().until(() -> silent.helper().begunTransfers() > 0);
            ending.end(channel, reader);
            Throwable failure = read.get(30, SECONDS);
            assertThat(channel.isOpen()).isFalse();
            assertThatThrownBy(channel::size).isInstanceOf(ClosedChannelException.class);
            return failure;
        }
    }

    @Test
    void closingEndsAReadUnderWay() throws Exception {
        assertThat(failureOfAReadThatIs((channel, reader) -> {
                    channel.close();
                    channel.close();
                }))
                .isInstanceOf(AsynchronousCloseException.class);
    }

    @Test
    void interruptionClosesTheChannel() throws Exception {
        assertThat(failureOfAReadThatIs((channel, reader) -> reader.interrupt()))
                .isInstanceOf(ClosedByInterruptException.class);
    }

    private interface Action {
        Object run() throws IOException;
    }

    private static Throwable failureOf(Action action) {
        try {
            return new AssertionError("returned " + action.run());
        } catch (IOException e) {
            return e;
        }
    }

    @Test
    void mappedRangeHasTheBytes() throws Exception {
        try (FileChannel channel = channels.open(FILE, Set.of(READ))) {
            MappedByteBuffer mapped = channel.map(FileChannel.MapMode.READ_ONLY, 100, CHUNK);
            byte[] bytes = new byte[CHUNK];
            mapped.get(bytes);
            assertThat(bytes).isEqualTo(Arrays.copyOfRange(content, 100, 100 + CHUNK));
            assertThatThrownBy(() -> channel.map(FileChannel.MapMode.READ_WRITE, 0, 1))
                    .isInstanceOf(UnsupportedOperationException.class);
            assertThatThrownBy(() -> channel.map(FileChannel.MapMode.READ_ONLY, 0, SIZE + 1L))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("the file has " + SIZE);
        }
    }

    // ---- streams that write

    @Test
    void outputStreamStoresChunksBeforeItIsClosedAndShowsTheFileAfterwards() throws Exception {
        byte[] bytes = FakeCluster.bytes(6 * CHUNK + 5, 2);
        int before = cluster.helper().receivedUploads();
        try (OutputStream stream = channels.newOutputStream(NEW, Set.of())) {
            stream.write(bytes, 0, 5 * CHUNK);
            stream.write(bytes, 5 * CHUNK, bytes.length - 5 * CHUNK);
            await().until(() -> cluster.helper().receivedUploads() > before);
            assertThat(exists(NEW)).isFalse();
        }
        assertThat(stored(NEW)).isEqualTo(bytes);
    }

    @Test
    void abortedStreamLeavesThePathAsItWas() throws Exception {
        RemoteOutputStream stream = channels.newOutputStream(NEW, Set.of());
        stream.write(new byte[2 * CHUNK]);
        stream.abort();
        stream.close();
        assertThatThrownBy(() -> stream.write(1)).isInstanceOf(ClosedChannelException.class);
        await().untilAsserted(
                        () -> assertThat(cluster.client().runningTransfers()).isZero());
        assertThat(exists(NEW)).isFalse();
    }

    /** An interrupted write may have passed on a part of its bytes. */
    @Test
    void streamWhoseWriteWasInterruptedStoresNothing() throws Exception {
        RemoteOutputStream stream = channels.newOutputStream(NEW, Set.of());
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> stream.write(new byte[64 << 20])).isInstanceOf(InterruptedIOException.class);
        assertThat(Thread.interrupted()).isTrue();
        assertThatThrownBy(() -> stream.write(1)).isInstanceOf(ClosedChannelException.class);
        assertThatThrownBy(stream::close).isInstanceOf(IOException.class).hasMessageContaining("a write has failed");
        stream.close();
        await().untilAsserted(
                        () -> assertThat(cluster.client().runningTransfers()).isZero());
        assertThat(exists(NEW)).isFalse();
    }

    @Test
    void onlyOneOfTwoThatCreateAFileSucceeds() throws Exception {
        RemoteOutputStream first = channels.newOutputStream(NEW, Set.of(CREATE_NEW, WRITE));
        FileChannel second = channels.open(NEW, Set.of(CREATE_NEW, WRITE));
        first.write(1);
        assertThat(second.write(ByteBuffer.wrap(new byte[] {2}))).isEqualTo(1);
        first.close();
        assertThatThrownBy(second::close).isInstanceOf(FileAlreadyExistsException.class);
        assertThat(stored(NEW)).containsExactly(1);
        assertThatThrownBy(() -> channels.newOutputStream(NEW, Set.of(CREATE_NEW)))
                .isInstanceOf(FileAlreadyExistsException.class);
    }

    @Test
    void appendingStreamAddsToTheEnd() throws Exception {
        try (OutputStream stream = channels.newOutputStream(FILE, Set.of(APPEND))) {
            stream.write(new byte[] {1, 2, 3});
        }
        byte[] expected = Arrays.copyOf(content, SIZE + 3);
        System.arraycopy(new byte[] {1, 2, 3}, 0, expected, SIZE, 3);
        assertThat(stored(FILE)).isEqualTo(expected);
    }

    @Test
    void tooManyStreamsAreRefusedAtOnce() throws Exception {
        List<RemoteOutputStream> open = new ArrayList<>();
        for (int i = 0; i < ChannelOptions.defaults().streams(); i++) {
            open.add(channels.newOutputStream(FilePath.parse("vol:/many/" + i), Set.of()));
        }
        assertThatThrownBy(() -> channels.newOutputStream(NEW, Set.of()))
                .isInstanceOfSatisfying(
                        CloudMwException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.OVERLOADED));
        open.forEach(RemoteOutputStream::abort);
        await().untilAsserted(() -> channels.newOutputStream(NEW, Set.of()).abort());
    }

    // ---- channels that write

    @Test
    void changedPartsAreSentAndTheRestIsShared() throws Exception {
        byte[] expected = content.clone();
        int before = cluster.helper().receivedUploads();
        try (FileChannel channel = channels.open(FILE, Set.of(READ, WRITE))) {
            for (int at : new int[] {10, 5 * CHUNK - 3, 11 * CHUNK}) {
                byte[] bytes = FakeCluster.bytes(6, at);
                assertThat(channel.write(ByteBuffer.wrap(bytes), at)).isEqualTo(6);
                System.arraycopy(bytes, 0, expected, at, 6);
            }
        }
        assertThat(stored(FILE)).isEqualTo(expected);
        assertThat(cluster.helper().receivedUploads() - before).isEqualTo(4);
    }

    @Test
    void longNewFileIsStoredWhileItIsWrittenAndItsStoredBytesStay() throws Exception {
        byte[] bytes = FakeCluster.bytes(WriteContent.STAGED_BYTES + 3 * CHUNK, 3);
        FileChannel channel = channels.open(NEW, Set.of(WRITE, CREATE));
        assertThat(channel.write(ByteBuffer.wrap(bytes, 0, CHUNK))).isEqualTo(CHUNK);
        assertThat(channel.write(ByteBuffer.wrap(new byte[] {bytes[0]}), 0)).isEqualTo(1);
        assertThat(channel.write(ByteBuffer.wrap(bytes, CHUNK, bytes.length - CHUNK)))
                .isEqualTo(bytes.length - CHUNK);
        assertThatThrownBy(() -> channel.write(ByteBuffer.allocate(1), 0))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("READ and WRITE");
        assertThat(exists(NEW)).isFalse();
        channel.close();
        assertThat(stored(NEW)).isEqualTo(bytes);
    }

    @Test
    void truncatingChannelDownloadsNothing() throws Exception {
        int begun = cluster.helper().begunTransfers();
        try (FileChannel channel = channels.open(FILE, Set.of(WRITE, TRUNCATE_EXISTING))) {
            assertThat(channel.size()).isZero();
        }
        assertThat(cluster.helper().begunTransfers()).isEqualTo(begun);
        assertThat(stored(FILE)).isEmpty();
    }

    @Test
    void forcedChangesAreVisibleWhileTheChannelIsOpen() throws Exception {
        try (FileChannel channel = channels.open(NEW, Set.of(READ, WRITE, CREATE))) {
            assertThat(channel.write(ByteBuffer.wrap(new byte[] {1, 2, 3}))).isEqualTo(3);
            assertThat(exists(NEW)).isFalse();
            channel.force(true);
            assertThat(stored(NEW)).containsExactly(1, 2, 3);
            assertThat(channel.write(ByteBuffer.wrap(new byte[] {9}), 1)).isEqualTo(1);
            channel.force(true);
            assertThat(stored(NEW)).containsExactly(1, 9, 3);
        }
    }

    @Test
    void changeOfAFileThatAnotherClientChangedIsRefused() throws Exception {
        FileChannel channel = channels.open(FILE, Set.of(READ, WRITE));
        assertThat(channel.write(ByteBuffer.wrap(new byte[] {1}))).isEqualTo(1);
        byte[] other = cluster.put(FILE, 100, 5);
        assertThatThrownBy(channel::close)
                .isInstanceOfSatisfying(
                        CloudMwException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CONFLICT));
        assertThat(stored(FILE)).isEqualTo(other);
    }

    @Test
    void stagingBeyondItsLimitIsRefusedAndLosesNothing() throws Exception {
        try (FileChannels small =
                FileChannels.of(cluster.client(), ChannelOptions.defaults().withStaging(1 << 20))) {
            FileChannel channel = small.open(NEW, Set.of(READ, WRITE, CREATE));
            assertThat(channel.write(ByteBuffer.allocate(1 << 20))).isEqualTo(1 << 20);
            assertThatThrownBy(() -> channel.write(ByteBuffer.allocate(1)))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("force()");
            channel.force(false);
            assertThat(channel.write(ByteBuffer.allocate(1))).isEqualTo(1);
            channel.close();
        }
        assertThat(stored(NEW)).hasSize((1 << 20) + 1);
    }

    @Test
    void operationsThatTheOptionsExcludeAreRefused() throws Exception {
        try (FileChannel reading = channels.open(FILE, Set.of());
                FileChannel writing = channels.open(FILE, Set.of(WRITE))) {
            assertThatThrownBy(() -> reading.write(ByteBuffer.allocate(1)))
                    .isInstanceOf(NonWritableChannelException.class);
            assertThatThrownBy(() -> writing.read(ByteBuffer.allocate(1)))
                    .isInstanceOf(NonReadableChannelException.class);
        }
        assertThatThrownBy(() -> channels.open(FILE, Set.of(READ, APPEND)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void channelEqualsThatOfALocalFileUnderRandomOperations(long seed) throws Exception {
        SplittableRandom random = new SplittableRandom(seed);
        Path local = directory.resolve("local" + seed);
        FilePath remote = FilePath.parse("vol:/random" + seed);
        try (FileChannel expected = FileChannel.open(local, READ, WRITE, CREATE);
                FileChannel actual = channels.open(remote, Set.of(READ, WRITE, CREATE))) {
            for (int step = 0; step < 120; step++) {
                apply(random, expected, actual);
                assertThat(actual.position()).as("seed %d, step %d", seed, step).isEqualTo(expected.position());
                assertThat(actual.size()).as("seed %d, step %d", seed, step).isEqualTo(expected.size());
            }
        }
        assertThat(stored(remote)).isEqualTo(Files.readAllBytes(local));
    }

    private static void apply(SplittableRandom random, FileChannel expected, FileChannel actual) throws IOException {
        int at = random.nextInt(3 * CHUNK);
        int length = random.nextInt(random.nextInt(4) == 0 ? 2 * CHUNK : 2_000);
        switch (random.nextInt(8)) {
            case 0, 1 -> {
                byte[] bytes = FakeCluster.bytes(length, random.nextLong());
                assertThat(actual.write(ByteBuffer.wrap(bytes), at))
                        .isEqualTo(expected.write(ByteBuffer.wrap(bytes), at));
            }
            case 2 -> {
                byte[] bytes = FakeCluster.bytes(length, random.nextLong());
                assertThat(actual.write(ByteBuffer.wrap(bytes))).isEqualTo(expected.write(ByteBuffer.wrap(bytes)));
            }
            case 3, 4 -> {
                ByteBuffer one = ByteBuffer.allocate(length);
                ByteBuffer other = ByteBuffer.allocate(length);
                assertThat(actual.read(other, at)).isEqualTo(expected.read(one, at));
                assertThat(other).isEqualTo(one);
                assertThat(other.array()).isEqualTo(one.array());
            }
            case 5 -> {
                expected.position(at);
                actual.position(at);
            }
            case 6 -> {
                expected.truncate(at);
                actual.truncate(at);
            }
            default -> {
                if (random.nextInt(4) == 0) {
                    actual.force(true);
                }
            }
        }
    }

    // ---- calls

    @Test
    void creatingAFileAsksTheCoordinatorOnceBeforeThePut() throws Exception {
        FileCreation creation =
                FileCreation.defaults().onlyInDirectory().withAttributes(Attributes.of(Map.of("kind", "new")));
        var unused = cluster.coordinator().calledSinceLastLook();
        FileChannel channel = channels.open(NEW, Set.of(WRITE, CREATE_NEW), creation);
        assertThat(cluster.coordinator().calledSinceLastLook()).containsExactly("GetEntry");
        channel.close();
        assertThat(cluster.coordinator().calledSinceLastLook()).containsExactly("GetVolume", "CommitFiles");
        assertThat(cluster.client().files().stat(NEW).join().attributes())
                .isEqualTo(Attributes.of(Map.of("kind", "new")));
        channels.newOutputStream(FilePath.parse("vol:/other"), Set.of(), creation)
                .close();
        assertThat(cluster.coordinator().calledSinceLastLook())
                .startsWith("Stat", "GetEntry", "BeginPut")
                .doesNotHaveDuplicates();
    }

    @Test
    void fileIsCreatedInADirectoryThatExistsOrWithIt() throws Exception {
        FilePath below = FilePath.parse("vol:/none/below");
        assertThatThrownBy(() -> channels.open(
                        below, Set.of(WRITE, CREATE), FileCreation.defaults().onlyInDirectory()))
                .isInstanceOf(NoSuchFileException.class);
        assertThatThrownBy(() -> channels.open(below, Set.of(WRITE))).isInstanceOf(NoSuchFileException.class);
        channels.open(below, Set.of(WRITE, CREATE)).close();
        assertThat(exists(below)).isTrue();
        assertThatThrownBy(() -> channels.open(FilePath.parse("vol:/none"), Set.of(WRITE, CREATE)))
                .isInstanceOf(FileSystemException.class)
                .hasMessageContaining("is a directory");
    }
}
