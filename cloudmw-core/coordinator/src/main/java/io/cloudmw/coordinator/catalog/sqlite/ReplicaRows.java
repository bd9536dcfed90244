package io.cloudmw.coordinator.catalog.sqlite;

import io.cloudmw.coordinator.catalog.PageRules;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.Page;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.chunk.ReplicaRecord;
import io.cloudmw.core.model.chunk.ReplicaReport;
import io.cloudmw.core.model.chunk.ReplicaState;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** The rows of replica records; each method is part of the caller's transaction. */
final class ReplicaRows {
    /** The condition of copies that need work; the index of the same name uses these words. */
    static final String FAULTY = "state IN ('OWED', 'MISSING', 'CORRUPT')";

    private static final String COLUMNS = "r.version_id, r.chunk, r.store_id, r.state, r.changed_at";

    private ReplicaRows() {}

    static void report(Connection connection, ReplicaReport report, long nowMillis)
            throws SQLException, CloudMwException {
        VersionId version = report.chunk().version();
        if (!report.state().isFromWriter()
                && VersionRows.state(connection, version).isEmpty()) {
            return;
        }
        VersionRows.touch(connection, version, nowMillis);
        boolean committed = VersionRows.committed(connection, version).isPresent();
        if (report.state() == ReplicaState.OWED) {
            insertIfAbsent(connection, report, nowMillis);
            return;
        }
        if (report.state() == ReplicaState.GOOD) {
            Sql.update(
                    connection,
                    // A late report of the writer overrides neither a reader's finding nor upkeep's decision.
                    "DELETE FROM replicas WHERE version_id = ? AND chunk = ? AND store_id = ?"
                            + " AND state IN ('GOOD', 'OWED', 'MISSING')",
                    version.value(),
                    report.chunk().index(),
                    report.store().value());
            if (!committed) {
                insertIfAbsent(connection, report, nowMillis);
            }
        } else {
            insert(
                    connection,
                    report,
                    nowMillis,
                    "UPDATE SET state = excluded.state, changed_at = excluded.changed_at"
                            + " WHERE state NOT IN ('DROPPED', 'GONE')");
        }
    }

    static void insertIfAbsent(Connection connection, ReplicaReport report, long nowMillis) throws SQLException {
        insert(connection, report, nowMillis, "NOTHING");
    }

    private static void insert(Connection connection, ReplicaReport report, long sinceMillis, String ifPresent)
            throws SQLException {
        Sql.update(
                connection,
                "INSERT INTO replicas (version_id, chunk, store_id, state, changed_at) VALUES (?, ?, ?, ?, ?)"
                        + " ON CONFLICT (version_id, chunk, store_id) DO " + ifPresent,
                report.chunk().version().value(),
                report.chunk().index(),
                report.store().value(),
                report.state().name(),
                sinceMillis);
    }

    /** Records the result of upkeep; does nothing for an unknown version. */
    static void settle(Connection connection, ReplicaRecord record) throws SQLException, CloudMwException {
        if (record.state() == ReplicaState.GOOD) {
            Sql.update(
                    connection,
                    "DELETE FROM replicas WHERE version_id = ? AND chunk = ? AND store_id = ?",
                    record.chunk().version().value(),
                    record.chunk().index(),
                    record.store().value());
        } else if (VersionRows.state(connection, record.chunk().version()).isPresent()) {
            insert(
                    connection,
                    record.report(),
                    record.sinceMillis(),
                    "UPDATE SET state = excluded.state, changed_at = excluded.changed_at");
        }
    }

    static void dropGood(Connection connection, VersionId version) throws SQLException {
        Sql.update(connection, "DELETE FROM replicas WHERE version_id = ? AND state = 'GOOD'", version.value());
    }

    static List<ReplicaRecord> records(Connection connection, VersionId version, long firstIndex, long endIndex)
            throws SQLException, CloudMwException {
        return Sql.list(
                connection,
                ReplicaRows::row,
                "SELECT " + COLUMNS + " FROM replicas r WHERE version_id = ? AND chunk >= ? AND chunk < ?"
                        + " AND state <> 'GOOD' ORDER BY chunk, store_id",
                version.value(),
                firstIndex,
                endIndex);
    }

    static Page<ReplicaRecord> pending(Connection connection, String pageToken, int limit)
            throws SQLException, CloudMwException {
        List<ReplicaRecord> found = after(connection, " FROM replicas r WHERE " + FAULTY, pageToken, limit);
        return PageRules.cut(found, limit, PageRules::token);
    }

    /** Returns up to one record more than {@code limit}, after the token's. */
    private static List<ReplicaRecord> after(
            Connection connection, String fromWhere, String pageToken, int limit, Object... values)
            throws SQLException, CloudMwException {
        String version = "";
        long chunk = -1;
        String store = "";
        if (!pageToken.isEmpty()) {
            ReplicaReport after = PageRules.parse(pageToken);
            version = after.chunk().version().value();
            chunk = after.chunk().index();
            store = after.store().value();
        }
        List<Object> all = new ArrayList<>(List.of(values));
        all.addAll(List.of(version, chunk, store, limit + 1));
        return Sql.list(
                connection,
                ReplicaRows::row,
                "SELECT " + COLUMNS + fromWhere + " AND (r.version_id, r.chunk, r.store_id) > (?, ?, ?)"
                        + " ORDER BY r.version_id, r.chunk, r.store_id LIMIT ?",
                all.toArray());
    }

    static long underReplicatedChunks(Connection connection, VersionId version) throws SQLException, CloudMwException {
        return Sql.first(
                        connection,
                        row -> row.getLong(1),
                        "SELECT count(*) FROM (SELECT version_id, chunk FROM replicas WHERE version_id = ? AND "
                                + FAULTY
                                + " UNION SELECT r.version_id, r.chunk FROM shared s JOIN replicas r"
                                + " ON r.version_id ="
                                + " coalesce((SELECT m.pack FROM relocations m WHERE m.original = s.owner), s.owner)"
                                + " AND r.chunk >= s.first_chunk AND r.chunk < s.end_chunk"
                                + " AND r." + FAULTY + " WHERE s.version_id = ?)",
                        version.value(),
                        version.value())
                .orElse(0L);
    }

    static Page<ReplicaReport> underReplicated(Connection connection, VolumeName volume, String pageToken, int limit)
            throws SQLException, CloudMwException {
        List<ReplicaRecord> found = after(
                connection,
                " FROM replicas r JOIN versions v ON v.id = r.version_id WHERE r." + FAULTY
                        + " AND v.volume = ? AND (v.state = 1 OR " + SharedChunkRows.IN_CURRENT + ")",
                pageToken,
                limit,
                volume.value());
        return PageRules.cut(found.stream().map(ReplicaRecord::report).toList(), limit, PageRules::token);
    }

    private static ReplicaRecord row(ResultSet row) throws SQLException {
        return new ReplicaRecord(
                new ChunkId(new VersionId(row.getString(1)), row.getLong(2)),
                new StoreId(row.getString(3)),
                ReplicaState.valueOf(row.getString(4)),
                row.getLong(5));
    }
}
