package io.cloudmw.client.lock;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.cloudmw.client.FakeCluster;
import io.cloudmw.client.PutOptions;
import io.cloudmw.client.channel.ChannelOptions;
import io.cloudmw.client.channel.FileChannels;
import io.cloudmw.client.rpc.FakeHelper;
import io.cloudmw.client.rpc.FakeLocks;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.lock.LockClaim;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
final class RemoteLockTest {
    private static final FilePath FILE = FilePath.parse("vol:/f");

    /** For locks that are to end, since a busy machine may stop a test for as long. */
    private static final LockOptions SHORT = LockOptions.exclusive().withTerm(Duration.ofSeconds(1));

    /** For locks that must live, though their renewals are waited for. */
    private static final LockOptions RENEWED = LockOptions.exclusive().withTerm(Duration.ofSeconds(6));

    @TempDir
    private Path directory;

    private FakeCluster cluster;
    private FakeLocks locks;
    private FileChannels channels;

    @BeforeEach
    void start() throws Exception {
        cluster = new FakeCluster(256 << 10, 16 << 10, FakeHelper.Script.SERVE, directory.resolve("nowhere"), 8L << 20);
        locks = cluster.coordinator().locks();
        channels = FileChannels.of(
                cluster.client(), ChannelOptions.defaults().withMemory(8L << 20).withLockTerm(RENEWED.term()));
        cluster.put(FILE, 1000, 1);
    }

    @AfterEach
    void stop() {
        channels.close();
        cluster.close();
    }

    private RemoteLock lock(LockOptions options) throws Exception {
        return cluster.client().files().lock(FILE, options).get(30, SECONDS);
    }

    private static void lost(ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        CloudMwException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.LOCK_LOST));
    }

    @Test
    void heldLockIsRenewedUntilItIsReleased() throws Exception {
        RemoteLock lock = lock(RENEWED);
        await().until(() -> locks.renewals() >= 4);
        assertThat(lock.isHeld()).isTrue();
        assertThat(locks.held()).containsEntry(FILE, lock.claim());
        lock.release().get(30, SECONDS);
        assertThat(lock.isHeld()).isFalse();
        assertThat(lock.isReleased()).isTrue();
        assertThat(lock.ended()).isCompleted();
        assertThat(locks.held()).isEmpty();
    }

    @Test
    void lockWhoseRenewalsAreNotAnsweredIsLostAfterItsTerm() throws Exception {
        locks.leaveRenewalsUnanswered(Integer.MAX_VALUE);
        RemoteLock lock = lock(SHORT);
        assertThat(lock.ended())
                .failsWithin(60, SECONDS)
                .withThrowableThat()
                .havingCause()
                .isInstanceOfSatisfying(
                        CloudMwException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.LOCK_LOST))
                .withMessageContaining("fence 1")
                .withMessageContaining("PT1S");
        assertThat(lock.isHeld()).isFalse();
        await().until(() -> locks.held().isEmpty());
    }

    @Test
    void renewalThatIsNotAnsweredDoesNotHoldUpTheNext() throws Exception {
        locks.leaveRenewalsUnanswered(1);
        RemoteLock lock = lock(RENEWED);
        await().until(() -> locks.renewals() >= 4);
        assertThat(lock.isHeld()).isTrue();
        assertThat(lock.ended()).isNotDone();
    }

    @Test
    void lockThatAnotherTookIsLostAtTheNextRenewal() throws Exception {
        RemoteLock lock = lock(RENEWED);
        locks.held().put(FILE, new LockClaim(UUID.randomUUID(), 2));
        assertThat(lock.ended()).failsWithin(60, SECONDS);
        assertThat(lock.isHeld()).isFalse();
        assertThat(locks.held()).hasSize(1);
    }

    @Test
    void channelWithALostLockWritesNothing() throws Exception {
        FileChannel channel = channels.open(FILE, Set.of(READ, WRITE));
        FileLock lock = channel.lock();
        int written = channel.write(ByteBuffer.wrap("lost".getBytes(UTF_8)), 0);
        assertThat(written).isEqualTo(4);
        locks.held().put(FILE, new LockClaim(UUID.randomUUID(), 2));
        await().until(() -> !lock.isValid());
        lost(() -> channel.write(ByteBuffer.wrap(new byte[1])));
        lost(() -> channel.truncate(0));
        lost(() -> channel.force(true));
        lock.release();
        lost(channel::close);
        assertThat(channel.isOpen()).isFalse();
        assertThat(cluster.client().files().stat(FILE).join().version().sizeBytes())
                .isEqualTo(1000);
    }

    @Test
    void commitNamesTheLocksThatAreHeld() throws Exception {
        RemoteLock lock = lock(LockOptions.exclusive());
        PutOptions under = PutOptions.defaults().under(lock);
        put(under);
        locks.held().put(FILE, new LockClaim(UUID.randomUUID(), 2));
        assertThatThrownBy(() -> put(under))
                .cause()
                .isInstanceOfSatisfying(
                        CloudMwException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.LOCK_LOST));
        lock.release().get(30, SECONDS);
        put(under);
    }

    private void put(PutOptions options) throws Exception {
        var unused = cluster.client()
                .files()
                .put(new ByteArrayInputStream(new byte[] {1}), FILE, options)
                .get(30, SECONDS);
    }

    @Test
    void largeNewFileIsCommittedAfterItsLockWasReleased() throws Exception {
        FilePath file = FilePath.parse("vol:/new");
        FileChannel channel = channels.open(file, Set.of(WRITE, CREATE));
        FileLock lock = channel.lock();
        ByteBuffer bytes = ByteBuffer.allocate(1 << 20);
        for (int i = 0; i < 10; i++) {
            channel.write(bytes.clear());
        }
        lock.release();
        channel.close();
        assertThat(cluster.client().files().stat(file).join().version().sizeBytes())
                .isEqualTo(10 << 20);
    }

    @Test
    void cancelledWaitHoldsNoLock() throws Exception {
        RemoteLock first = lock(RENEWED);
        CompletableFuture<RemoteLock> waiting = cluster.client().files().lock(FILE, RENEWED);
        waiting.cancel(true);
        first.release().get(30, SECONDS);
        RemoteLock next = lock(RENEWED);
        assertThat(next.claim()).isNotEqualTo(first.claim());
        next.close();
        await().until(() -> locks.held().isEmpty());
    }

    @Test
    void closedClientReleasesItsLocks() throws Exception {
        RemoteLock lock = lock(LockOptions.exclusive());
        cluster.client().close();
        assertThat(lock.isHeld()).isFalse();
        assertThat(locks.held()).isEmpty();
        assertThat(cluster.client().files().tryLock(FILE, SHORT)).failsWithin(30, SECONDS);
    }

    @Test
    void closedClientEndsWaits() throws Exception {
        RemoteLock first = lock(LockOptions.exclusive());
        CompletableFuture<RemoteLock> waiting = cluster.client().files().lock(FILE, LockOptions.exclusive());
        assertThat(first.isHeld()).isTrue();
        cluster.client().close();
        assertThat(waiting)
                .failsWithin(30, SECONDS)
                .withThrowableThat()
                .havingCause()
                .withMessageContaining("client was closed");
    }

    @Test
    void clientHasALimitedNumberOfLocks() throws Exception {
        LockOptions options = LockOptions.exclusive().withTerm(Duration.ofMinutes(5));
        for (int i = 0; i < RemoteLock.MAX_OPEN; i++) {
            FilePath file = FilePath.parse("vol:/many" + i);
            assertThat(cluster.client().files().tryLock(file, options).get(30, SECONDS))
                    .isPresent();
        }
        assertThat(cluster.client().files().tryLock(FILE, options))
                .failsWithin(30, SECONDS)
                .withThrowableThat()
                .havingCause()
                .withMessageContaining("1024");
    }

    @Test
    void lockStaysWhenWhatWasWrittenUnderItCannotBeStored() throws IOException {
        cluster.coordinator().refuse("CommitPut", ErrorCode.INVALID_ARGUMENT, 1);
        try (FileChannel channel = channels.open(FILE, Set.of(READ, WRITE))) {
            FileLock lock = channel.lock();
            int written = channel.write(ByteBuffer.wrap("kept".getBytes(UTF_8)), 1000);
            assertThat(written).isEqualTo(4);
            assertThatThrownBy(lock::release).isInstanceOf(IOException.class);
            assertThat(lock.isValid()).isTrue();
            assertThat(locks.held()).hasSize(1);
            lock.release();
            assertThat(lock.isValid()).isFalse();
            assertThat(locks.held()).isEmpty();
        }
        assertThat(cluster.client().files().stat(FILE).join().version().sizeBytes())
                .isEqualTo(1004);
    }

    @Test
    void channelThatIsClosedReleasesItsLocks() throws IOException {
        FileChannel channel = channels.open(FILE, Set.of(READ));
        FileLock lock = channel.tryLock(0, 1, true);
        assertThat(lock).isNotNull();
        assertThat(locks.held()).hasSize(1);
        channel.close();
        await().until(() -> locks.held().isEmpty());
    }
}
