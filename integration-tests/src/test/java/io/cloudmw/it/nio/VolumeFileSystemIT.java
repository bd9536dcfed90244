package io.cloudmw.it.nio;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.nio.file.StandardCopyOption.ATOMIC_MOVE;
import static java.nio.file.StandardCopyOption.REPLACE_EXISTING;
import static java.nio.file.StandardOpenOption.APPEND;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cloudmw.client.CloudMw;
import io.cloudmw.core.config.HostPort;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.Mode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.volume.Chunking;
import io.cloudmw.core.model.volume.Volume;
import io.cloudmw.helper.standalone.StandaloneCluster;
import io.cloudmw.helper.standalone.StandaloneConfig;
import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.ClosedFileSystemException;
import java.nio.file.CopyOption;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystemNotFoundException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.UserDefinedFileAttributeView;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The contract of file systems, and what is special to volumes, over real connections. */
final class VolumeFileSystemIT extends FileSystemContract {
    @TempDir
    static Path directory;

    private static StandaloneCluster cluster;
    private static FileSystem volume;
    private static int made;

    @TempDir
    Path local;

    @BeforeAll
    static void start() throws CloudMwException {
        cluster = StandaloneCluster.start(new StandaloneConfig(
                new HostPort("127.0.0.1", 0), directory.resolve("cluster"), directory.resolve("secret"), 3));
        try (CloudMw client = CloudMw.connect(cluster.coordinator().toString())) {
            List<StoreId> disks = List.of(new StoreId("disk-1"), new StoreId("disk-2"), new StoreId("disk-3"));
            for (String name : List.of("files", "others")) {
                client.volumes()
                        .create(new Volume(
                                new VolumeName(name),
                                new Chunking.BySize(1 << 20),
                                2,
                                disks,
                                2,
                                Mode.DEFAULT,
                                false,
                                0))
                        .join();
            }
        }
        volume = Path.of(uri("files", "/")).getFileSystem();
    }

    @AfterAll
    static void stop() throws IOException {
        volume.close();
        cluster.close();
    }

    private static URI uri(String name, String path) {
        return URI.create("cloudmw://" + cluster.coordinator() + "/" + name + path);
    }

    @Override
    Path emptyDirectory() throws IOException {
        return Files.createDirectory(volume.getPath("/" + made++));
    }

    @Override
    Path logs() {
        return local;
    }

    @Test
    void uriOpensTheFileSystemOfItsVolume() throws IOException {
        assertThatThrownBy(() -> FileSystems.getFileSystem(uri("others", "/")))
                .isInstanceOf(FileSystemNotFoundException.class);
        Path path = Path.of(uri("others", "/a%20b"));
        Files.writeString(path, "1");
        assertThat(path.toUri()).isEqualTo(uri("others", "/a%20b"));
        FileSystem others = FileSystems.getFileSystem(uri("others", "/"));
        assertThat(others.getPath("/a b")).hasContent("1");
        others.close();
        others.close();
        assertThatThrownBy(() -> Files.exists(others.getPath("/a b"))).isInstanceOf(ClosedFileSystemException.class);
        assertThat(Path.of(uri("others", "/a%20b"))).hasContent("1");
        assertThatThrownBy(() -> Path.of(URI.create("cloudmw://" + cluster.coordinator())))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("cloudmw://host:port");
        FileSystems.getFileSystem(uri("others", "/")).close();
    }

    @Test
    void filesMoveBetweenVolumesAndLocalDisksButNotAtomically() throws IOException {
        Path here = Files.writeString(emptyDirectory().resolve("f"), "1");
        Path there = Path.of(uri("others", "/moved"));
        assertThatThrownBy(() -> Files.move(here, there, ATOMIC_MOVE))
                .isInstanceOf(AtomicMoveNotSupportedException.class);
        Files.move(here, there);
        assertThat(there).hasContent("1");
        assertThat(Files.exists(here)).isFalse();
        Path onDisk = Files.copy(there, local.resolve("copy"));
        assertThat(onDisk).hasContent("1");
        Files.copy(onDisk, here);
        assertThat(here).hasContent("1");
        there.getFileSystem().close();
    }

    @Test
    void ownAttributesHaveAnyBytes() throws IOException {
        Path file = Files.writeString(emptyDirectory().resolve("f"), "1");
        UserDefinedFileAttributeView view = Files.getFileAttributeView(file, UserDefinedFileAttributeView.class);
        byte[] binary = {0, 1, (byte) 0xff, 10};
        assertThat(view.write("text", ByteBuffer.wrap("value".getBytes(UTF_8)))).isEqualTo(5);
        assertThat(view.write("binary", ByteBuffer.wrap(binary))).isEqualTo(4);
        Files.setAttribute(file, "user:more", "x".getBytes(UTF_8));
        assertThat(view.list()).containsExactly("binary", "more", "text");
        assertThat(Files.getAttribute(file, "user:binary")).isEqualTo(binary);
        assertThat(Files.readAttributes(file, "user:*")).containsOnlyKeys("binary", "more", "text");
        view.delete("more");
        assertThat(view.list()).containsExactly("binary", "text");
        Files.setLastModifiedTime(file, FileTime.fromMillis(1));
        assertThat(view.list()).containsExactly("binary", "text");
    }

    @Test
    void emptyDirectoryIsCreatedOnceWhenSeveralTry() throws IOException {
        Path directoryOfBoth = emptyDirectory().resolve("d");
        Files.createDirectory(directoryOfBoth);
        assertThatThrownBy(() -> Files.createDirectory(directoryOfBoth))
                .isInstanceOf(FileAlreadyExistsException.class)
                .hasMessageContaining(directoryOfBoth.toString());
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void randomOperationsHaveTheResultsOfALocalFileSystem(long seed) throws IOException {
        compare(seed, List.of(emptyDirectory()));
    }

    @ParameterizedTest
    @ValueSource(longs = {5, 6, 7, 8})
    void randomOperationsThroughTwoFileSystemsHaveTheResultsOfALocalOne(long seed) throws IOException {
        Path actual = emptyDirectory();
        // The same coordinator under another name, so that there is another file system with a client of its own.
        URI uri = URI.create("cloudmw://localhost:" + cluster.coordinator().port() + "/files" + actual);
        try (FileSystem second = FileSystems.newFileSystem(uri, Map.of())) {
            compare(seed, List.of(actual, second.getPath(actual.toString())));
        }
    }

    /** Compares a directory of a volume, reached by several paths, with a local one. */
    private void compare(long seed, List<Path> actual) throws IOException {
        SplittableRandom random = new SplittableRandom(seed);
        Path expected = Files.createDirectory(local.resolve("seed" + seed));
        for (int step = 0; step < 200; step++) {
            Step next = Step.of(random);
            boolean belowFile = next.isBelowFile(expected);
            String there = next.outcome(expected);
            String here = next.outcome(actual.get(random.nextInt(actual.size())));
            // Below a file, the kernel tells "not a directory" where a volume has no such file.
            assertThat(belowFile && !here.equals("done") ? "failed" : here)
                    .as("seed %d, step %d: %s", seed, step, next)
                    .isEqualTo(belowFile && !there.equals("done") ? "failed" : there);
        }
        for (Path each : actual) {
            assertThat(tree(each)).isEqualTo(tree(expected));
        }
    }

    private static Map<String, String> tree(Path root) throws IOException {
        Map<String, String> entries = new TreeMap<>();
        try (Stream<Path> walked = Files.walk(root)) {
            for (Path path : walked.toList()) {
                entries.put(
                        root.relativize(path).toString(),
                        Files.isDirectory(path) ? "directory" : Files.readString(path));
            }
        }
        return entries;
    }

    /** An operation on two paths below a root. */
    private record Step(int kind, String one, String other, boolean replace) {
        private static final int MOVE = 5;

        static Step of(SplittableRandom random) {
            Step step = new Step(random.nextInt(12), path(random), path(random), random.nextBoolean());
            // Before it refuses to move a directory into itself, the default provider deletes what is at its place.
            return step.kind == MOVE && step.other.startsWith(step.one + "/") ? of(random) : step;
        }

        private static String path(SplittableRandom random) {
            StringBuilder path = new StringBuilder(name(random));
            while (random.nextInt(5) < 2) {
                path.append('/').append(name(random));
            }
            return path.toString();
        }

        private static String name(SplittableRandom random) {
            return String.valueOf((char) ('a' + random.nextInt(3)));
        }

        boolean isBelowFile(Path root) {
            return Stream.of(one, other)
                    .flatMap(path -> IntStream.range(1, path.length() + 1)
                            .filter(end -> end < path.length() && path.charAt(end) == '/')
                            .mapToObj(end -> root.resolve(path.substring(0, end))))
                    .anyMatch(Files::isRegularFile);
        }

        private static void writeAt(Path file, String text, long position) throws IOException {
            try (FileChannel channel = FileChannel.open(file, READ, WRITE)) {
                int unused = channel.write(ByteBuffer.wrap(text.getBytes(UTF_8)), position);
            }
        }

        private static String names(Path directory) throws IOException {
            try (Stream<Path> entries = Files.list(directory)) {
                return entries.map(entry -> entry.getFileName().toString())
                        .sorted()
                        .toList()
                        .toString();
            }
        }

        /** Runs the operation; returns the exception, or the outcome. */
        String outcome(Path root) {
            Path from = root.resolve(one);
            Path to = root.resolve(other);
            CopyOption[] options = replace ? new CopyOption[] {REPLACE_EXISTING} : new CopyOption[0];
            try {
                switch (kind) {
                    case 0, 1 -> Files.createDirectory(from);
                    case 2 -> Files.writeString(from, other);
                    case 3 -> Files.delete(from);
                    case 4 -> Files.copy(from, to, options);
                    case MOVE -> Files.move(from, to, options);
                    case 6 -> Files.createFile(from);
                    case 7 -> Files.writeString(from, other, APPEND);
                    case 8 -> writeAt(from, other, 2);
                    case 9 -> {
                        return names(from);
                    }
                    case 10 -> {
                        return Files.isRegularFile(from) ? "size " + Files.size(from) : "none";
                    }
                    default -> {
                        return String.valueOf(Files.isDirectory(from) + " " + Files.isRegularFile(from));
                    }
                }
                return "done";
            } catch (IOException e) {
                return e.getClass().getSimpleName();
            }
        }
    }
}
