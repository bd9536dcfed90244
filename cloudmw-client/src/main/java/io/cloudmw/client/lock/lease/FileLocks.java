package io.cloudmw.client.lock.lease;

import io.cloudmw.client.context.Failures;
import io.cloudmw.client.lock.LockOptions;
import io.cloudmw.client.lock.RemoteLock;
import io.cloudmw.client.rpc.coordinator.LockCalls;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.lock.LockRequest;
import io.cloudmw.core.time.Ticker;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** The locks of one client. Safe for any thread. */
public final class FileLocks implements AutoCloseable {
    private static final long FIRST_PAUSE_MILLIS = 50;
    private static final long LONGEST_PAUSE_MILLIS = 1000;
    private static final long RELEASE_SECONDS = 2;

    private final LockCalls calls;
    private final ScheduledExecutorService timer;
    private final Ticker ticker;
    private final String holder;
    private final Set<HeldLock> held = ConcurrentHashMap.newKeySet();

    /** The requests that wait until they are granted; applications bound their number. */
    private final Set<Waiting> waiting = ConcurrentHashMap.newKeySet();

    private final Semaphore permits = new Semaphore(RemoteLock.MAX_OPEN);
    private volatile boolean closed;

    /**
     * Makes the locks of a client.
     *
     * @param timer sends renewals, without blocking
     * @param holder this client's name in the messages of others
     */
    public FileLocks(LockCalls calls, ScheduledExecutorService timer, Ticker ticker, String holder) {
        this.calls = calls;
        this.timer = timer;
        this.ticker = ticker;
        this.holder = holder.length() <= LockRequest.MAX_HOLDER ? holder : holder.substring(0, LockRequest.MAX_HOLDER);
    }

    LockCalls calls() {
        return calls;
    }

    ScheduledExecutorService timer() {
        return timer;
    }

    Ticker ticker() {
        return ticker;
    }

    /** A request that waits until no other lock is in its way. */
    private record Waiting(CompletableFuture<RemoteLock> result) {}

    void ended(HeldLock lock) {
        if (held.remove(lock)) {
            permits.release();
        }
    }

    /** Requests a lock; empty when another lock is in the way. */
    public CompletableFuture<Optional<RemoteLock>> tryLock(FilePath file, LockOptions options) {
        CompletableFuture<Optional<RemoteLock>> result = new CompletableFuture<>();
        ask(file, options, UUID.randomUUID(), result);
        return result;
    }

    /** Requests a lock until it is granted. Cancelling the future ends that. Waiting clients have no order. */
    public CompletableFuture<RemoteLock> lock(FilePath file, LockOptions options) {
        CompletableFuture<RemoteLock> result = new CompletableFuture<>();
        Waiting entry = new Waiting(result);
        waiting.add(entry);
        var unused = result.whenComplete((lock, failure) -> waiting.remove(entry));
        attempt(file, options, FIRST_PAUSE_MILLIS, result);
        return result;
    }

    private void attempt(FilePath file, LockOptions options, long pauseMillis, CompletableFuture<RemoteLock> result) {
        if (result.isDone()) {
            return;
        }
        CompletableFuture<Optional<RemoteLock>> asked = tryLock(file, options);
        var unused = asked.whenComplete((lock, failure) -> {
            if (failure != null) {
                result.completeExceptionally(Failures.of(failure));
            } else if (lock.isPresent()) {
                if (!result.complete(lock.get())) {
                    lock.get().close();
                }
            } else {
                long pause = ThreadLocalRandom.current().nextLong(pauseMillis / 2, pauseMillis + 1);
                later(() -> attempt(file, options, Math.min(2 * pauseMillis, LONGEST_PAUSE_MILLIS), result), pause);
            }
        });
    }

    private void later(Runnable task, long pauseMillis) {
        if (!closed) {
            var unused = timer.schedule(task, pauseMillis, TimeUnit.MILLISECONDS);
        }
    }

    private void takeBack(FilePath file, UUID lockId) {
        var unused = calls.release(file, lockId);
    }

    private void ask(FilePath file, LockOptions options, UUID id, CompletableFuture<Optional<RemoteLock>> result) {
        if (closed) {
            result.completeExceptionally(Failures.clientClosed());
            return;
        }
        if (!permits.tryAcquire()) {
            result.completeExceptionally(new CloudMwException(
                    ErrorCode.OVERLOADED,
                    "locks: this client holds " + RemoteLock.MAX_OPEN + " (release some of them first)"));
            return;
        }
        long sentNanos = ticker.nanos();
        var unused = calls.acquire(new LockRequest(id, holder, file, options.range(), options.shared(), options.term()))
                .whenComplete((answer, failure) -> {
                    if (failure != null) {
                        // The lock may have been granted all the same.
                        permits.release();
                        takeBack(file, id);
                        result.completeExceptionally(Failures.of(failure));
                    } else if (answer.claim().isEmpty()) {
                        permits.release();
                        result.complete(Optional.empty());
                    } else {
                        HeldLock lock =
                                new HeldLock(this, file, options, answer.claim().get(), sentNanos);
                        held.add(lock);
                        lock.start();
                        if (closed || !result.complete(Optional.of(lock))) {
                            lock.close();
                            result.completeExceptionally(Failures.clientClosed());
                        }
                    }
                });
    }

    /** Fails what waits; releases all locks, and waits for that for a short time. Idempotent. */
    @Override
    public void close() {
        closed = true;
        waiting.forEach(entry -> entry.result().completeExceptionally(Failures.clientClosed()));
        List<CompletableFuture<Void>> releases =
                held.stream().map(HeldLock::release).toList();
        try {
            var unused = CompletableFuture.allOf(releases.toArray(CompletableFuture[]::new))
                    .handle((nothing, failure) -> true)
                    .get(RELEASE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            // The locks end with their terms.
        }
    }
}
