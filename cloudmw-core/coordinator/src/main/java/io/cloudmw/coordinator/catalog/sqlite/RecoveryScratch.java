package io.cloudmw.coordinator.catalog.sqlite;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.Reasons;
import io.cloudmw.core.model.VersionId;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import org.sqlite.SQLiteConfig;

/**
 * A temporary file that collects the records of a volume during recovery: values by path, and segments by version.
 * Needs little memory, whatever the volume's size. The file is deleted when it is closed, or with the machine's
 * temporary directory. Safe for any thread.
 */
public final class RecoveryScratch implements Closeable {
    private static final String CREATE_VALUES = "CREATE TABLE value(path TEXT PRIMARY KEY, value BLOB) WITHOUT ROWID";
    private static final String CREATE_SEGMENTS =
            "CREATE TABLE segment(version TEXT, idx INTEGER, encoded BLOB, PRIMARY KEY(version, idx)) WITHOUT ROWID";

    private static final String CREATE_PLACES = "CREATE TABLE place(pack TEXT PRIMARY KEY, encoded BLOB) WITHOUT ROWID";

    private final Path directory;
    private final Connection connection;

    private RecoveryScratch(Path directory, Connection connection) {
        this.directory = directory;
        this.connection = connection;
    }

    /**
     * A path and its value.
     *
     * @param value as it was put
     */
    @SuppressWarnings("ArrayRecordComponent") // passed on, never compared
    public record Value(String path, byte[] value) {}

    /**
     * Creates an empty file in the machine's temporary directory.
     *
     * @throws CloudMwException {@code LOCAL_IO}
     */
    public static RecoveryScratch open() throws CloudMwException {
        try {
            Path directory = Files.createTempDirectory("cloudmw-recover");
            return new RecoveryScratch(directory, connect(directory.resolve("scratch.db")));
        } catch (IOException e) {
            throw new CloudMwException(ErrorCode.LOCAL_IO, "temporary files: " + Reasons.of(e), e);
        } catch (SQLException e) {
            throw failed(e);
        }
    }

    /** Opens one transaction that never ends, since the file need not survive the process. */
    private static Connection connect(Path file) throws SQLException {
        SQLiteConfig config = new SQLiteConfig();
        config.setJournalMode(SQLiteConfig.JournalMode.OFF);
        config.setSynchronous(SQLiteConfig.SynchronousMode.OFF);
        config.setPragma(SQLiteConfig.Pragma.CACHE_SIZE, "-8192");
        Connection connection = config.createConnection("jdbc:sqlite:" + file);
        Sql.update(connection, CREATE_VALUES);
        Sql.update(connection, CREATE_SEGMENTS);
        Sql.update(connection, CREATE_PLACES);
        connection.setAutoCommit(false);
        return connection;
    }

    /** Stores a value in place of the previous one. */
    public void put(String path, byte[] value) throws CloudMwException {
        run(() -> Sql.update(connection, "INSERT OR REPLACE INTO value VALUES(?, ?)", path, value));
    }

    public void remove(String path) throws CloudMwException {
        run(() -> Sql.update(connection, "DELETE FROM value WHERE path = ?", path));
    }

    /** Removes the values at or below a path; {@code /}: all. */
    public void removeTree(String path) throws CloudMwException {
        String below = path.equals("/") ? path : path + "/";
        // '0' follows '/' in the order of characters.
        String end = below.substring(0, below.length() - 1) + "0";
        remove(path);
        run(() -> Sql.update(connection, "DELETE FROM value WHERE path >= ? AND path < ?", below, end));
    }

    public void putSegment(VersionId version, int index, byte[] encoded) throws CloudMwException {
        run(() -> Sql.update(
                connection, "INSERT OR REPLACE INTO segment VALUES(?, ?, ?)", version.value(), index, encoded));
    }

    public Optional<byte[]> segment(VersionId version, int index) throws CloudMwException {
        return run(() -> Sql.first(
                connection,
                row -> row.getBytes(1),
                "SELECT encoded FROM segment WHERE version = ? AND idx = ?",
                version.value(),
                index));
    }

    /** Stores the place of the bytes of a compacted pack. */
    public void putPlace(VersionId pack, byte[] encoded) throws CloudMwException {
        run(() -> Sql.update(connection, "INSERT OR REPLACE INTO place VALUES(?, ?)", pack.value(), encoded));
    }

    public Optional<byte[]> place(VersionId pack) throws CloudMwException {
        return run(() -> Sql.first(
                connection, row -> row.getBytes(1), "SELECT encoded FROM place WHERE pack = ?", pack.value()));
    }

    /** Returns the values after a path, in order; empty: from the start. */
    public List<Value> after(String path, int limit) throws CloudMwException {
        return run(() -> Sql.list(
                connection,
                row -> new Value(row.getString(1), row.getBytes(2)),
                "SELECT path, value FROM value WHERE path > ? ORDER BY path LIMIT ?",
                path,
                limit));
    }

    private interface Call<T> {
        T run() throws SQLException, CloudMwException;
    }

    private synchronized <T> T run(Call<T> call) throws CloudMwException {
        try {
            return call.run();
        } catch (SQLException e) {
            throw failed(e);
        }
    }

    private static CloudMwException failed(SQLException e) {
        return new CloudMwException(ErrorCode.LOCAL_IO, "temporary files: " + e.getMessage(), e);
    }

    /** Deletes the file. */
    @Override
    public synchronized void close() throws CloudMwException {
        try {
            connection.close();
            try (var files = Files.list(directory)) {
                for (Path file : files.toList()) {
                    Files.delete(file);
                }
            }
            Files.delete(directory);
        } catch (SQLException e) {
            throw failed(e);
        } catch (IOException e) {
            throw new CloudMwException(ErrorCode.LOCAL_IO, "temporary files: " + Reasons.of(e), e);
        }
    }
}
