package io.cloudmw.coordinator.catalog.sqlite;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.coordinator.catalog.CatalogErrors;
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
 * The connection that writes, and the thread that is the only one to use it. Whatever waits when it has synced a commit is
 * done in one transaction, in the order it came, so that calls that come together wait for one sync and not for one each.
 * Every work has a savepoint: what fails is undone alone. When the transaction itself fails, each of its works is done again
 * in one of its own, so that what needed little room is not refused for what needed much. Nobody is answered before the
 * commit is on the disk. Safe for any thread.
 */
final class Writer {
    /**
     * How much of it there may be.
     *
     * @param waiting works that may wait; callers that are threads of a bounded pool never get there
     * @param group works of one transaction: the first of them waits for all
     * @param waitNanos how long a work waits for its turn
     */
    record Limits(int waiting, int group, long waitNanos) {
        static final Limits DEFAULT = new Limits(1024, 64, TimeUnit.SECONDS.toNanos(Database.WAIT_SECONDS));

        Limits {
            if (waiting < 1 || group < 1 || waitNanos < 1) {
                throw new IllegalArgumentException("waiting, group, waitNanos: expected: >= 1");
            }
        }
    }

    private static final Logger LOG = LoggerFactory.getLogger(Writer.class);

    private final Connection connection;
    private final Limits limits;
    private final Thread thread;
    private final Object lock = new Object();

    @GuardedBy("lock")
    private final Deque<Entry<?>> waiting = new ArrayDeque<>();

    @GuardedBy("lock")
    private boolean closed;

    private Writer(Connection connection, Limits limits) {
        this.connection = connection;
        this.limits = limits;
        this.thread = Threads.factory("catalog-writer").newThread(this::run);
    }

    /**
     * Starts the thread.
     *
     * @param connection the caller's to close, after {@link #stop}
     */
    static Writer start(Connection connection, Limits limits) {
        Writer writer = new Writer(connection, limits);
        writer.thread.start();
        return writer;
    }

    /** A work, and what came of it. */
    private static final class Entry<T> {
        final CompletableFuture<T> answer = new CompletableFuture<>();
        private final Database.Work<T> work;
        private @Nullable T result;
        private @Nullable Throwable failure;

        Entry(Database.Work<T> work) {
            this.work = work;
        }

        /** Does the work, or leaves nothing of it; throws when it cannot be undone alone. */
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

        /** The transaction is on the disk. */
        void committed() {
            if (failure == null) {
                answer.complete(result);
            } else {
                answer.completeExceptionally(failure);
            }
        }

        /** The transaction failed, for what this work met if it met something. */
        void lost(Throwable cause) {
            answer.completeExceptionally(failure == null ? cause : failure);
        }
    }

    /**
     * Runs {@code work}: all of it is on the disk when this returns, or nothing of it.
     *
     * @throws CloudMwException as the work does; {@code OVERLOADED} when too many wait, or its turn does not come in time;
     *     {@code CANCELLED} when interrupted before its turn, or closed
     */
    <T> T write(Database.Work<T> work) throws CloudMwException {
        Entry<T> entry = new Entry<>(work);
        enter(entry);
        try {
            return entry.answer.get(limits.waitNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            if (withdraw(entry)) {
                throw Database.overloaded("write");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            if (withdraw(entry)) {
                throw Database.interrupted();
            }
        } catch (ExecutionException e) {
            throw failure(e.getCause());
        }
        return awaitTurn(entry);
    }

    /** It is being done: only then is it known what became of it. */
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
            return Database.translated(sql);
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
                        ErrorCode.OVERLOADED, "catalog: " + limits.waiting() + " calls wait for their turn to write");
            }
            waiting.add(entry);
            lock.notifyAll();
        }
    }

    /** False when its turn has come. */
    private boolean withdraw(Entry<?> entry) {
        synchronized (lock) {
            return waiting.remove(entry);
        }
    }

    /** Works that wait for their turn. */
    int waiting() {
        synchronized (lock) {
            return waiting.size();
        }
    }

    /** Takes no more works and returns when those that wait are done; an interrupt does not stop that. */
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
                LOG.error("the catalog's writer failed by a defect", e);
                group.forEach(entry -> entry.lost(e));
            }
            group.clear();
        }
    }

    /** Waits until there is something to do; false: closed, and nothing is left. */
    private boolean next(List<Entry<?>> group) {
        synchronized (lock) {
            while (waiting.isEmpty() && !closed) {
                try {
                    lock.wait();
                } catch (InterruptedException e) {
                    LOG.debug("nobody interrupts the catalog's writer", e);
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
            LOG.debug("a transaction of {} calls failed, each is done again in one of its own", group.size(), lost);
            group.forEach(entry -> commit(List.of(entry)));
        }
    }

    /** Null when all is on the disk; otherwise why nothing of it is. */
    private @Nullable Throwable transact(List<Entry<?>> group) {
        try {
            connection.setAutoCommit(false); // begins
            for (Entry<?> entry : group) {
                entry.perform(connection);
            }
            connection.setAutoCommit(true); // commits, once
            return null;
        } catch (SQLException | RuntimeException | Error e) {
            undo();
            return e;
        }
    }

    /** SQLite has undone by itself what met a full disk or worse: then there is nothing left to undo. */
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
