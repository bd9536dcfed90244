package io.cloudmw.client.context;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The calls about transfers that have ended. No transfer waits for them; the client does when it closes, for
 * {@value #MOST_WAITED_MILLIS} ms at most. Safe for any thread.
 */
public final class LastCalls {
    private static final long MOST_WAITED_MILLIS = 500;

    private final Map<Long, CompletableFuture<?>> calls = new ConcurrentHashMap<>();
    private final AtomicLong added = new AtomicLong();

    /** Adds a call that is on its way. */
    public void add(CompletableFuture<?> call) {
        long key = added.incrementAndGet();
        calls.put(key, call);
        var unused = call.whenComplete((done, failure) -> calls.remove(key));
    }

    /** Waits for the calls that are on their way. */
    void await() {
        CompletableFuture<?> all = CompletableFuture.allOf(calls.values().toArray(CompletableFuture[]::new));
        try {
            Object unused = all.get(MOST_WAITED_MILLIS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            // The calls report their failures to those who made them.
        }
    }
}
