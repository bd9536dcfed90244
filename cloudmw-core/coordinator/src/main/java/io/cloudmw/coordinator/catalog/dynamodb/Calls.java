package io.cloudmw.coordinator.catalog.dynamodb;

import io.cloudmw.coordinator.catalog.CatalogErrors;
import io.cloudmw.core.error.CloudMwException;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/** Calls that run, which closing waits for. Safe for any thread. */
final class Calls {
    /** Held for reading by calls that run: keeps nobody waiting but who closes. */
    private final ReadWriteLock running = new ReentrantReadWriteLock();

    private volatile boolean closed;

    @FunctionalInterface
    interface Call<T> {
        T run() throws CloudMwException;
    }

    @FunctionalInterface
    interface Action {
        void run() throws CloudMwException;
    }

    <T> T call(Call<T> call) throws CloudMwException {
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

    void act(Action action) throws CloudMwException {
        var unused = call(() -> {
            action.run();
            return true;
        });
    }

    /** Lets no call begin any more, and does this after the last that runs. Idempotent. */
    void close(Runnable last) {
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
