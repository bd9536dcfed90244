package io.cloudmw.client.channel.lock;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.client.FileOperations;
import io.cloudmw.client.lock.LockOptions;
import io.cloudmw.client.lock.RemoteLock;
import io.cloudmw.client.rpc.Calls;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.FilePath;
import java.nio.channels.ClosedChannelException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** The locks of one channel. Safe for any thread. */
public final class ChannelLocks {
    private final FileOperations files;
    private final Duration term;
    private final ProcessLocks.Key key;

    @GuardedBy("this")
    private final Map<RemoteLock, LockedRange> held = new HashMap<>();

    @GuardedBy("this")
    private final List<CompletableFuture<?>> waiting = new ArrayList<>();

    @GuardedBy("this")
    private boolean closed;

    /**
     * Makes the locks of a channel.
     *
     * @param coordinators their addresses, which tell clusters apart
     * @param term how long a lock outlives its last renewal
     */
    public ChannelLocks(FileOperations files, String coordinators, FilePath file, Duration term) {
        this.files = files;
        this.key = new ProcessLocks.Key(coordinators, file);
        this.term = term;
    }

    /**
     * Gets a lock.
     *
     * @param waits whether to wait until no other lock is in the way
     * @return empty when another lock is in the way
     * @throws java.nio.channels.OverlappingFileLockException when this JVM has locked, or waits for, an overlapping range
     * @throws CloudMwException {@code CANCELLED} when the thread is interrupted or the channel closed meanwhile
     */
    public Optional<RemoteLock> lock(LockedRange range, boolean waits) throws CloudMwException, ClosedChannelException {
        ProcessLocks.add(key, range);
        boolean locked = false;
        try {
            LockOptions options = LockOptions.exclusive()
                    .withRange(range.bytes())
                    .withShared(range.shared())
                    .withTerm(term);
            CompletableFuture<Optional<RemoteLock>> asked =
                    waits ? waitFor(files.lock(key.file(), options)) : files.tryLock(key.file(), options);
            Optional<RemoteLock> lock = await(asked);
            locked = lock.isPresent() && isAdded(lock.get(), range);
            return lock;
        } finally {
            if (!locked) {
                ProcessLocks.remove(key, range);
            }
        }
    }

    /** The same future, whose cancellation ends the wait. */
    private static CompletableFuture<Optional<RemoteLock>> waitFor(CompletableFuture<RemoteLock> lock) {
        CompletableFuture<Optional<RemoteLock>> result = lock.thenApply(Optional::of);
        var unused = result.whenComplete((granted, failure) -> {
            if (failure != null && !lock.cancel(false) && !lock.isCompletedExceptionally()) {
                lock.join().close(); // granted to a thread that waits no more
            }
        });
        return result;
    }

    private Optional<RemoteLock> await(CompletableFuture<Optional<RemoteLock>> asked)
            throws CloudMwException, ClosedChannelException {
        synchronized (this) {
            if (closed) {
                giveUp(asked);
                throw new ClosedChannelException();
            }
            waiting.add(asked);
        }
        boolean answered = false;
        try {
            Optional<RemoteLock> lock = Calls.await(asked);
            answered = true;
            return lock;
        } finally {
            synchronized (this) {
                waiting.removeIf(each -> each == asked);
            }
            if (!answered) {
                giveUp(asked);
            }
        }
    }

    /** Ends a wait; a lock that was granted in this moment is released. */
    private static void giveUp(CompletableFuture<Optional<RemoteLock>> asked) {
        if (!asked.cancel(false)) {
            var unused = asked.thenAccept(granted -> granted.ifPresent(RemoteLock::close));
        }
    }

    private boolean isAdded(RemoteLock lock, LockedRange range) throws ClosedChannelException {
        synchronized (this) {
            if (!closed) {
                held.put(lock, range);
                return true;
            }
        }
        lock.close();
        throw new ClosedChannelException();
    }

    /** The locks that were not released. */
    public synchronized List<RemoteLock> held() {
        return new ArrayList<>(held.keySet());
    }

    /**
     * Checks that no lock was lost.
     *
     * @throws CloudMwException {@code LOCK_LOST}; the channel writes nothing from then on
     */
    public void requireHeld() throws CloudMwException {
        Optional<RemoteLock> lost = lostOne();
        if (lost.isPresent()) {
            throw lost(lost.get());
        }
    }

    private Optional<RemoteLock> lostOne() {
        return held().stream()
                .filter(lock -> !lock.isHeld() && !lock.isReleased())
                .findFirst();
    }

    /** Returns whether a lock was lost, so that the channel writes nothing any more. */
    public boolean isAnyLost() {
        return lostOne().isPresent();
    }

    private static CloudMwException lost(RemoteLock lock) {
        return new CloudMwException(
                ErrorCode.LOCK_LOST,
                lock.file() + ": the lock with fence " + lock.claim().fence() + " was not renewed within "
                        + lock.options().term()
                        + ", so another client may hold it (close the channel, and lock the file again)");
    }

    /** Releases a lock, and waits until that has taken effect. A lost lock stays with the channel, which may not write. */
    public void release(RemoteLock lock) throws CloudMwException {
        boolean lost = !lock.isHeld();
        LockedRange range = null;
        synchronized (this) {
            if (!lost) {
                range = held.remove(lock);
            }
        }
        if (range != null) {
            ProcessLocks.remove(key, range);
            Void unused = Calls.await(lock.release());
        }
    }

    /** Ends waits, and releases all locks without waiting. */
    public void close() {
        Map<RemoteLock, LockedRange> left;
        List<CompletableFuture<?>> waits;
        synchronized (this) {
            closed = true;
            left = new HashMap<>(held);
            held.clear();
            waits = new ArrayList<>(waiting);
        }
        waits.forEach(wait -> wait.cancel(false));
        left.forEach((lock, range) -> {
            ProcessLocks.remove(key, range);
            lock.close();
        });
    }

    /** Ends waits; locks stay until {@link #close}. */
    public void endWaits() {
        List<CompletableFuture<?>> waits;
        synchronized (this) {
            waits = new ArrayList<>(waiting);
        }
        waits.forEach(wait -> wait.cancel(false));
    }
}
