package io.cloudmw.it.nio;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.nio.file.StandardCopyOption.ATOMIC_MOVE;
import static java.nio.file.StandardCopyOption.REPLACE_EXISTING;
import static java.nio.file.StandardOpenOption.APPEND;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;
import static java.nio.file.StandardWatchEventKinds.ENTRY_CREATE;
import static java.nio.file.StandardWatchEventKinds.ENTRY_DELETE;
import static java.nio.file.StandardWatchEventKinds.ENTRY_MODIFY;
import static java.nio.file.StandardWatchEventKinds.OVERFLOW;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.cloudmw.it.Java;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.NonReadableChannelException;
import java.nio.channels.NonWritableChannelException;
import java.nio.channels.OverlappingFileLockException;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.ClosedWatchServiceException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The contract of a file system of the JDK. */
abstract class FileSystemContract {
    private Path root;

    /** An empty directory of the file system. */
    abstract Path emptyDirectory() throws IOException;

    /** A local directory for the output of processes. */
    abstract Path logs();

    @BeforeEach
    void begin() throws IOException {
        root = emptyDirectory();
    }

    private Path at(String path) {
        return root.resolve(path);
    }

    private Path file(String path, String content) throws IOException {
        return Files.writeString(at(path), content);
    }

    private List<String> names(Path directory) throws IOException {
        List<String> names = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
            entries.forEach(entry -> names.add(entry.getFileName().toString()));
        }
        names.sort(null);
        return names;
    }

    // ---- files

    @Test
    void writtenFileIsReadAndReplacedAndAppendedTo() throws IOException {
        Path file = file("f", "first");
        assertThat(file).hasContent("first");
        Files.writeString(file, "second, longer");
        assertThat(file).hasContent("second, longer");
        Files.writeString(file, "!", APPEND);
        assertThat(file).hasContent("second, longer!");
        Files.writeString(file, "SEC", WRITE);
        assertThat(file).hasContent("SECond, longer!");
        assertThat(Files.size(file)).isEqualTo(15);
    }

    @Test
    void createNewRefusesAnExistingFile() throws IOException {
        Path file = file("f", "1");
        assertThatThrownBy(() -> Files.writeString(file, "2", CREATE_NEW))
                .isInstanceOf(FileAlreadyExistsException.class);
        assertThatThrownBy(() -> Files.createFile(file)).isInstanceOf(FileAlreadyExistsException.class);
        assertThat(Files.createFile(at("new"))).hasContent("");
        assertThat(file).hasContent("1");
    }

    @Test
    void missingFilesAndMissingParentsAreRefused() {
        assertThatThrownBy(() -> Files.readString(at("f"))).isInstanceOf(NoSuchFileException.class);
        assertThatThrownBy(() -> Files.writeString(at("f"), "1", WRITE)).isInstanceOf(NoSuchFileException.class);
        assertThatThrownBy(() -> Files.writeString(at("d/f"), "1")).isInstanceOf(NoSuchFileException.class);
        assertThatThrownBy(() -> Files.size(at("f"))).isInstanceOf(NoSuchFileException.class);
        assertThatThrownBy(() -> Files.delete(at("f"))).isInstanceOf(NoSuchFileException.class);
        assertThatThrownBy(() -> Files.createDirectory(at("d/e"))).isInstanceOf(NoSuchFileException.class);
        assertThat(Files.exists(at("f"))).isFalse();
    }

    @Test
    void channelReadsAndWritesAnywhere() throws IOException {
        try (SeekableByteChannel channel = Files.newByteChannel(at("f"), READ, WRITE, CREATE)) {
            assertThat(channel.write(ByteBuffer.wrap("hello world".getBytes(UTF_8))))
                    .isEqualTo(11);
            channel.position(6);
            assertThat(channel.write(ByteBuffer.wrap("W".getBytes(UTF_8)))).isEqualTo(1);
            ByteBuffer read = ByteBuffer.allocate(5);
            channel.position(0);
            assertThat(channel.read(read)).isEqualTo(5);
            assertThat(new String(read.array(), UTF_8)).isEqualTo("hello");
            channel.truncate(7);
        }
        assertThat(at("f")).hasContent("hello W");
        try (FileChannel channel = FileChannel.open(at("f"), READ)) {
            assertThat(channel.size()).isEqualTo(7);
            assertThat(channel.read(ByteBuffer.allocate(10), 7)).isEqualTo(-1);
        }
    }

    @Test
    void directoryCannotBeWrittenAsAFile() throws IOException {
        Files.createDirectory(at("d"));
        assertThatThrownBy(() -> Files.writeString(at("d"), "1")).isInstanceOf(FileSystemException.class);
        assertThatThrownBy(() -> Files.readString(at("d"))).isInstanceOf(IOException.class);
        file("f", "1");
        assertThatThrownBy(() -> Files.writeString(at("f/g"), "1")).isInstanceOf(FileSystemException.class);
    }

    // ---- directories

    @Test
    void directoriesAreRealAndStayWhenTheyAreEmpty() throws IOException {
        Files.createDirectories(at("a/b/c"));
        assertThat(Files.isDirectory(at("a/b"))).isTrue();
        assertThat(Files.isRegularFile(at("a/b"))).isFalse();
        file("a/b/c/f", "1");
        Files.delete(at("a/b/c/f"));
        assertThat(Files.isDirectory(at("a/b/c"))).isTrue();
        Files.delete(at("a/b/c"));
        assertThat(names(at("a/b"))).isEmpty();
        assertThatThrownBy(() -> Files.createDirectory(at("a/b"))).isInstanceOf(FileAlreadyExistsException.class);
    }

    @Test
    void directoryWithEntriesIsNotDeleted() throws IOException {
        Files.createDirectory(at("d"));
        file("d/f", "1");
        assertThatThrownBy(() -> Files.delete(at("d"))).isInstanceOf(DirectoryNotEmptyException.class);
        assertThat(at("d/f")).hasContent("1");
    }

    @Test
    void listingsHaveAllEntriesAndFiltersApply() throws IOException {
        Files.createDirectories(at("d/sub"));
        for (String name : List.of("a.txt", "b.txt", "c.bin")) {
            file("d/" + name, name);
        }
        assertThat(names(at("d"))).containsExactly("a.txt", "b.txt", "c.bin", "sub");
        try (DirectoryStream<Path> found = Files.newDirectoryStream(at("d"), "*.{txt,md}")) {
            assertThat(found)
                    .extracting(each -> each.getFileName().toString())
                    .containsExactlyInAnyOrder("a.txt", "b.txt");
        }
        assertThatThrownBy(() -> Files.newDirectoryStream(at("d/a.txt"))).isInstanceOf(NotDirectoryException.class);
        assertThatThrownBy(() -> Files.newDirectoryStream(at("none"))).isInstanceOf(NoSuchFileException.class);
        try (Stream<Path> walked = Files.walk(at("d"))) {
            assertThat(walked).hasSize(5);
        }
    }

    // ---- copies and moves

    @Test
    void copiedFileIsIndependentOfItsSource() throws IOException {
        Path source = file("s", "content");
        Path target = Files.copy(source, at("t"));
        Files.writeString(source, "changed");
        assertThat(target).hasContent("content");
        assertThatThrownBy(() -> Files.copy(source, target)).isInstanceOf(FileAlreadyExistsException.class);
        Files.copy(source, target, REPLACE_EXISTING);
        assertThat(target).hasContent("changed");
        Files.copy(source, source);
        Files.delete(source);
        assertThat(target).hasContent("changed");
        assertThatThrownBy(() -> Files.copy(target, at("none/t"))).isInstanceOf(NoSuchFileException.class);
    }

    @Test
    void copyOfADirectoryIsEmpty() throws IOException {
        Files.createDirectory(at("d"));
        file("d/f", "1");
        Files.copy(at("d"), at("e"));
        assertThat(names(at("e"))).isEmpty();
        file("e/g", "2");
        assertThatThrownBy(() -> Files.copy(at("d"), at("e"), REPLACE_EXISTING))
                .isInstanceOf(DirectoryNotEmptyException.class);
    }

    @Test
    void movedEntriesKeepTheirContent() throws IOException {
        Files.createDirectories(at("d/e"));
        file("d/e/f", "1");
        Files.move(at("d"), at("m"));
        assertThat(at("m/e/f")).hasContent("1");
        assertThat(Files.exists(at("d"))).isFalse();
        Files.move(at("m/e/f"), at("g"), ATOMIC_MOVE);
        assertThat(at("g")).hasContent("1");
        assertThat(Files.isDirectory(at("m/e"))).isTrue();
        file("h", "2");
        assertThatThrownBy(() -> Files.move(at("g"), at("h"))).isInstanceOf(FileAlreadyExistsException.class);
        Files.move(at("g"), at("h"), REPLACE_EXISTING);
        assertThat(at("h")).hasContent("1");
    }

    @Test
    void directoryReplacesAnEmptyOneOnly() throws IOException {
        Files.createDirectories(at("d/e"));
        Files.createDirectory(at("empty"));
        Files.createDirectories(at("full/x"));
        assertThatThrownBy(() -> Files.move(at("d"), at("full"), REPLACE_EXISTING))
                .isInstanceOf(DirectoryNotEmptyException.class);
        assertThatThrownBy(() -> Files.move(at("d"), at("empty"))).isInstanceOf(FileAlreadyExistsException.class);
        Files.move(at("d"), at("empty"), REPLACE_EXISTING);
        assertThat(names(at("empty"))).containsExactly("e");
        assertThatThrownBy(() -> Files.move(at("empty"), at("empty/e/f"))).isInstanceOf(FileSystemException.class);
    }

    // ---- attributes

    @Test
    void attributesTellKindSizeAndTimes() throws IOException {
        Path file = file("f", "12345");
        BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
        assertThat(attributes.size()).isEqualTo(5);
        assertThat(attributes.isRegularFile()).isTrue();
        assertThat(attributes.isSymbolicLink()).isFalse();
        FileTime time = FileTime.fromMillis(1_234_567_890_000L);
        Files.setLastModifiedTime(file, time);
        assertThat(Files.getLastModifiedTime(file)).isEqualTo(time);
        Files.writeString(file, "later");
        assertThat(Files.getLastModifiedTime(file)).isGreaterThan(time);
        assertThat(Files.readAttributes(file, "size,isDirectory"))
                .containsEntry("size", 5L)
                .containsEntry("isDirectory", false);
        assertThatThrownBy(() -> Files.readAttributes(file, "basic:wrong"))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void permissionsAreKept() throws IOException {
        Path file = file("f", "1");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-x---"));
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rwxr-x---");
        assertThat(Files.isExecutable(file)).isTrue();
        Files.createDirectory(
                at("d"), PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        assertThat(Files.getPosixFilePermissions(at("d"))).isEqualTo(PosixFilePermissions.fromString("rwx------"));
    }

    @Test
    void samePathsNameTheSameFile() throws IOException {
        Path file = file("f", "1");
        assertThat(Files.isSameFile(file, at("./x/../f").normalize())).isTrue();
        assertThat(Files.isSameFile(file, file("g", "1"))).isFalse();
        assertThat(Files.isHidden(at(".h"))).isTrue();
        assertThat(file.toRealPath().getFileName()).hasToString("f");
        assertThat(Files.getFileStore(file).getUsableSpace()).isPositive();
        assertThat(Path.of(file.toUri())).isEqualTo(file);
        assertThat(Set.copyOf(file.getFileSystem().supportedFileAttributeViews()))
                .contains("basic", "posix", "owner");
    }

    // ---- locks

    @Test
    void lockIsValidUntilItIsReleasedOrItsChannelIsClosed() throws IOException {
        Path file = file("f", "content");
        FileChannel channel = FileChannel.open(file, READ, WRITE);
        FileLock first = channel.lock();
        assertThat(first.isValid()).isTrue();
        assertThat(first.isShared()).isFalse();
        assertThat(first.overlaps(100, 1)).isTrue();
        first.release();
        assertThat(first.isValid()).isFalse();
        FileLock second = channel.tryLock(2, 3, true);
        assertThat(second).isNotNull();
        assertThat(List.of(second.position(), second.size())).containsExactly(2L, 3L);
        assertThat(second.isShared()).isTrue();
        channel.close();
        assertThat(second.isValid()).isFalse();
        assertThatThrownBy(second::release).isInstanceOf(ClosedChannelException.class);
        assertThatThrownBy(channel::lock).isInstanceOf(ClosedChannelException.class);
    }

    @Test
    void locksOfOneJvmDoNotOverlap() throws IOException {
        Path file = file("f", "content");
        try (FileChannel channel = FileChannel.open(file, READ, WRITE);
                FileChannel other = FileChannel.open(file, READ, WRITE)) {
            FileLock lock = channel.lock(0, 10, true);
            for (FileChannel each : List.of(channel, other)) {
                assertThatThrownBy(() -> each.tryLock(9, 1, true)).isInstanceOf(OverlappingFileLockException.class);
                assertThatThrownBy(() -> each.lock(0, 1, false)).isInstanceOf(OverlappingFileLockException.class);
            }
            assertThat(other.tryLock(10, 10, false)).isNotNull();
            lock.release();
            assertThat(other.tryLock(0, 10, false)).isNotNull();
        }
    }

    @Test
    void lockNeedsAChannelOpenForIt() throws IOException {
        Path file = file("f", "content");
        try (FileChannel reading = FileChannel.open(file, READ);
                FileChannel writing = FileChannel.open(file, WRITE)) {
            assertThatThrownBy(() -> reading.tryLock(0, 1, false)).isInstanceOf(NonWritableChannelException.class);
            assertThatThrownBy(() -> writing.tryLock(0, 1, true)).isInstanceOf(NonReadableChannelException.class);
            assertThatThrownBy(() -> writing.tryLock(-1, 1, false)).isInstanceOf(IllegalArgumentException.class);
            assertThat(reading.tryLock(0, 1, true)).isNotNull();
            assertThat(writing.tryLock(1, 1, false)).isNotNull();
        }
    }

    @Test
    void asynchronousChannelLocks() throws Exception {
        Path file = file("f", "content");
        try (AsynchronousFileChannel channel = AsynchronousFileChannel.open(file, READ, WRITE)) {
            FileLock lock = channel.lock().get();
            assertThat(lock.acquiredBy()).isSameAs(channel);
            assertThat(lock.isValid()).isTrue();
            assertThatThrownBy(() -> channel.tryLock(0, 1, false)).isInstanceOf(OverlappingFileLockException.class);
            lock.release();
            assertThat(channel.tryLock(0, 1, false)).isNotNull();
        }
    }

    @Test
    void processesThatLockCountTogether() throws Exception {
        Path file = at("counter");
        List<Java> processes = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            processes.add(Java.start(
                    logs().resolve("counter" + i + ".log"),
                    List.of("-Xmx128m"),
                    LockedCounter.class,
                    List.of(file.toUri().toString(), "20")));
        }
        LockedCounter.count(file, 20);
        for (Java process : processes) {
            assertThat(process.waitFor(120, TimeUnit.SECONDS)).as(process.log()).isZero();
        }
        assertThat(ByteBuffer.wrap(Files.readAllBytes(file)).getLong()).isEqualTo(60);
    }

    // ---- watches

    private WatchService watchService() throws IOException {
        return root.getFileSystem().newWatchService();
    }

    @Test
    void watchTellsWhatAppearsChangesAndDisappears() throws Exception {
        file("before", "1");
        try (WatchService service = watchService()) {
            WatchKey key = root.register(service, ENTRY_CREATE, ENTRY_MODIFY, ENTRY_DELETE);
            assertThat(key.isValid()).isTrue();
            assertThat(key.watchable()).isEqualTo(root);
            assertThat(service.poll()).isNull();
            SeenEvents seen = new SeenEvents(service);
            file("f", "1");
            seen.await("ENTRY_CREATE f");
            Files.writeString(at("before"), "2");
            seen.await("ENTRY_MODIFY before");
            Files.createDirectory(at("d"));
            seen.await("ENTRY_CREATE d");
            Files.move(at("f"), at("d/f"));
            seen.await("ENTRY_DELETE f");
            Files.move(at("d/f"), at("g"));
            seen.await("ENTRY_CREATE g");
            Files.delete(at("before"));
            seen.await("ENTRY_DELETE before");
            Files.delete(at("d"));
            seen.await("ENTRY_DELETE d");
            assertThat(seen.all()).doesNotContain("ENTRY_CREATE before", "OVERFLOW null");
        }
    }

    @Test
    void watchTellsTheKindsItWasRegisteredFor() throws Exception {
        try (WatchService service = watchService()) {
            WatchKey key = root.register(service, ENTRY_DELETE);
            SeenEvents seen = new SeenEvents(service);
            file("f", "1");
            Files.delete(at("f"));
            seen.await("ENTRY_DELETE f");
            assertThat(seen.all()).containsExactly("ENTRY_DELETE f");
            assertThat(root.register(service, ENTRY_CREATE)).isSameAs(key);
            file("g", "1");
            seen.await("ENTRY_CREATE g");
        }
    }

    @Test
    void signalledKeyIsQueuedAgainWhenItIsReset() throws Exception {
        try (WatchService service = watchService()) {
            WatchKey key = root.register(service, ENTRY_CREATE);
            Files.createDirectory(at("a"));
            assertThat(service.take()).isSameAs(key);
            assertThat(key.pollEvents()).singleElement().satisfies(event -> {
                assertThat(event.kind()).isEqualTo(ENTRY_CREATE);
                assertThat(event.context()).isEqualTo(root.getFileSystem().getPath("a"));
                assertThat(event.count()).isEqualTo(1);
            });
            assertThat(service.poll()).isNull();
            assertThat(key.reset()).isTrue();
            Files.createDirectory(at("b"));
            assertThat(service.take()).isSameAs(key);
            assertThat(key.reset()).isTrue();
            assertThat(service.take()).isSameAs(key);
            assertThat(key.pollEvents()).hasSize(1);
            key.cancel();
            assertThat(key.isValid()).isFalse();
            assertThat(key.reset()).isFalse();
        }
    }

    @Test
    void keyOfARemovedDirectoryIsNotValid() throws Exception {
        Path watched = Files.createDirectory(at("d"));
        try (WatchService service = watchService()) {
            WatchKey key = watched.register(service, ENTRY_CREATE, ENTRY_DELETE);
            Files.delete(watched);
            new SeenEvents(service).awaitInvalid(key);
            assertThat(key.reset()).isFalse();
        }
    }

    @Test
    void tooManyEventsAreAnOverflow() throws Exception {
        try (WatchService service = watchService()) {
            Path marked = Files.createDirectory(at("marked"));
            WatchKey key = root.register(service, ENTRY_CREATE);
            WatchKey marker = marked.register(service, ENTRY_CREATE);
            boolean overflow = false;
            for (int round = 0; !overflow && round < 10; round++) {
                for (int i = 0; i < 700; i++) {
                    Files.createDirectory(at("d" + round + "-" + i));
                }
                // No event of the root is taken before one that was caused later is there.
                Files.createDirectory(marked.resolve("m" + round));
                WatchKey signalled;
                do {
                    signalled = service.poll(60, SECONDS);
                    assertThat(signalled).as("a key that is signalled").isNotNull();
                } while (signalled != marker);
                var unused = marker.pollEvents();
                overflow = key.pollEvents().stream().anyMatch(event -> event.kind() == OVERFLOW);
                assertThat(marker.reset()).isTrue();
                assertThat(key.reset()).isTrue();
            }
            assertThat(overflow).isTrue();
        }
    }

    @Test
    void closedWatchServiceEndsWaitsAndKeys() throws Exception {
        WatchService service = watchService();
        WatchKey key = root.register(service, ENTRY_CREATE);
        CompletableFuture<Throwable> end = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try {
                end.complete(new AssertionError(String.valueOf(service.take())));
            } catch (InterruptedException | ClosedWatchServiceException e) {
                end.complete(e);
            }
        });
        thread.start();
        await().until(() -> thread.getState() == Thread.State.WAITING);
        service.close();
        service.close();
        assertThat(end.get(60, TimeUnit.SECONDS)).isInstanceOf(ClosedWatchServiceException.class);
        assertThatThrownBy(service::poll).isInstanceOf(ClosedWatchServiceException.class);
        assertThatThrownBy(() -> root.register(service, ENTRY_CREATE)).isInstanceOf(ClosedWatchServiceException.class);
        assertThat(key.isValid()).isFalse();
    }

    @Test
    void onlyDirectoriesAreWatched() throws Exception {
        Path file = file("f", "1");
        try (WatchService service = watchService()) {
            assertThatThrownBy(() -> file.register(service, ENTRY_CREATE)).isInstanceOf(NotDirectoryException.class);
            assertThatThrownBy(() -> at("none").register(service, ENTRY_CREATE))
                    .isInstanceOf(NoSuchFileException.class);
            assertThatThrownBy(() -> root.register(service)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    // ---- attributes of new entries

    @Test
    void newEntriesHaveTheModeTheyAreCreatedWith() throws IOException {
        FileAttribute<Set<PosixFilePermission>> mode =
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
        Path file = Files.createFile(at("f"), mode);
        Path directory = Files.createDirectory(at("d"), mode);
        try (SeekableByteChannel channel = Files.newByteChannel(at("g"), Set.of(CREATE, WRITE), mode)) {
            assertThat(channel.size()).isZero();
        }
        assertThat(Files.createTempFile(root, "temporary", "", mode)).exists();
        for (Path path : List.of(file, directory, at("g"))) {
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path)))
                    .isEqualTo("rwx------");
        }
    }

    @Test
    void fileThatExistsKeepsItsMode() throws IOException {
        Path file = file("f", "1");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-rw----"));
        FileAttribute<Set<PosixFilePermission>> other =
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
        try (SeekableByteChannel channel = Files.newByteChannel(file, Set.of(CREATE, WRITE), other)) {
            assertThat(channel.size()).isEqualTo(1);
        }
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-rw----");
    }

    @Test
    void otherAttributesOfNewEntriesAreNotSupported() {
        FileAttribute<FileTime> time = new FileAttribute<>() {
            @Override
            public String name() {
                return "basic:lastModifiedTime";
            }

            @Override
            public FileTime value() {
                return FileTime.fromMillis(1);
            }
        };
        assertThatThrownBy(() -> Files.createFile(at("f"), time)).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> Files.createDirectory(at("d"), time))
                .isInstanceOf(UnsupportedOperationException.class);
        assertThat(at("f")).doesNotExist();
        assertThat(at("d")).doesNotExist();
    }
}
