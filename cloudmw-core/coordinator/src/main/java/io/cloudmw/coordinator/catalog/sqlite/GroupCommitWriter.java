package io.cloudmw.coordinator.catalog.sqlite;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.coordinator.catalog.change.CatalogErrors;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.thread.Threads;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The writing connection and its only thread, which commits waiting calls in groups. All works that wait when a commit
 * is synced run in the next transaction, in order, so that they share one sync. Each work has a savepoint, so a failed
 * work is rolled back alone. If the whole transaction fails, each work is retried in a transaction of its own, so that
 * a large work does not make small ones fail. Callers are answered after the commit is on disk. Safe for any thread.
 */
final class GroupCommitWriter {
    /**
     * The limits of waiting works.
     *
     * @param waiting the most works that may wait; the threads of a bounded pool never reach it
     * @param group the most works in one transaction; the first of them waits for all
     * @param waitNanos how long a work may wait before it starts
     */
    record Limits(int waiting, int group, long waitNanos) {
        static final Limits DEFAULT = new Limits(1024, 64, TimeUnit.SECONDS.toNanos(SqliteDatabase.WAIT_SECONDS));

        Limits {
            if (waiting < 1 || group < 1 || waitNanos < 1) {
                throw new IllegalArgumentException("waiting, group, waitNanos: expected: >= 1");
            }
        }
    }

    private static final Logger LOG = LoggerFactory.getLogger(GroupCommitWriter.class);

    private final Connection connection;
    private final Limits limits;
    private final Thread thread;
    private final Object lock = new Object();

    @GuardedBy("lock")
    private final Deque<Entry<?>> waiting = new ArrayDeque<>();

    @GuardedBy("lock")
    private boolean closed;

    private GroupCommitWriter(Connection connection, Limits limits) {
        this.connection = connection;
        this.limits = limits;
        this.thread = Threads.factory("catalog-writer").newThread(this::run);
    }

    /**
     * Starts the thread.
     *
     * @param connection the caller's to close, after {@link #stop}
     */
    static GroupCommitWriter start(Connection connection, Limits limits) {
        GroupCommitWriter writer = new GroupCommitWriter(connection, limits);
        writer.thread.start();
        return writer;
    }

    /** A work and its result. */
    private static final class Entry<T> {
        final CompletableFuture<T> answer = new CompletableFuture<>();
        private final SqliteDatabase.Work<T> work;
        private @Nullable T result;
        private @Nullable Throwable failure;

        Entry(SqliteDatabase.Work<T> work) {
            this.work = work;
        }

        /** Runs the work or rolls it back; throws when it cannot be rolled back alone. */
        void perform(Connection connection) throws SQLException {
            result = null;
            failure = null;
            Savepoint before = connection.setSavepoint();
            try {
                result = work.run(connection);
            } catch (CloudMwException | SQLException | RuntimeException | Error e) {
                failure = e;
                connection.rollback(before);
            }
            connection.releaseSavepoint(before);
        }

        /** Completes the work: the transaction is on disk. */
        void committed() {
            if (failure == null) {
                answer.complete(result);
            } else {
                answer.completeExceptionally(failure);
            }
        }

        /** Fails the work: the transaction failed. The work's own failure is reported if it had one. */
        void lost(Throwable cause) {
            answer.completeExceptionally(failure == null ? cause : failure);
        }
    }

    /**
     * Runs {@code work}: all of it is on disk when this returns, or none of it.
     *
     * @throws CloudMwException the exceptions of the work; {@code OVERLOADED} when too many works wait, or this one is
     *     not started in time; {@code CANCELLED} when interrupted before its start, or closed
     */
    <T> T write(SqliteDatabase.Work<T> work) throws CloudMwException {
        Entry<T> entry = new Entry<>(work);
        enter(entry);
        try {
            return entry.answer.get(limits.waitNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            if (withdraw(entry)) {
                throw SqliteDatabase.overloaded("write");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            if (withdraw(entry)) {
                throw SqliteDatabase.interrupted();
            }
        } catch (ExecutionException e) {
            throw failure(e.getCause());
        }
        return awaitTurn(entry);
    }

    /** The work is running; its result is known only at its end. */
    private static <T> T awaitTurn(Entry<T> entry) throws CloudMwException {
        try {
            return entry.answer.join();
        } catch (CompletionException e) {
            throw failure(e.getCause());
        }
    }

    private static CloudMwException failure(@Nullable Throwable cause) {
        if (cause instanceof CloudMwException known) {
            return known;
        }
        if (cause instanceof SQLException sql) {
            return SqliteDatabase.translated(sql);
        }
        if (cause instanceof Error error) {
            throw error;
        }
        throw cause instanceof RuntimeException defect ? defect : new IllegalStateException(cause);
    }

    private void enter(Entry<?> entry) throws CloudMwException {
        synchronized (lock) {
            if (closed) {
                throw CatalogErrors.closed();
            }
            if (waiting.size() >= limits.waiting()) {
                throw new CloudMwException(
                        ErrorCode.OVERLOADED, "catalog: " + limits.waiting() + " calls wait to write; retry later");
            }
            waiting.add(entry);
            lock.notifyAll();
        }
    }

    /** Removes a waiting work; returns false if it was started. */
    private boolean withdraw(Entry<?> entry) {
        synchronized (lock) {
            return waiting.remove(entry);
        }
    }

    /** Returns how many works wait. */
    int waiting() {
        synchronized (lock) {
            return waiting.size();
        }
    }

    /** Accepts no more works and waits for those that are queued; an interrupt does not end the wait. */
    void stop() {
        synchronized (lock) {
            closed = true;
            lock.notifyAll();
        }
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    // ---- the writer's thread

    private void run() {
        List<Entry<?>> group = new ArrayList<>(limits.group());
        while (next(group)) {
            try {
                commit(group);
            } catch (RuntimeException | Error e) {
                LOG.error("catalog: the writer thread failed by a defect", e);
                group.forEach(entry -> entry.lost(e));
            }
            group.clear();
        }
    }

    /** Waits for works; returns false when closed and none is left. */
    private boolean next(List<Entry<?>> group) {
        synchronized (lock) {
            while (waiting.isEmpty() && !closed) {
                try {
                    lock.wait();
                } catch (InterruptedException e) {
                    LOG.debug("the catalog's writer thread was interrupted, although no caller has it", e);
                }
            }
            while (!waiting.isEmpty() && group.size() < limits.group()) {
                group.add(waiting.remove());
            }
        }
        return !group.isEmpty();
    }

    private void commit(List<Entry<?>> group) {
        Throwable lost = transact(group);
        if (lost == null) {
            group.forEach(Entry::committed);
        } else if (group.size() == 1) {
            group.get(0).lost(lost);
        } else {
            LOG.debug(
                    "a transaction of {} calls failed; each call is retried in its own transaction",
                    group.size(),
                    lost);
            group.forEach(entry -> commit(List.of(entry)));
        }
    }

    /** Runs a group in one transaction. Returns null when all is on disk, otherwise why nothing is. */
    private @Nullable Throwable transact(List<Entry<?>> group) {
        try {
            connection.setAutoCommit(false); // begins the transaction
            for (Entry<?> entry : group) {
                entry.perform(connection);
            }
            connection.setAutoCommit(true); // commits it with one sync
            return null;
        } catch (SQLException | RuntimeException | Error e) {
            undo();
            return e;
        }
    }

    /**
     * Rolls back. SQLite has rolled back by itself after a full disk or a worse error; then nothing is left to undo.
     */
    private void undo() {
        try {
            Sql.update(connection, "ROLLBACK");
        } catch (SQLException e) {
            LOG.debug("nothing to undo: {}", e.getMessage());
        }
        try {
            connection.setAutoCommit(true);
        } catch (SQLException e) {
            LOG.debug("nothing to commit: {}", e.getMessage());
        }
    }
}
