package io.cloudmw.it.nio;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.cloudmw.client.CloudMw;
import io.cloudmw.client.PutOptions;
import io.cloudmw.client.channel.ChannelOptions;
import io.cloudmw.client.channel.FileChannels;
import io.cloudmw.client.lock.LockOptions;
import io.cloudmw.client.lock.RemoteLock;
import io.cloudmw.core.config.HostPort;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.Mode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.file.Attributes;
import io.cloudmw.core.model.volume.Chunking;
import io.cloudmw.core.model.volume.Volume;
import io.cloudmw.helper.standalone.StandaloneCluster;
import io.cloudmw.helper.standalone.StandaloneConfig;
import io.cloudmw.it.Java;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.FileLockInterruptionException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Locks of channels against other clients and processes of a cluster. */
@Timeout(180)
final class VolumeLocksIT {
    private static final Duration TERM = Duration.ofSeconds(6);

    @TempDir
    static Path directory;

    private static StandaloneCluster cluster;
    private static CloudMw client;
    private static CloudMw other;
    private static FileChannels channels;
    private static int made;

    @BeforeAll
    static void start() throws CloudMwException {
        cluster = StandaloneCluster.start(new StandaloneConfig(
                new HostPort("127.0.0.1", 0), directory.resolve("cluster"), directory.resolve("secret"), 1));
        client = CloudMw.connect(cluster.coordinator().toString());
        other = CloudMw.connect(cluster.coordinator().toString());
        channels = FileChannels.of(client, ChannelOptions.defaults());
        client.volumes()
                .create(new Volume(
                        new VolumeName("v"),
                        new Chunking.BySize(1 << 20),
                        1,
                        List.of(new StoreId("disk-1")),
                        1,
                        Mode.DEFAULT,
                        false,
                        0))
                .join();
    }

    @AfterAll
    static void stop() {
        channels.close();
        client.close();
        other.close();
        cluster.close();
    }

    private static FilePath file() {
        return FilePath.parse("v:/f" + made++);
    }

    private static FileChannel open(FilePath file) throws IOException {
        return channels.open(file, Set.of(READ, WRITE, CREATE));
    }

    private static RemoteLock lockElsewhere(FilePath file) {
        return other.files().lock(file, LockOptions.exclusive().withTerm(TERM)).join();
    }

    private static String content(FilePath file) throws IOException {
        try (InputStream bytes = channels.newInputStream(file)) {
            return new String(bytes.readAllBytes(), UTF_8);
        }
    }

    @Test
    void lockOfAnotherClientIsInTheWayUntilItIsReleased() throws Exception {
        FilePath file = file();
        RemoteLock elsewhere = lockElsewhere(file);
        try (FileChannel channel = open(file)) {
            assertThat(channel.tryLock()).isNull();
            assertThat(channel.tryLock(5, 1, true)).isNull();
            CompletableFuture<FileLock> waiting = new CompletableFuture<>();
            Thread thread = new Thread(() -> {
                try {
                    waiting.complete(channel.lock());
                } catch (IOException e) {
                    waiting.completeExceptionally(e);
                }
            });
            thread.start();
            await().until(() -> thread.getState() == Thread.State.WAITING);
            assertThat(waiting).isNotDone();
            elsewhere.release().join();
            FileLock lock = waiting.get(30, TimeUnit.SECONDS);
            assertThat(lock.isValid()).isTrue();
            assertThat(lock.acquiredBy()).isSameAs(channel);
            assertThat(other.files().tryLock(file, LockOptions.exclusive()).join())
                    .isEmpty();
            lock.release();
            assertThat(lock.isValid()).isFalse();
            Optional<RemoteLock> next =
                    other.files().tryLock(file, LockOptions.exclusive()).join();
            assertThat(next).isPresent();
            next.get().release().join();
        }
    }

    @Test
    void rangesAndSharedLocksOfClientsAreCompatible() throws Exception {
        FilePath file = file();
        LockOptions shared = LockOptions.exclusive().withShared(true);
        try (FileChannel channel = open(file);
                RemoteLock reader = other.files().lock(file, shared).join()) {
            assertThat(reader.isHeld()).isTrue();
            FileLock mine = channel.tryLock(0, 10, true);
            assertThat(mine).isNotNull();
            assertThat(channel.tryLock(20, 10, false)).isNull();
            reader.release().join();
            assertThat(channel.tryLock(20, 10, false)).isNotNull();
            ByteRange between = new ByteRange(10, 10);
            Optional<RemoteLock> inBetween = other.files()
                    .tryLock(file, LockOptions.exclusive().withRange(between))
                    .join();
            assertThat(inBetween).isPresent();
            inBetween.get().release().join();
        }
    }

    @Test
    void interruptedOrClosedWaitEndsAsTheJdksDo() throws Exception {
        FilePath file = file();
        try (RemoteLock elsewhere = lockElsewhere(file)) {
            assertThat(elsewhere.isHeld()).isTrue();
            for (boolean interrupts : List.of(true, false)) {
                FileChannel waiting = open(file);
                AtomicReference<Throwable> end = new AtomicReference<>();
                Thread thread = new Thread(() -> {
                    try {
                        end.set(new AssertionError(String.valueOf(waiting.lock())));
                    } catch (IOException e) {
                        end.set(e);
                    }
                });
                thread.start();
                await().until(() -> thread.getState() == Thread.State.WAITING);
                if (interrupts) {
                    thread.interrupt();
                } else {
                    waiting.close();
                }
                thread.join();
                assertThat(end.get())
                        .isInstanceOf(
                                interrupts ? FileLockInterruptionException.class : AsynchronousCloseException.class);
                assertThat(waiting.isOpen()).isFalse();
            }
        }
    }

    @Test
    void lockedChannelSeesWhatTheLastHolderWrote() throws Exception {
        FilePath file = file();
        try (FileChannel first = open(file);
                FileChannel second = open(file)) {
            FileLock lock = first.lock();
            first.write(ByteBuffer.wrap("one".getBytes(UTF_8)));
            lock.release();
            assertThat(content(file)).isEqualTo("one");
            FileLock next = second.lock();
            ByteBuffer read = ByteBuffer.allocate(3);
            assertThat(second.read(read)).isEqualTo(3);
            assertThat(read.array()).isEqualTo("one".getBytes(UTF_8));
            second.write(ByteBuffer.wrap("more".getBytes(UTF_8)));
            next.release();
            assertThat(content(file)).isEqualTo("onemore");
        }
    }

    @Test
    void pausedHolderCommitsNothingAfterAnotherTookOver() throws Exception {
        FilePath file = file();
        Java paused = Java.start(
                directory.resolve("paused.log"),
                List.of("-Xmx128m"),
                PausedWriter.class,
                List.of(cluster.coordinator().toString(), file.toString(), "" + TERM.toSeconds()));
        try {
            await().atMost(Duration.ofSeconds(60)).until(() -> paused.log().contains("locked"));
            assertThat(other.files().tryLock(file, LockOptions.exclusive()).join())
                    .isEmpty();
            signal(paused, "STOP");
            RemoteLock taken = lockElsewhere(file);
            other.files()
                    .put(
                            new ByteArrayInputStream("of the next".getBytes(UTF_8)),
                            file,
                            PutOptions.defaults().under(taken))
                    .join();
            signal(paused, "CONT");
            paused.process().getOutputStream().write('\n');
            paused.process().getOutputStream().flush();
            assertThat(paused.waitFor(60, TimeUnit.SECONDS)).isZero();
            assertThat(paused.log())
                    .contains("valid: false")
                    .contains("failed: ")
                    .contains("LOCK_LOST");
            assertThat(content(file)).isEqualTo("of the next");
            taken.release().join();
        } finally {
            paused.process().destroyForcibly();
        }
    }

    @Test
    void lockOfAKilledProcessEndsWithItsTerm() throws Exception {
        FilePath file = file();
        Java killed = Java.start(
                directory.resolve("killed.log"),
                List.of("-Xmx128m"),
                PausedWriter.class,
                List.of(cluster.coordinator().toString(), file.toString(), "" + TERM.toSeconds()));
        await().atMost(Duration.ofSeconds(60)).until(() -> killed.log().contains("locked"));
        killed.process().destroyForcibly().waitFor();
        assertThat(other.files().tryLock(file, LockOptions.exclusive()).join()).isEmpty();
        lockElsewhere(file).release().join();
        assertThatThrownBy(() -> other.files().stat(file).get())
                .isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(CloudMwException.class);
    }

    private static void signal(Java process, String name) throws Exception {
        assertThat(new ProcessBuilder(
                                "kill",
                                "-" + name,
                                String.valueOf(process.process().pid()))
                        .start()
                        .waitFor())
                .isZero();
    }

    @Test
    void putUnderALostLockIsRefusedByTheCoordinator() throws Exception {
        FilePath file = file();
        RemoteLock former = lockElsewhere(file);
        PutOptions under = PutOptions.defaults().under(former).withAttributes(Attributes.of(Map.of("kind", "first")));
        other.files()
                .put(new ByteArrayInputStream("1".getBytes(UTF_8)), file, under)
                .join();
        assertThat(client.files().entry(file).join().attributes()).isEqualTo(Attributes.of(Map.of("kind", "first")));
        RemoteLock gone = new GoneLock(former);
        former.release().join();
        assertThatThrownBy(() -> other.files()
                        .put(
                                new ByteArrayInputStream("2".getBytes(UTF_8)),
                                file,
                                PutOptions.defaults().under(gone))
                        .join())
                .isInstanceOf(CompletionException.class)
                .cause()
                .isInstanceOfSatisfying(
                        CloudMwException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.LOCK_LOST));
        assertThat(content(file)).isEqualTo("1");
    }

    /** A lock that does not know that it is gone. */
    private record GoneLock(RemoteLock lock) implements RemoteLock {
        @Override
        public FilePath file() {
            return lock.file();
        }

        @Override
        public LockOptions options() {
            return lock.options();
        }

        @Override
        public io.cloudmw.core.model.lock.LockClaim claim() {
            return lock.claim();
        }

        @Override
        public boolean isHeld() {
            return true;
        }

        @Override
        public boolean isReleased() {
            return false;
        }

        @Override
        public CompletableFuture<Void> ended() {
            return new CompletableFuture<>();
        }

        @Override
        public CompletableFuture<Void> release() {
            return lock.release();
        }

        @Override
        public void close() {
            lock.close();
        }
    }
}
