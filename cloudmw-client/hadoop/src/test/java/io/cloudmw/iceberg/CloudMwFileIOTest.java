package io.cloudmw.iceberg;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.esotericsoftware.kryo.Kryo;
import com.esotericsoftware.kryo.io.Input;
import com.esotericsoftware.kryo.io.Output;
import io.cloudmw.client.PutOptions;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.testkit.CloudMwCluster;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.apache.hadoop.fs.FileSystem;
import org.apache.iceberg.CatalogUtil;
import org.apache.iceberg.exceptions.AlreadyExistsException;
import org.apache.iceberg.exceptions.NotFoundException;
import org.apache.iceberg.exceptions.RuntimeIOException;
import org.apache.iceberg.exceptions.ValidationException;
import org.apache.iceberg.io.BulkDeletionFailureException;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.FileInfo;
import org.apache.iceberg.io.FileRange;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.io.PositionOutputStream;
import org.apache.iceberg.io.RangeReadable;
import org.apache.iceberg.io.SeekableInputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.objenesis.strategy.StdInstantiatorStrategy;

final class CloudMwFileIOTest {
    @RegisterExtension
    static final CloudMwCluster CLUSTER =
            CloudMwCluster.builder().helpers(2).volume("lake").build();

    private final CloudMwFileIO io = new CloudMwFileIO();
    private String directory = "";

    @BeforeEach
    void useADirectoryOfTheTestsOwn(TestInfo test) {
        io.initialize(Map.of("cloudmw.coordinator", CLUSTER.coordinatorAddress()));
        directory = "cloudmw:///lake/" + test.getTestMethod().orElseThrow().getName();
    }

    @AfterEach
    void close() {
        io.close();
    }

    private String location(String name) {
        return directory + "/" + name;
    }

    private static byte[] random(int length, long seed) {
        byte[] bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    private String write(String name, byte[] content) throws IOException {
        try (PositionOutputStream stream = io.newOutputFile(location(name)).create()) {
            stream.write(content);
        }
        return location(name);
    }

    private static byte[] read(FileIO from, String location) throws IOException {
        try (InputStream stream = from.newInputFile(location).newStream()) {
            return stream.readAllBytes();
        }
    }

    // ---- files

    @Test
    void fileIsReadAsItWasWritten() throws IOException {
        for (int length : List.of(0, 1, 100_000, 3_000_001)) {
            byte[] content = random(length, length);
            String location = write("file-" + length, content);
            InputFile file = io.newInputFile(location);
            assertThat(file.location()).isEqualTo(location);
            assertThat(file.exists()).isTrue();
            assertThat(file.getLength()).isEqualTo(length);
            assertThat(read(io, location)).isEqualTo(content);
        }
    }

    @Test
    void fileAppearsAtTheCloseOfItsStream() throws IOException {
        InputFile file = io.newInputFile(location("file"));
        PositionOutputStream stream = io.newOutputFile(location("file")).create();
        stream.write(random(1_000_000, 1));
        stream.write(7);
        assertThat(stream.getPos()).isEqualTo(1_000_001);
        assertThat(file.exists()).isFalse();
        stream.close();
        stream.close();
        assertThat(file.exists()).isTrue();
        assertThat(stream.storedLength()).isEqualTo(1_000_001);
        assertThatThrownBy(() -> stream.write(1))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("closed");
    }

    @Test
    void missingFileIsNotFound() {
        InputFile file = io.newInputFile(location("missing"));
        assertThat(file.exists()).isFalse();
        assertThatThrownBy(file::getLength)
                .isInstanceOf(NotFoundException.class)
                .hasMessageContaining(location("missing"));
        assertThatThrownBy(file::newStream).isInstanceOf(NotFoundException.class);
    }

    @Test
    void fileOfAMissingVolumeIsNotFound() {
        assertThatThrownBy(() -> io.newInputFile("cloudmw:///nowhere/file").newStream())
                .isInstanceOf(NotFoundException.class)
                .hasMessageContaining("cloudmw:///nowhere/file");
    }

    @Test
    void fileIsCreatedOnce() throws IOException {
        byte[] content = random(10, 1);
        String location = write("file", content);
        assertThatThrownBy(() -> io.newOutputFile(location).create())
                .isInstanceOf(AlreadyExistsException.class)
                .hasMessageContaining(location);
        assertThat(read(io, location)).isEqualTo(content);
    }

    @Test
    void secondOfTwoStreamsThatCreateAFileFailsAtItsClose() throws IOException {
        for (int length : List.of(10, 200_000)) {
            String location = location("file-" + length);
            PositionOutputStream first = io.newOutputFile(location).create();
            PositionOutputStream second = io.newOutputFile(location).create();
            first.write(random(length, 1));
            second.write(random(10, 2));
            second.close();
            assertThatThrownBy(first::close)
                    .isInstanceOf(AlreadyExistsException.class)
                    .hasMessageContaining(location);
            assertThat(read(io, location)).isEqualTo(random(10, 2));
        }
    }

    @Test
    void streamReadsItsVersionWhileTheFileIsOverwritten() throws IOException {
        byte[] before = random(2_000_000, 1);
        byte[] after = random(300_000, 2);
        String location = write("file", before);
        try (SeekableInputStream stream = io.newInputFile(location).newStream()) {
            try (PositionOutputStream other = io.newOutputFile(location).createOrOverwrite()) {
                other.write(after);
            }
            assertThat(stream.readAllBytes()).isEqualTo(before);
        }
        assertThat(read(io, location)).isEqualTo(after);
    }

    @Test
    void streamsBeyondThoseThatTheClientStoresAtOnceStageTheirBytes() throws IOException {
        io.initialize(Map.of(
                "cloudmw.coordinator", CLUSTER.coordinatorAddress(),
                "cloudmw.write.streams", "2",
                "cloudmw.write.staging", "100000"));
        List<PositionOutputStream> streams = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            PositionOutputStream stream =
                    io.newOutputFile(location("file-" + i)).createOrOverwrite();
            stream.write(random(70_000, i));
            streams.add(stream);
        }
        PositionOutputStream beyond = io.newOutputFile(location("beyond")).createOrOverwrite();
        beyond.write(random(70_000, 1));
        assertThatThrownBy(() -> beyond.write(random(70_000, 1)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("cloudmw.write.staging");
        assertThatThrownBy(() -> beyond.write(1)).hasMessageContaining("an earlier write has failed");
        assertThatThrownBy(beyond::close).hasMessageContaining("nothing is written");
        beyond.close();
        for (PositionOutputStream stream : streams) {
            stream.close();
        }
        assertThat(locations(directory)).hasSize(4);
        for (int i = 0; i < 4; i++) {
            assertThat(read(io, location("file-" + i))).isEqualTo(random(70_000, i));
        }
    }

    @Test
    void interruptedStreamLeavesNoFile() throws IOException {
        PositionOutputStream stream = io.newOutputFile(location("file")).create();
        stream.write(random(300_000, 1));
        Thread.currentThread().interrupt();
        assertThatThrownBy(stream::close).isInstanceOf(InterruptedIOException.class);
        assertThat(Thread.interrupted()).isTrue();
        assertThat(io.newInputFile(location("file")).exists()).isFalse();
    }

    @Test
    void charactersOfALocationStandForThemselves() throws IOException {
        String name = "day=2026%2F11%2F26/a b#c?d.parquet";
        byte[] content = random(10, 1);
        String location = write(name, content);
        assertThat(read(io, location)).isEqualTo(content);
        assertThat(CLUSTER.client()
                        .files()
                        .stat(FilePath.parse("lake:/charactersOfALocationStandForThemselves/" + name))
                        .join()
                        .version()
                        .sizeBytes())
                .isEqualTo(10);
        assertThat(locations(directory)).containsExactly(location);
    }

    @Test
    void otherSchemesAreRefused() {
        assertThatThrownBy(() -> io.newInputFile("s3://bucket/key"))
                .isInstanceOf(ValidationException.class)
                .hasMessageContaining("s3://bucket/key");
    }

    @Test
    void fileOfKnownLengthNeedsNoRequest() {
        String elsewhere = "cloudmw://127.0.0.1:1/lake/file";
        InputFile file = io.newInputFile(elsewhere, 42);
        assertThat(file.getLength()).isEqualTo(42);
        assertThat(file.location()).isEqualTo(elsewhere);
    }

    @Test
    void clusterThatDoesNotAnswerFailsTheCall() {
        io.initialize(Map.of("cloudmw.coordinator.timeout", "0.2s"));
        assertThatThrownBy(
                        () -> io.newInputFile("cloudmw://127.0.0.1:1/lake/file").exists())
                .isInstanceOf(RuntimeIOException.class)
                .hasMessageContaining("cloudmw://127.0.0.1:1/lake/file");
    }

    // ---- reads

    @Test
    void readsAtThePositionEqualThoseOfTheBytesWhateverTheSeeks() throws IOException {
        byte[] content = random(3_000_000, 1);
        String location = write("file", content);
        for (long seed = 1; seed <= 2; seed++) {
            Random random = new Random(seed);
            try (SeekableInputStream stream = io.newInputFile(location).newStream()) {
                for (int i = 0; i < 100; i++) {
                    if (random.nextInt(3) == 0) {
                        stream.seek(random.nextInt(content.length + 10));
                    }
                    int from = (int) stream.getPos();
                    byte[] target = new byte[random.nextInt(random.nextBoolean() ? 20 : 200_000)];
                    int expected = target.length == 0
                            ? 0
                            : from >= content.length ? -1 : Math.min(target.length, content.length - from);
                    assertThat(stream.read(target))
                            .as("seed %s, %s", seed, from)
                            .isEqualTo(expected);
                    int read = Math.max(0, expected);
                    assertThat(stream.getPos()).isEqualTo(from + read);
                    assertThat(Arrays.copyOf(target, read))
                            .as("seed %s, %s", seed, from)
                            .isEqualTo(Arrays.copyOfRange(
                                    content, Math.min(from, content.length), Math.min(from, content.length) + read));
                }
            }
        }
    }

    @Test
    void skipAndSingleBytesMoveThePosition() throws IOException {
        byte[] content = random(1000, 1);
        try (SeekableInputStream stream =
                io.newInputFile(write("file", content)).newStream()) {
            assertThat(stream.read()).isEqualTo(content[0] & 0xff);
            assertThat(stream.skip(10)).isEqualTo(10);
            assertThat(stream.read()).isEqualTo(content[11] & 0xff);
            assertThat(stream.available()).isEqualTo(988);
            assertThat(stream.skip(5000)).isEqualTo(988);
            assertThat(stream.read()).isEqualTo(-1);
            assertThatThrownBy(() -> stream.seek(-1)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    private interface RangeTest {
        void run(RangeReadable ranges, SeekableInputStream stream) throws IOException;
    }

    private void withFile(byte[] content, RangeTest test) throws IOException {
        try (SeekableInputStream stream =
                io.newInputFile(write("file", content)).newStream()) {
            test.run((RangeReadable) stream, stream);
        }
    }

    @Test
    void readOfARangeLeavesThePosition() throws IOException {
        byte[] content = random(3_000_000, 1);
        withFile(content, (ranges, stream) -> {
            stream.seek(17);
            byte[] target = new byte[2_000_100];
            ranges.readFully(900_000, target, 50, 2_000_000);
            assertThat(Arrays.copyOfRange(target, 50, 2_000_050))
                    .isEqualTo(Arrays.copyOfRange(content, 900_000, 2_900_000));
            assertThat(stream.getPos()).isEqualTo(17);
            ranges.readFully(3_000_000, new byte[0]);
            assertThatThrownBy(() -> ranges.readFully(2_999_999, new byte[2]))
                    .isInstanceOf(EOFException.class)
                    .hasMessageContaining("at most 3000000 bytes in the file");
            assertThatThrownBy(() -> ranges.readFully(-1, new byte[2])).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> ranges.readFully(0, new byte[2], 1, 2))
                    .isInstanceOf(IndexOutOfBoundsException.class);
        });
    }

    @Test
    void tailHasTheLastBytes() throws IOException {
        byte[] content = random(300_000, 1);
        withFile(content, (ranges, stream) -> {
            byte[] tail = new byte[1000];
            assertThat(ranges.readTail(tail)).isEqualTo(1000);
            assertThat(tail).isEqualTo(Arrays.copyOfRange(content, 299_000, 300_000));
            byte[] more = new byte[400_000];
            assertThat(ranges.readTail(more)).isEqualTo(300_000);
            assertThat(Arrays.copyOf(more, 300_000)).isEqualTo(content);
        });
    }

    private static FileRange range(long offset, int length) throws EOFException {
        return new FileRange(new CompletableFuture<>(), offset, length);
    }

    private static void assertRange(FileRange range, byte[] content) {
        ByteBuffer bytes = range.byteBuffer().join();
        byte[] read = new byte[bytes.remaining()];
        bytes.get(read);
        assertThat(read)
                .isEqualTo(Arrays.copyOfRange(content, (int) range.offset(), (int) range.offset() + range.length()));
    }

    @Test
    void vectoredReadFillsAllRangesInAnyOrder() throws IOException {
        byte[] content = random(4_000_000, 1);
        withFile(content, (ranges, stream) -> {
            List<FileRange> wanted = new ArrayList<>(List.of(
                    range(3_999_990, 10),
                    range(0, 100),
                    range(200, 300_000),
                    range(310_000, 0),
                    range(400_000, 3_000_000)));
            ranges.readVectored(wanted, ByteBuffer::allocateDirect);
            wanted.forEach(each -> assertRange(each, content));
        });
    }

    @Test
    void thousandsOfRangesAreRead() throws IOException {
        byte[] content = random(4_000_000, 1);
        withFile(content, (ranges, stream) -> {
            List<FileRange> wanted = new ArrayList<>();
            for (int at = 0; at < content.length - 400; at += 800) {
                wanted.add(range(at, 400));
            }
            Collections.shuffle(wanted, new Random(1));
            assertThat(wanted.size()).isGreaterThan(4000);
            ranges.readVectored(wanted, ByteBuffer::allocate);
            wanted.forEach(each -> assertRange(each, content));
        });
    }

    @Test
    void wrongRangesAreRefusedAndNothingIsAllocated() throws IOException {
        withFile(random(1000, 1), (ranges, stream) -> {
            List<ByteBuffer> allocated = Collections.synchronizedList(new ArrayList<>());
            assertThatThrownBy(() -> ranges.readVectored(List.of(range(0, 10), range(990, 11)), length -> {
                        ByteBuffer buffer = ByteBuffer.allocate(length);
                        allocated.add(buffer);
                        return buffer;
                    }))
                    .isInstanceOf(EOFException.class);
            assertThatThrownBy(() -> ranges.readVectored(List.of(range(5, 10), range(0, 6)), ByteBuffer::allocate))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("no overlap");
            assertThat(allocated).isEmpty();
        });
    }

    @Test
    void closedStreamFailsReads() throws IOException {
        SeekableInputStream stream =
                io.newInputFile(write("file", random(1000, 1))).newStream();
        stream.close();
        stream.close();
        assertThatThrownBy(stream::read).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> ((RangeReadable) stream).readFully(0, new byte[1]))
                .isInstanceOf(IOException.class);
        assertThatThrownBy(() -> ((RangeReadable) stream).readVectored(List.of(range(0, 1)), ByteBuffer::allocate))
                .isInstanceOf(IOException.class);
    }

    @Test
    void interruptedReadFails() throws IOException {
        try (SeekableInputStream stream =
                io.newInputFile(write("file", random(1_000_000, 1))).newStream()) {
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> ((RangeReadable) stream).readFully(0, new byte[1]))
                    .isInstanceOf(InterruptedIOException.class);
            assertThat(Thread.interrupted()).isTrue();
        }
    }

    @Test
    void interruptedReadLeavesTheStreamOpen() throws IOException {
        byte[] content = random(1_000_000, 1);
        try (SeekableInputStream stream =
                io.newInputFile(write("file", content)).newStream()) {
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> stream.read(new byte[100_000])).isInstanceOf(InterruptedIOException.class);
            assertThat(Thread.interrupted()).isTrue();
            assertThat(stream.readAllBytes()).isEqualTo(content);
        }
    }

    @Test
    void bytesAreCountedInTheStatisticsOfHadoop() throws IOException {
        @SuppressWarnings("deprecation") // which Iceberg's own metrics use
        FileSystem.Statistics statistics = FileSystem.getStatistics("cloudmw", null);
        long written = statistics.getBytesWritten();
        long read = statistics.getBytesRead();
        byte[] content = random(10_000, 1);
        withFile(content, (ranges, stream) -> {
            assertThat(stream.readAllBytes()).hasSize(10_000);
            ranges.readFully(5, new byte[100]);
            FileRange one = range(0, 1000);
            ranges.readVectored(List.of(one), ByteBuffer::allocate);
            assertRange(one, content);
        });
        assertThat(statistics.getBytesWritten() - written).isEqualTo(10_000);
        assertThat(statistics.getBytesRead() - read).isEqualTo(11_100);
    }

    // ---- many files

    private List<String> locations(String prefix) {
        return StreamSupport.stream(io.listPrefix(prefix).spliterator(), false)
                .map(FileInfo::location)
                .collect(Collectors.toList());
    }

    @Test
    void removedFilesAreGoneAndMissingOnesAreNoFailure() throws IOException {
        String location = write("a/file", random(10, 1));
        io.deleteFile(location);
        io.deleteFile(location);
        assertThat(io.newInputFile(location).exists()).isFalse();
        assertThat(locations(directory)).isEmpty();
    }

    @Test
    void bulkDeleteCountsTheFilesThatItCouldNotRemove() throws IOException {
        List<String> all = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            all.add(write("file-" + i, random(10, i)));
        }
        all.add(5, "s3://bucket/key");
        all.add(7, "cloudmw:///nowhere/file");
        all.add(location("missing"));
        assertThatThrownBy(() -> io.deleteFiles(all))
                .isInstanceOfSatisfying(BulkDeletionFailureException.class, failure -> {
                    assertThat(failure.numberFailedObjects()).isEqualTo(2);
                    assertThat(Arrays.stream(failure.getSuppressed())
                                    .map(Throwable::getMessage)
                                    .collect(Collectors.joining()))
                            .contains("s3://bucket/key")
                            .contains("cloudmw:///nowhere/file");
                });
        assertThat(locations(directory)).isEmpty();
        io.deleteFiles(all.subList(0, 5));
    }

    @Test
    void listingHasTheFilesOfADirectoryAtAnyDepth() throws IOException {
        List<String> files =
                List.of(write("a/1", random(1, 1)), write("a/b/2", random(2, 1)), write("a/b/c/3", random(3, 1)));
        String other = write("ab", random(1, 1));
        List<FileInfo> listed = StreamSupport.stream(
                        io.listPrefix(location("a")).spliterator(), false)
                .collect(Collectors.toList());
        assertThat(listed.stream().map(FileInfo::location).collect(Collectors.toList()))
                .containsExactlyElementsOf(files);
        assertThat(listed.stream().map(FileInfo::size).collect(Collectors.toList()))
                .containsExactly(1L, 2L, 3L);
        assertThat(listed.get(0).createdAtMillis())
                .isEqualTo(CLUSTER.client()
                        .files()
                        .stat(FilePath.parse("lake:/listingHasTheFilesOfADirectoryAtAnyDepth/a/1"))
                        .join()
                        .version()
                        .committedAtMillis());
        assertThat(locations(location("a/"))).containsExactlyElementsOf(files);
        assertThat(locations(other)).containsExactly(other);
        assertThat(locations(location("missing"))).isEmpty();
    }

    @Test
    void removedPrefixIsGoneAndItsNeighboursStay() throws IOException {
        write("table/data/1", random(10, 1));
        write("table/metadata/2", random(10, 2));
        String other = write("table2/data/1", random(10, 3));
        CLUSTER.client()
                .files()
                .createDirectory(FilePath.parse("lake:/removedPrefixIsGoneAndItsNeighboursStay/table/data/empty"), true)
                .join();
        io.deletePrefix(location("table"));
        assertThat(locations(directory)).containsExactly(other);
        assertThat(CLUSTER.client()
                        .files()
                        .list(CLUSTER.volume("lake"), "/removedPrefixIsGoneAndItsNeighboursStay", "", 10)
                        .join()
                        .items())
                .hasSize(1);
        io.deletePrefix(location("table"));
        io.deletePrefix(other);
        assertThat(locations(directory)).isEmpty();
    }

    // ---- life

    @Test
    void copyThatJavaSerialisedReadsAndWrites() throws IOException, ClassNotFoundException {
        String location = write("file", random(10, 1));
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(io);
        }
        try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()));
                CloudMwFileIO copy = (CloudMwFileIO) in.readObject()) {
            assertCopy(copy, location);
        }
    }

    @Test
    void copyThatKryoSerialisedReadsAndWrites() throws IOException {
        String location = write("file", random(10, 1));
        Kryo kryo = new Kryo();
        kryo.setInstantiatorStrategy(new Kryo.DefaultInstantiatorStrategy(new StdInstantiatorStrategy()));
        Output out = new Output(1000, -1);
        kryo.writeClassAndObject(out, io);
        try (CloudMwFileIO copy = (CloudMwFileIO) kryo.readClassAndObject(new Input(out.toBytes()))) {
            assertCopy(copy, location);
        }
    }

    private void assertCopy(CloudMwFileIO copy, String location) throws IOException {
        assertThat(copy.properties()).isEqualTo(io.properties());
        io.close();
        assertThat(read(copy, location)).isEqualTo(random(10, 1));
        copy.deleteFile(location);
        assertThat(copy.newInputFile(location).exists()).isFalse();
    }

    @Test
    void icebergLoadsTheClassByItsName() {
        Map<String, String> properties = Map.of("cloudmw.memory", "8m", "other", "value");
        try (FileIO loaded = CatalogUtil.loadFileIO("io.cloudmw.iceberg.CloudMwFileIO", properties, null)) {
            assertThat(loaded).isInstanceOf(CloudMwFileIO.class);
            assertThat(loaded.properties()).isEqualTo(properties);
        }
        assertThatThrownBy(() -> new CloudMwFileIO().initialize(Map.of("cloudmw.memroy", "8m")))
                .hasMessageContaining("cloudmw.memroy: unknown property");
    }

    @Test
    void closedFileIORefusesUse() throws IOException {
        String location = write("file", random(10, 1));
        io.close();
        io.close();
        assertThatThrownBy(() -> io.newInputFile(location)).isInstanceOf(IllegalStateException.class);
        assertThat(io.properties()).containsKey("cloudmw.coordinator");
    }

    @Test
    void streamOutlivesItsFileIOWhileAnotherUsesTheCluster() throws IOException {
        byte[] content = random(2_000_000, 1);
        String location = write("file", content);
        try (CloudMwFileIO other = new CloudMwFileIO()) {
            other.initialize(io.properties());
            assertThat(other.newInputFile(location).exists()).isTrue();
            try (SeekableInputStream stream = io.newInputFile(location).newStream()) {
                io.close();
                assertThat(stream.readAllBytes()).isEqualTo(content);
            }
        }
    }

    @Test
    void filesOfOtherClientsAreSeen() throws IOException {
        byte[] content = random(100_000, 1);
        CLUSTER.client()
                .files()
                .put(
                        new ByteArrayInputStream(content),
                        FilePath.parse("lake:/filesOfOtherClientsAreSeen/file"),
                        PutOptions.defaults())
                .join();
        assertThat(read(io, location("file"))).isEqualTo(content);
    }
}
