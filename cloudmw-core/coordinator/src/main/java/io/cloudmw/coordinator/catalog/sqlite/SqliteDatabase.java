package io.cloudmw.coordinator.catalog.sqlite;

import io.cloudmw.coordinator.catalog.change.CatalogErrors;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.Reasons;
import io.cloudmw.core.store.LockFile;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteException;

/**
 * The database file: one writing connection ({@link GroupCommitWriter}) and a few reading ones beside it. Writes are on
 * disk when the call returns (write-ahead log, synchronous FULL). Safe for any thread; calls wait up to a limit. A lock
 * file keeps a second process out, which would not know the helpers of the first.
 */
final class SqliteDatabase implements Closeable {
    static final int READERS = 4;
    static final long WAIT_SECONDS = 10;
    private static final Logger LOG = LoggerFactory.getLogger(SqliteDatabase.class);

    private final LockFile lockFile;
    private final Connection writing;
    private final GroupCommitWriter writer;
    private final BlockingQueue<Connection> readers = new ArrayBlockingQueue<>(READERS);
    private volatile boolean closed;

    /**
     * A piece of work with a connection. It has no other effect, since a writing work may run twice, the first time
     * rolled back.
     */
    @FunctionalInterface
    interface Work<T> {
        T run(Connection connection) throws SQLException, CloudMwException;
    }

    private SqliteDatabase(LockFile lockFile, Connection writing, List<Connection> readers) {
        this.lockFile = lockFile;
        this.writing = KeptStatements.over(writing);
        this.writer = GroupCommitWriter.start(this.writing, GroupCommitWriter.Limits.DEFAULT);
        readers.forEach(reader -> this.readers.add(KeptStatements.over(reader)));
    }

    /**
     * Opens the database, and creates or upgrades it where needed.
     *
     * @throws CloudMwException {@code ALREADY_EXISTS} when another process has it open; {@code VERSION_UNSUPPORTED}
     *     when a newer release wrote it; {@code LOCAL_IO} when it cannot be opened
     */
    static SqliteDatabase open(Path file) throws CloudMwException {
        LockFile lockFile = lock(file);
        List<Connection> opened = new ArrayList<>();
        try {
            DriverFiles.keepIn(Objects.requireNonNull(file.toAbsolutePath().getParent(), "a file's directory"));
            Connection writing = connect(file, false);
            opened.add(writing);
            SqliteSchema.upgrade(writing);
            for (int i = 0; i < READERS; i++) {
                opened.add(connect(file, true));
            }
            return new SqliteDatabase(lockFile, writing, opened.subList(1, opened.size()));
        } catch (SQLException e) {
            closeQuietly(opened, lockFile);
            throw new CloudMwException(
                    ErrorCode.LOCAL_IO, "catalog " + file + ": cannot be opened: " + e.getMessage(), e);
        } catch (CloudMwException e) {
            closeQuietly(opened, lockFile);
            throw e;
        } catch (IOException e) {
            closeQuietly(opened, lockFile);
            throw new CloudMwException(
                    ErrorCode.LOCAL_IO, "catalog " + file + ": its directory cannot be used: " + Reasons.of(e), e);
        }
    }

    private static LockFile lock(Path file) throws CloudMwException {
        try {
            Path directory = file.toAbsolutePath().getParent();
            if (directory != null) {
                Files.createDirectories(directory);
            }
            return LockFile.tryLock(file.resolveSibling(file.getFileName() + ".lock"))
                    .orElseThrow(() -> new CloudMwException(
                            ErrorCode.ALREADY_EXISTS, "catalog " + file + ": another process has it open"));
        } catch (CloudMwException e) {
            throw e;
        } catch (IOException e) {
            throw new CloudMwException(
                    ErrorCode.LOCAL_IO, "catalog " + file + ": cannot be locked: " + Reasons.of(e), e);
        }
    }

    static Connection connect(Path file, boolean readOnly) throws SQLException {
        SQLiteConfig config = new SQLiteConfig();
        config.setJournalMode(SQLiteConfig.JournalMode.WAL);
        config.setSynchronous(SQLiteConfig.SynchronousMode.FULL);
        config.setBusyTimeout((int) TimeUnit.SECONDS.toMillis(WAIT_SECONDS));
        config.setTransactionMode(
                readOnly ? SQLiteConfig.TransactionMode.DEFERRED : SQLiteConfig.TransactionMode.IMMEDIATE);
        config.setPragma(SQLiteConfig.Pragma.CACHE_SIZE, "-8192");
        Connection connection = config.createConnection("jdbc:sqlite:" + file.toAbsolutePath());
        if (readOnly) {
            try {
                Sql.update(connection, "PRAGMA query_only = 1");
            } catch (SQLException e) {
                connection.close();
                throw e;
            }
        }
        return connection;
    }

    /** Runs {@code work} in a transaction: all of it is durable when this returns, or none of it. */
    <T> T write(Work<T> work) throws CloudMwException {
        return writer.write(work);
    }

    /** Runs a reading {@code work} beside other readers and the writer; it sees the state of one moment. */
    <T> T read(Work<T> work) throws CloudMwException {
        checkOpen();
        Connection connection;
        try {
            connection = readers.poll(WAIT_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            throw interrupted();
        }
        if (connection == null) {
            throw overloaded("read");
        }
        try {
            checkOpen();
            return inSnapshot(connection, work);
        } catch (SQLException e) {
            throw translated(e);
        } finally {
            readers.add(connection);
        }
    }

    private static <T> T inSnapshot(Connection connection, Work<T> work) throws SQLException, CloudMwException {
        connection.setAutoCommit(false);
        try {
            return work.run(connection);
        } finally {
            connection.setAutoCommit(true);
        }
    }

    static CloudMwException overloaded(String what) {
        return new CloudMwException(ErrorCode.OVERLOADED, "catalog: waited " + WAIT_SECONDS + " s to " + what);
    }

    static CloudMwException interrupted() {
        Thread.currentThread().interrupt();
        return new CloudMwException(ErrorCode.CANCELLED, "catalog: interrupted while waiting");
    }

    static CloudMwException translated(SQLException e) {
        SQLiteErrorCode code =
                e instanceof SQLiteException sqlite ? sqlite.getResultCode() : SQLiteErrorCode.UNKNOWN_ERROR;
        return switch (code) {
            case SQLITE_FULL, SQLITE_IOERR_WRITE ->
                new CloudMwException(ErrorCode.STORE_FULL, "catalog: the disk is full: " + e.getMessage(), e);
            case SQLITE_BUSY, SQLITE_LOCKED ->
                new CloudMwException(ErrorCode.OVERLOADED, "catalog: the database is busy: " + e.getMessage(), e);
            default -> new CloudMwException(ErrorCode.INTERNAL, "catalog: " + e.getMessage(), e);
        };
    }

    private void checkOpen() throws CloudMwException {
        if (closed) {
            throw CatalogErrors.closed();
        }
    }

    /** Waits for running calls; an interrupt does not end the wait, since the rest would stay open. */
    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        writer.stop();
        List<Connection> connections = new ArrayList<>();
        connections.add(writing);
        boolean interrupted = false;
        while (connections.size() <= READERS) {
            try {
                connections.add(readers.take());
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        closeQuietly(connections, lockFile);
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private static void closeQuietly(List<Connection> connections, LockFile lockFile) {
        for (Connection connection : connections) {
            try {
                connection.close();
            } catch (SQLException e) {
                LOG.warn("Closing the catalog: {}", e.toString());
            }
        }
        try {
            lockFile.close();
        } catch (IOException e) {
            LOG.warn("Unlocking the catalog: {}", e.toString());
        }
    }
}
