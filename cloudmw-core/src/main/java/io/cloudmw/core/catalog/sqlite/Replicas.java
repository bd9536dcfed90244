package io.cloudmw.core.catalog.sqlite;

import io.cloudmw.core.catalog.Pages;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.ChunkId;
import io.cloudmw.core.model.Page;
import io.cloudmw.core.model.ReplicaReport;
import io.cloudmw.core.model.ReplicaState;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.VolumeName;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;

/** What is known of replicas; each method is part of the caller's transaction. */
final class Replicas {
    private static final String COLUMNS = "r.version_id, r.chunk, r.store_id, r.state";

    private Replicas() {}

    static void report(Connection connection, ReplicaReport report, long nowMillis)
            throws SQLException, CloudMwException {
        VersionId version = report.chunk().version();
        Versions.touch(connection, version, nowMillis);
        boolean committed = Versions.committed(connection, version).isPresent();
        if (report.state() == ReplicaState.OWED) {
            insertIfAbsent(connection, report);
            return;
        }
        if (report.state() == ReplicaState.GOOD) {
            Sql.update(
                    connection,
                    "DELETE FROM replicas WHERE version_id = ? AND chunk = ? AND store_id = ? AND state <> ?",
                    version.value(),
                    report.chunk().index(),
                    report.store().value(),
                    // A late word of the writer does not lift what a reader found.
                    ReplicaState.CORRUPT.name());
            if (!committed) {
                insertIfAbsent(connection, report);
            }
        } else {
            insert(connection, "INSERT OR REPLACE", report);
        }
    }

    static void insertIfAbsent(Connection connection, ReplicaReport report) throws SQLException {
        insert(connection, "INSERT OR IGNORE", report);
    }

    private static void insert(Connection connection, String how, ReplicaReport report) throws SQLException {
        Sql.update(
                connection,
                how + " INTO replicas (version_id, chunk, store_id, state) VALUES (?, ?, ?, ?)",
                report.chunk().version().value(),
                report.chunk().index(),
                report.store().value(),
                report.state().name());
    }

    static void dropGood(Connection connection, VersionId version) throws SQLException {
        Sql.update(connection, "DELETE FROM replicas WHERE version_id = ? AND state = 'GOOD'", version.value());
    }

    static List<ReplicaReport> faults(Connection connection, VersionId version, long firstIndex, long endIndex)
            throws SQLException, CloudMwException {
        return Sql.list(
                connection,
                Replicas::row,
                "SELECT " + COLUMNS + " FROM replicas r WHERE version_id = ? AND chunk >= ? AND chunk < ?"
                        + " AND state <> 'GOOD' ORDER BY chunk, store_id",
                version.value(),
                firstIndex,
                endIndex);
    }

    static long underReplicatedChunks(Connection connection, VersionId version) throws SQLException, CloudMwException {
        return Sql.first(
                        connection,
                        row -> row.getLong(1),
                        "SELECT count(DISTINCT chunk) FROM replicas WHERE version_id = ? AND state <> 'GOOD'",
                        version.value())
                .orElse(0L);
    }

    static Page<ReplicaReport> underReplicated(Connection connection, VolumeName volume, String pageToken, int limit)
            throws SQLException, CloudMwException {
        String version = "";
        long chunk = -1;
        String store = "";
        if (!pageToken.isEmpty()) {
            ReplicaReport after = Pages.parse(pageToken);
            version = after.chunk().version().value();
            chunk = after.chunk().index();
            store = after.store().value();
        }
        List<ReplicaReport> found = Sql.list(
                connection,
                Replicas::row,
                "SELECT " + COLUMNS + " FROM replicas r JOIN versions v ON v.id = r.version_id"
                        + " WHERE (r.version_id, r.chunk, r.store_id) > (?, ?, ?) AND r.state <> 'GOOD'"
                        + " AND v.state = 1 AND v.volume = ?"
                        + " ORDER BY r.version_id, r.chunk, r.store_id LIMIT ?",
                version,
                chunk,
                store,
                volume.value(),
                limit + 1);
        return Pages.cut(found, limit, Pages::token);
    }

    private static ReplicaReport row(ResultSet row) throws SQLException {
        return new ReplicaReport(
                new ChunkId(new VersionId(row.getString(1)), row.getLong(2)),
                new StoreId(row.getString(3)),
                ReplicaState.valueOf(row.getString(4)));
    }
}
