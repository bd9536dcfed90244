package io.cloudmw.hadoop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.ref.WeakReference;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.attribute.UserDefinedFileAttributeView;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.SplittableRandom;
import java.util.zip.CRC32C;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.EtagSource;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.FileRange;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathIOException;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.fs.StreamCapabilities;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.fs.statistics.IOStatistics;
import org.apache.hadoop.fs.statistics.IOStatisticsSupport;
import org.apache.hadoop.fs.statistics.StreamStatisticNames;
import org.apache.hadoop.util.CrcUtil;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests of what Hadoop's suites do not ask, in the form of the URI with the volume in the path. */
final class CloudMwFileSystemTest {
    private static final String COORDINATOR = HadoopCluster.shared().coordinatorAddress();

    private final URI root = URI.create("cloudmw://" + COORDINATOR + "/");
    private FileSystem files;

    @BeforeEach
    void open() throws IOException {
        files = FileSystem.newInstance(root, configuration());
    }

    @AfterEach
    void close() throws IOException {
        files.delete(new Path("/files"), true);
        files.close();
    }

    private static Configuration configuration(String... keysAndValues) {
        Configuration configuration = new Configuration();
        for (int i = 0; i < keysAndValues.length; i += 2) {
            configuration.set(keysAndValues[i], keysAndValues[i + 1]);
        }
        return configuration;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private Path write(String path, byte[] content) throws IOException {
        Path written = new Path(path);
        try (FSDataOutputStream out = files.create(written)) {
            out.write(content);
        }
        return written;
    }

    private String read(Path path) throws IOException {
        try (FSDataInputStream in = files.open(path)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static byte[] random(int length) {
        byte[] content = new byte[length];
        new SplittableRandom(7).nextBytes(content);
        return content;
    }

    // ---- volumes

    @Test
    void rootListsVolumesAndCannotBeChanged() throws IOException {
        assertThat(Arrays.stream(files.listStatus(new Path("/")))
                        .map(status -> status.getPath().getName()))
                .contains("contract", "files");
        assertThat(files.getFileStatus(new Path("/files")).isDirectory()).isTrue();
        assertThat(files.delete(new Path("/"), true)).isFalse();
        assertThatThrownBy(() -> files.create(new Path("/file"))).isInstanceOf(FileNotFoundException.class);
        assertThatThrownBy(() -> files.mkdirs(new Path("/other/directory"))).isInstanceOf(FileNotFoundException.class);
        assertThat(files.exists(new Path("/Not_A_Volume/x"))).isFalse();
    }

    @Test
    void renameToAnotherVolumeIsRefused() throws IOException {
        Path file = write("/files/a", bytes("1"));
        assertThatThrownBy(() -> files.rename(file, new Path("/contract/a")))
                .isInstanceOf(PathIOException.class)
                .hasMessageContaining("another volume");
        assertThat(files.getEnclosingRoot(file)).isEqualTo(files.makeQualified(new Path("/files")));
        assertThat(files.getTrashRoot(file).toString()).contains("/files/.Trash/");
    }

    @Test
    void bothFormsOfTheUriNameTheSameFile() throws IOException {
        write("/files/d/a", bytes("1"));
        URI other = URI.create("cloudmw://files@" + COORDINATOR + "/");
        try (FileSystem volume = FileSystem.newInstance(other, configuration());
                FSDataInputStream in = volume.open(new Path("/d/a"))) {
            assertThat(in.readAllBytes()).isEqualTo(bytes("1"));
        }
        URI without = URI.create("cloudmw:///");
        Configuration named = configuration(HadoopSetting.COORDINATOR.key(), COORDINATOR);
        try (FileSystem volumes = FileSystem.newInstance(without, named)) {
            assertThat(volumes.getFileStatus(new Path("/files/d/a")).getLen()).isEqualTo(1);
        }
    }

    @Test
    void snapshotKeepsFilesThatAreChanged() throws IOException {
        Path file = write("/files/d/a", bytes("before"));
        Path taken = files.createSnapshot(new Path("/files"), "s1");
        write("/files/d/a", bytes("after"));
        Path kept = new Path(taken, "d/a");
        assertThat(kept.toUri().getPath()).isEqualTo("/files/.snapshot/s1/d/a");
        assertThat(read(kept)).isEqualTo("before");
        assertThat(read(file)).isEqualTo("after");
        assertThat(files.getFileStatus(kept).getLen()).isEqualTo(6);
        assertThat(files.listStatus(new Path("/files/.snapshot"))).hasSize(1);
        assertThat(files.listStatus(taken)[0].getPath()).isEqualTo(kept.getParent());
        assertThatThrownBy(() -> files.delete(kept, false)).isInstanceOf(PathIOException.class);
        files.deleteSnapshot(new Path("/files"), "s1");
        assertThat(files.exists(kept)).isFalse();
        assertThatThrownBy(() -> files.createSnapshot(file.getParent(), "s2"))
                .isInstanceOf(UnsupportedOperationException.class);
    }

    // ---- properties

    @Test
    void propertiesAreThoseOfTheJdksFileSystem() throws IOException {
        Path file = write("/files/a", bytes("1"));
        files.setTimes(file, 1_000_000, -1);
        files.setPermission(file, new FsPermission((short) 0640));
        files.setOwner(file, "alice", null);
        files.setXAttr(file, "user.colour", new byte[] {0, 1});
        java.nio.file.Path same = java.nio.file.Path.of(URI.create("cloudmw://" + COORDINATOR + "/files/a"));
        assertThat(Files.getLastModifiedTime(same).toMillis()).isEqualTo(1_000_000);
        assertThat(Files.getOwner(same).getName()).isEqualTo("alice");
        assertThat(Files.getPosixFilePermissions(same)).hasSize(3);
        UserDefinedFileAttributeView view = Files.getFileAttributeView(same, UserDefinedFileAttributeView.class);
        ByteBuffer value = ByteBuffer.allocate(2);
        view.read("colour", value);
        assertThat(value.array()).isEqualTo(new byte[] {0, 1});
        FileStatus status = files.getFileStatus(file);
        assertThat(status.getModificationTime()).isEqualTo(1_000_000);
        assertThat(status.getOwner()).isEqualTo("alice");
        assertThat(status.getPermission()).hasToString("rw-r-----");
        assertThat(files.listStatus(new Path("/files"))[0].getOwner()).isEqualTo("alice");
        assertThat(files.listXAttrs(file)).containsExactly("user.colour");
        files.removeXAttr(file, "user.colour");
        assertThatThrownBy(() -> files.getXAttr(file, "user.colour")).isInstanceOf(PathIOException.class);
        assertThatThrownBy(() -> files.setXAttr(file, "trusted.x", new byte[0]))
                .isInstanceOf(UnsupportedOperationException.class);
        write("/files/a", bytes("2"));
        assertThat(files.getFileStatus(file).getModificationTime()).isGreaterThan(1_000_000);
    }

    @Test
    void listingOfManyEntriesIsPaged() throws IOException {
        int count = 1005; // a page has 1000
        for (int i = 0; i < count; i++) {
            assertThat(files.mkdirs(new Path("/files/many/" + i))).isTrue();
        }
        RemoteIterator<FileStatus> iterator = files.listStatusIterator(new Path("/files/many"));
        List<FileStatus> listed = new ArrayList<>();
        while (iterator.hasNext()) {
            listed.add(iterator.next());
        }
        assertThat(listed).hasSize(count).allMatch(FileStatus::isDirectory);
        assertThat(listed).allMatch(status -> status.getModificationTime() > 0);
    }

    @Test
    void checksumIsComposedOfThoseOfTheLeaves() throws IOException {
        byte[] content = random(3_000_000);
        Path file = write("/files/a", content);
        assertThat(files.getFileChecksum(file)).isNull();
        Configuration with = configuration(HadoopSetting.CHECKSUM.key(), "crc32c");
        try (FileSystem checked = FileSystem.newInstance(root, with)) {
            CRC32C expected = new CRC32C();
            expected.update(content);
            assertThat(CrcUtil.readInt(checked.getFileChecksum(file).getBytes(), 0))
                    .isEqualTo((int) expected.getValue());
            assertThat(checked.getFileChecksum(file).getAlgorithmName()).isEqualTo("COMPOSITE-CRC32C");
            assertThat(checked.getFileChecksum(file, 1000)).isNull();
        }
    }

    // ---- streams

    /** An interrupted write may have passed on a part of its bytes. */
    @Test
    void streamWhoseWriteWasInterruptedStoresNothing() throws Exception {
        Path path = new Path("/files/interrupted");
        FSDataOutputStream out = files.create(path);
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> out.write(new byte[64 << 20])).isInstanceOf(InterruptedIOException.class);
        assertThat(Thread.interrupted()).isTrue();
        assertThatThrownBy(() -> out.write(1)).hasMessageContaining("a write has failed");
        assertThatThrownBy(out::close).hasMessageContaining("a write has failed");
        assertThat(files.exists(path)).isFalse();
    }

    /** The version that was open is read again, although the path has another one. */
    @Test
    void interruptedReadLeavesTheStreamOpen() throws Exception {
        byte[] content = random(3_000_000);
        Path path = write("/files/read", content);
        try (FSDataInputStream in = files.open(path)) {
            assertThat(in.readNBytes(1_000_000)).isEqualTo(Arrays.copyOf(content, 1_000_000));
            write("/files/read", bytes("another version"));
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> in.read(2_000_000, new byte[100_000], 0, 100_000))
                    .isInstanceOf(IOException.class);
            assertThat(Thread.interrupted()).isTrue();
            assertThat(in.readAllBytes()).isEqualTo(Arrays.copyOfRange(content, 1_000_000, content.length));
        }
    }

    /** Nothing else uses a client with these settings, so that it ends with the last reference to it. */
    @Test
    void streamKeepsTheClientOfAContextThatIsGone() throws Exception {
        byte[] content = random(3_000_000);
        Path path = write("/files/outlived", content);
        List<WeakReference<FileContext>> gone = new ArrayList<>();
        try (FSDataInputStream in = streamOfAContext(path, gone)) {
            Awaitility.await().until(() -> {
                System.gc();
                return gone.get(0).get() == null;
            });
            assertThat(in.readAllBytes()).isEqualTo(content);
        }
    }

    private FSDataInputStream streamOfAContext(Path path, List<WeakReference<FileContext>> made) throws IOException {
        Configuration own = new Configuration(files.getConf());
        own.set("fs.AbstractFileSystem.cloudmw.impl", CloudMwAbstractFileSystem.class.getName());
        own.set("fs.cloudmw.memory", "67m");
        FileContext context = FileContext.getFileContext(files.getUri(), own);
        made.add(new WeakReference<>(context));
        return context.open(path.makeQualified(files.getUri(), files.getWorkingDirectory()));
    }

    /** The length of a footer is read first. The stores are gone when the footer itself is read. */
    @Test
    void footersAreReadWithTheirLengths() throws Exception {
        byte[] content = random(200_000);
        Path file = write("/files/table", content);
        try (FSDataInputStream in = files.openFile(file)
                .withFileStatus(files.getFileStatus(file))
                .opt(Options.OpenFileOptions.FS_OPTION_OPENFILE_READ_POLICY, "parquet, random")
                .build()
                .get()) {
            in.seek(content.length - 8);
            assertThat(in.readNBytes(8)).isEqualTo(Arrays.copyOfRange(content, content.length - 8, content.length));
            HadoopCluster.shared().store(1).makeUnreachable();
            HadoopCluster.shared().store(2).makeUnreachable();
            try {
                in.seek(content.length - 60_000);
                assertThat(in.readNBytes(60_000))
                        .isEqualTo(Arrays.copyOfRange(content, content.length - 60_000, content.length));
                assertThat(in.read()).isEqualTo(-1);
            } finally {
                HadoopCluster.shared().store(1).restore();
                HadoopCluster.shared().store(2).restore();
            }
            in.seek(100_000);
            assertThat(in.readAllBytes()).isEqualTo(Arrays.copyOfRange(content, 100_000, content.length));
        }
    }

    @Test
    void statusNamesTheVersionThatIsReadAndTakesNoRequest() throws Exception {
        Path file = write("/files/a", bytes("first"));
        FileStatus status = files.getFileStatus(file);
        write("/files/a", bytes("second"));
        try (FSDataInputStream in =
                files.openFile(file).withFileStatus(status).build().get()) {
            assertThat(opened(in)).isZero();
            assertThat(in.readAllBytes()).isEqualTo(bytes("first"));
            assertThat(opened(in)).isEqualTo(1);
        }
        try (FSDataInputStream in = files.openFile(file)
                .optLong(Options.OpenFileOptions.FS_OPTION_OPENFILE_LENGTH, 6)
                .build()
                .get()) {
            assertThat(opened(in)).isZero();
            in.seek(1);
            assertThat(in.readAllBytes()).isEqualTo(bytes("econd"));
        }
    }

    private static long opened(FSDataInputStream in) {
        return counter(in, StreamStatisticNames.STREAM_READ_OPENED);
    }

    private static long counter(Object source, String name) {
        IOStatistics statistics = IOStatisticsSupport.retrieveIOStatistics(source);
        return statistics.counters().getOrDefault(name, -1L);
    }

    @Test
    void nearRangesAreReadTogetherAndFarOnesAlone() throws Exception {
        byte[] content = random(3_000_000);
        Path file = write("/files/a", content);
        List<FileRange> ranges = List.of(
                FileRange.createFileRange(2_900_000, 100_000),
                FileRange.createFileRange(0, 1000),
                FileRange.createFileRange(5000, 1000));
        try (FSDataInputStream in = files.open(file)) {
            in.readVectored(ranges, ByteBuffer::allocateDirect);
            for (FileRange range : ranges) {
                byte[] found = new byte[range.getLength()];
                range.getData().get().get(found);
                int from = (int) range.getOffset();
                assertThat(found).isEqualTo(Arrays.copyOfRange(content, from, from + found.length));
            }
            assertThat(counter(in, StreamStatisticNames.STREAM_READ_VECTORED_INCOMING_RANGES))
                    .isEqualTo(3);
            assertThat(counter(in, StreamStatisticNames.STREAM_READ_VECTORED_COMBINED_RANGES))
                    .isEqualTo(2);
            assertThat(counter(in, StreamStatisticNames.STREAM_READ_VECTORED_READ_BYTES_DISCARDED))
                    .isEqualTo(4000);
        }
        assertThat(counter(files, StreamStatisticNames.STREAM_READ_BYTES)).isEqualTo(102_000);
    }

    @Test
    void manyRangesOfAVectoredReadAllArrive() throws Exception {
        byte[] content = random(2_000_000);
        Path file = write("/files/a", content);
        Configuration narrow =
                configuration(HadoopSetting.VECTORED_MERGE.key(), "0", HadoopSetting.VECTORED_PARALLEL.key(), "3");
        List<FileRange> ranges = new ArrayList<>();
        for (int i = 0; i < 400; i++) {
            ranges.add(FileRange.createFileRange(i * 5000L, 100));
        }
        try (FileSystem few = FileSystem.newInstance(root, narrow);
                FSDataInputStream in = few.open(file)) {
            in.readVectored(ranges, ByteBuffer::allocate);
            for (FileRange range : ranges) {
                int from = (int) range.getOffset();
                assertThat(range.getData().get().array()).isEqualTo(Arrays.copyOfRange(content, from, from + 100));
            }
        }
    }

    @Test
    void abortedStreamLeavesThePathAsItWas() throws IOException {
        Path file = write("/files/a", bytes("1"));
        FSDataOutputStream out = files.create(file, true);
        assertThat(out.hasCapability(StreamCapabilities.ABORTABLE_STREAM)).isTrue();
        out.write(bytes("2"));
        assertThat(out.abort().alreadyClosed()).isFalse();
        out.close();
        assertThat(read(file)).isEqualTo("1");
    }

    @Test
    void secondOfTwoWritersOfANewFileFails() throws IOException {
        Path file = new Path("/files/a");
        FSDataOutputStream first = files.create(file, false);
        FSDataOutputStream second = files.create(file, false);
        first.write(1);
        second.write(2);
        first.close();
        assertThatThrownBy(second::close).isInstanceOf(FileAlreadyExistsException.class);
        assertThat(read(file)).isEqualTo("\001");
    }

    @Test
    void syncMakesNothingReadableAndCanBeRefused() throws IOException {
        Configuration strict = configuration(HadoopSetting.SYNC_REFUSED.key(), "true");
        try (FileSystem refusing = FileSystem.newInstance(root, strict);
                FSDataOutputStream out = refusing.create(new Path("/files/a"))) {
            assertThat(out.hasCapability(StreamCapabilities.HSYNC)).isFalse();
            assertThatThrownBy(out::hsync).isInstanceOf(UnsupportedOperationException.class);
        }
    }

    @Test
    void etagIsKeptByARenameAndChangesWithTheContent() throws IOException {
        Path file = write("/files/a", bytes("1"));
        String etag = ((EtagSource) files.getFileStatus(file)).getEtag();
        Path moved = new Path("/files/b");
        assertThat(files.rename(file, moved)).isTrue();
        assertThat(((EtagSource) files.getFileStatus(moved)).getEtag()).isEqualTo(etag);
        assertThat(((EtagSource) files.listLocatedStatus(moved).next()).getEtag())
                .isEqualTo(etag);
        write("/files/b", bytes("1"));
        assertThat(((EtagSource) files.getFileStatus(moved)).getEtag()).isNotEqualTo(etag);
    }

    @Test
    void closedFileSystemRefusesCalls() throws IOException {
        FileSystem closed = FileSystem.newInstance(root, configuration());
        closed.close();
        closed.close();
        assertThatThrownBy(() -> closed.exists(new Path("/files"))).hasMessageContaining("Filesystem closed");
    }

    // ---- FileContext

    @Test
    void fileContextReplacesFilesByRenames() throws IOException {
        Configuration named =
                configuration("fs.AbstractFileSystem.cloudmw.impl", CloudMwAbstractFileSystem.class.getName());
        FileContext context = FileContext.getFileContext(root, named);
        Path from = new Path("/files/d/from");
        Path to = new Path("/files/d/to");
        for (Path path : List.of(from, to)) {
            try (FSDataOutputStream out =
                    context.create(path, EnumSet.of(CreateFlag.CREATE), Options.CreateOpts.createParent())) {
                out.write(bytes(path.getName()));
            }
        }
        assertThatThrownBy(() -> context.rename(from, to)).isInstanceOf(FileAlreadyExistsException.class);
        context.rename(from, to, Options.Rename.OVERWRITE);
        assertThat(read(to)).isEqualTo("from");
        assertThat(context.util().exists(from)).isFalse();
        assertThat(context.getFileStatus(to).getLen()).isEqualTo(4);
    }
}
