package io.cloudmw.coordinator.catalog.sqlite;

import io.cloudmw.coordinator.catalog.PageRules;
import io.cloudmw.coordinator.catalog.change.ChangeLog;
import io.cloudmw.coordinator.catalog.change.ChangePage;
import io.cloudmw.coordinator.catalog.stored.StoredForms;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.file.Change;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.function.Consumer;

/** The rows of the change log. Safe for any thread. */
final class ChangeLogRows implements ChangeLog {
    private final SqliteDatabase database;
    private volatile Consumer<VolumeName> listener = volume -> {};

    ChangeLogRows(SqliteDatabase database) {
        this.database = database;
    }

    /** Runs a transaction that may add a change to a volume, then notifies the listener. */
    <T> T write(VolumeName volume, SqliteDatabase.Work<T> work) throws CloudMwException {
        return tell(volume, database.write(work));
    }

    /** Notifies the listener after a transaction that may have added a change to a volume. */
    <T> T tell(VolumeName volume, T result) {
        listener.accept(volume);
        return result;
    }

    /** Adds a change to a volume's log within the caller's transaction. */
    static void add(Connection connection, VolumeName volume, Change change) throws SQLException, CloudMwException {
        long position = position(connection, volume) + 1;
        Sql.update(
                connection,
                "INSERT INTO change_logs VALUES (?, ?) ON CONFLICT (volume) DO UPDATE SET position = excluded.position",
                volume.value(),
                position);
        Sql.update(
                connection,
                "INSERT INTO changes VALUES (?, ?, ?, ?)",
                volume.value(),
                position,
                change.atMillis(),
                StoredForms.change(change.at(position)));
    }

    private static long position(Connection connection, VolumeName volume) throws SQLException, CloudMwException {
        return Sql.first(
                        connection,
                        row -> row.getLong(1),
                        "SELECT position FROM change_logs WHERE volume = ?",
                        volume.value())
                .orElse(0L);
    }

    @Override
    public long position(VolumeName volume) throws CloudMwException {
        return database.read(connection -> position(connection, volume));
    }

    @Override
    public ChangePage after(VolumeName volume, long after, int limit) throws CloudMwException {
        PageRules.checkLimit(limit);
        return database.read(connection -> {
            List<Change> found = Sql.list(
                    connection,
                    row -> StoredForms.change(row.getBytes(1)),
                    "SELECT definition FROM changes WHERE volume = ? AND position > ? ORDER BY position LIMIT ?",
                    volume.value(),
                    after,
                    limit);
            return ChangePage.found(after, found, position(connection, volume));
        });
    }

    @Override
    public int prune(long beforeMillis, long keep) throws CloudMwException {
        List<VolumeName> volumes = database.read(connection ->
                Sql.list(connection, row -> new VolumeName(row.getString(1)), "SELECT volume FROM change_logs"));
        int pruned = 0;
        for (VolumeName volume : volumes) {
            long last = database.read(connection -> lastToPrune(connection, volume, beforeMillis, keep));
            if (last > 0) {
                pruned += database.write(connection -> Sql.update(
                        connection, "DELETE FROM changes WHERE volume = ? AND position <= ?", volume.value(), last));
            }
        }
        return pruned;
    }

    /** Returns the last position to prune, or 0 if none is old; then it reads one row. */
    private static long lastToPrune(Connection connection, VolumeName volume, long beforeMillis, long keep)
            throws SQLException, CloudMwException {
        long surplus = position(connection, volume) - keep;
        return lastOld(connection, volume, surplus, beforeMillis, 1) == 0
                ? 0
                : lastOld(connection, volume, surplus, beforeMillis, PRUNE_BATCH);
    }

    private static long lastOld(Connection connection, VolumeName volume, long surplus, long beforeMillis, int lookedAt)
            throws SQLException, CloudMwException {
        return Sql.first(
                        connection,
                        row -> row.getLong(1),
                        "SELECT max(position) FROM (SELECT position, changed_at FROM changes WHERE volume = ?"
                                + " ORDER BY position LIMIT ?) WHERE position <= ? OR changed_at < ?",
                        volume.value(),
                        lookedAt,
                        surplus,
                        beforeMillis)
                .orElse(0L);
    }

    @Override
    public void onChange(Consumer<VolumeName> told) {
        listener = told;
    }
}
