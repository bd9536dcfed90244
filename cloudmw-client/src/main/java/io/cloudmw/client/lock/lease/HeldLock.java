package io.cloudmw.client.lock.lease;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.client.context.Failures;
import io.cloudmw.client.lock.LockOptions;
import io.cloudmw.client.lock.RemoteLock;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.lock.LockClaim;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A granted lock and its renewals. The term counts from when a request was sent, so it ends here first. */
final class HeldLock implements RemoteLock {
    private static final int RENEWALS_PER_TERM = 3;

    /** Renewals without an answer at a time. */
    private static final int MAX_RENEWALS = RENEWALS_PER_TERM;

    private final FileLocks locks;
    private final FilePath file;
    private final LockOptions options;
    private final LockClaim claim;
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private final AtomicInteger underWay = new AtomicInteger();
    private volatile boolean released;
    private volatile long untilNanos;

    @GuardedBy("this")
    private @Nullable ScheduledFuture<?> next;

    @GuardedBy("this")
    private @Nullable CompletableFuture<Void> release;

    /** @param sentNanos when the request was sent that got the lock */
    HeldLock(FileLocks locks, FilePath file, LockOptions options, LockClaim claim, long sentNanos) {
        this.locks = locks;
        this.file = file;
        this.options = options;
        this.claim = claim;
        this.untilNanos = sentNanos + options.term().toNanos();
    }

    /** Renews the lock from now on. */
    void start() {
        renewLater();
        checkLater();
    }

    private synchronized void renewLater() {
        if (!ended.isDone()) {
            next = locks.timer()
                    .schedule(this::renew, options.term().toNanos() / RENEWALS_PER_TERM, TimeUnit.NANOSECONDS);
        }
    }

    /** Sends a renewal. The next one waits for no answer: a coordinator may be silent longer than the lock lives. */
    private void renew() {
        renewLater();
        if (!isHeld() || underWay.get() == MAX_RENEWALS) {
            return;
        }
        underWay.incrementAndGet();
        long sentNanos = locks.ticker().nanos();
        var unused = locks.calls().renew(file, claim, options.term()).whenComplete((nothing, failure) -> {
            underWay.decrementAndGet();
            if (failure == null) {
                extend(sentNanos + options.term().toNanos());
            } else if (Failures.of(failure).code() == ErrorCode.LOCK_LOST) {
                lose(Failures.of(failure));
            }
        });
    }

    /** Answers may come in another order than their requests were sent. */
    private synchronized void extend(long nanos) {
        if (nanos - untilNanos > 0) {
            untilNanos = nanos;
        }
    }

    /** Looks at the end of the term whether the lock was renewed meanwhile. */
    private void checkLater() {
        if (ended.isDone()) {
            return;
        }
        long left = untilNanos - locks.ticker().nanos();
        if (left <= 0) {
            lose(new CloudMwException(
                    ErrorCode.LOCK_LOST,
                    file + ": the lock with fence " + claim.fence() + " could not be renewed for " + options.term()
                            + ", so another client may hold it (lock the file again, and read it anew)"));
            return;
        }
        var unused = locks.timer().schedule(this::checkLater, left, TimeUnit.NANOSECONDS);
    }

    private void lose(CloudMwException why) {
        if (ended.completeExceptionally(why)) {
            stop();
            var unused = locks.calls().release(file, claim.lockId());
        }
    }

    private synchronized void stop() {
        if (next != null) {
            next.cancel(false);
        }
        locks.ended(this);
    }

    @Override
    public FilePath file() {
        return file;
    }

    @Override
    public LockOptions options() {
        return options;
    }

    @Override
    public LockClaim claim() {
        return claim;
    }

    @Override
    public boolean isHeld() {
        return !ended.isDone() && untilNanos - locks.ticker().nanos() > 0;
    }

    @Override
    public boolean isReleased() {
        return released;
    }

    @Override
    public CompletableFuture<Void> ended() {
        return ended.copy();
    }

    @Override
    public CompletableFuture<Void> release() {
        CompletableFuture<Void> running;
        synchronized (this) {
            running = release;
            if (running == null) {
                released = true;
                running = locks.calls().release(file, claim.lockId());
                release = running;
            }
        }
        stop();
        boolean unused = ended.complete(null);
        return running.copy();
    }

    @Override
    public void close() {
        var unused = release();
    }
}
