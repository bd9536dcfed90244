package io.cloudmw.coordinator.catalog.dynamodb.transaction;

import io.cloudmw.coordinator.catalog.change.CatalogErrors;
import io.cloudmw.core.error.CloudMwException;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/** The running calls of a catalog, which its closing waits for. Safe for any thread. */
public final class RunningCalls {
    /** The lock that calls hold for reading; it blocks only against closing. */
    private final ReadWriteLock running = new ReentrantReadWriteLock();

    private volatile boolean closed;

    @FunctionalInterface
    public interface Call<T> {
        T run() throws CloudMwException;
    }

    @FunctionalInterface
    public interface Action {
        void run() throws CloudMwException;
    }

    public <T> T call(Call<T> call) throws CloudMwException {
        running.readLock().lock();
        try {
            if (closed) {
                throw CatalogErrors.closed();
            }
            return call.run();
        } finally {
            running.readLock().unlock();
        }
    }

    public void act(Action action) throws CloudMwException {
        var unused = call(() -> {
            action.run();
            return true;
        });
    }

    /** Refuses new calls, waits for the running ones, then runs {@code last}. Idempotent. */
    public void close(Runnable last) {
        running.writeLock().lock();
        try {
            if (!closed) {
                closed = true;
                last.run();
            }
        } finally {
            running.writeLock().unlock();
        }
    }
}
