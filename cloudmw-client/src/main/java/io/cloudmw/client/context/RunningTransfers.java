package io.cloudmw.client.context;

import io.cloudmw.client.rpc.CancellableFuture;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** The transfers of one client that are under way. Safe for any thread. */
public final class RunningTransfers implements AutoCloseable {
    private static final long CLOSE_SECONDS = 5;

    private final Set<Transfer> running = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    /** Starts a transfer; once this is closed, cancels it instead. */
    public <T> CancellableFuture<T> start(ConfinedTransfer<T> transfer) {
        running.add(transfer);
        transfer.beforeSettled(() -> running.remove(transfer));
        if (closed) {
            transfer.cancel();
        } else {
            transfer.start();
        }
        return transfer.result();
    }

    /** The number of transfers under way. */
    public int count() {
        return running.size();
    }

    /** Cancels all transfers and waits, a few seconds at most, until they have cleaned up. Idempotent. */
    @Override
    public void close() {
        closed = true;
        running.forEach(Transfer::cancel);
        try {
            CompletableFuture.allOf(running.stream().map(Transfer::settled).toArray(CompletableFuture[]::new))
                    .get(CLOSE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            // A destination may block forever; its thread is a daemon.
        }
    }
}
