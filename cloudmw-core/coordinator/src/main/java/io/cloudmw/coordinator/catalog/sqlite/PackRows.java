package io.cloudmw.coordinator.catalog.sqlite;

import io.cloudmw.coordinator.catalog.change.BatchFile;
import io.cloudmw.coordinator.catalog.change.CatalogErrors;
import io.cloudmw.coordinator.catalog.change.CommitDeadline;
import io.cloudmw.coordinator.catalog.change.CommitOutcome;
import io.cloudmw.coordinator.catalog.change.Pack;
import io.cloudmw.coordinator.catalog.stored.StoredForms;
import io.cloudmw.coordinator.catalog.tree.Tree;
import io.cloudmw.coordinator.catalog.version.SharedRun;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.manifest.EncodedSegment;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.chunk.PackRelocation;
import io.cloudmw.core.model.chunk.ReplicaReport;
import io.cloudmw.core.model.file.FileVersion;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The rows of packs, and the commit of many files; each method is part of the caller's transaction. */
final class PackRows {
    private PackRows() {}

    static Pack add(Connection connection, Pack pack) throws SQLException, CloudMwException {
        FileVersion version = pack.version();
        VersionRows.requireVolume(connection, version.file().volume());
        int state = VersionRows.state(connection, version.id()).orElse(SqliteSchema.OPEN);
        Optional<FileVersion> before = VersionRows.committed(connection, version.id());
        boolean same = before.isPresent() && before.get().manifestSha256().equals(version.manifestSha256());
        if (same && state == SqliteSchema.CURRENT) {
            return pack;
        }
        if (state != SqliteSchema.OPEN) {
            throw CatalogErrors.abandoned(version);
        }
        put(connection, version, pack.segment());
        VersionRows.makeCurrent(connection, version);
        if (pack.relocation().isEmpty()) {
            Sql.update(
                    connection,
                    "INSERT INTO packs (id) VALUES (?)",
                    version.id().value());
        } else {
            PackRelocation relocation = pack.relocation().get();
            Sql.update(
                    connection,
                    "INSERT INTO packs (id, original, closed) VALUES (?, ?, 1)",
                    version.id().value(),
                    relocation.original().value());
            Sql.update(
                    connection,
                    "INSERT OR REPLACE INTO relocations (original, pack, definition) VALUES (?, ?, ?)",
                    relocation.original().value(),
                    version.id().value(),
                    StoredForms.relocation(relocation));
        }
        for (ReplicaReport owed : pack.owed()) {
            ReplicaRows.insertIfAbsent(connection, owed, version.committedAtMillis());
        }
        ReplicaRows.dropGood(connection, version.id());
        return pack;
    }

    private static void put(Connection connection, FileVersion version, EncodedSegment segment)
            throws SQLException, CloudMwException {
        VersionRows.putSegment(
                connection,
                version.id(),
                segment.index(),
                segment.bytes(),
                segment.sha256(),
                SharedRun.of(version.id(), segment.chunks()),
                version.committedAtMillis());
    }

    /** Commits files; undoes what a refused one has changed. */
    static List<CommitOutcome> commit(Connection connection, List<BatchFile> files, CommitDeadline deadline)
            throws SQLException, CloudMwException {
        List<CommitOutcome> outcomes = new ArrayList<>(files.size());
        for (BatchFile file : files) {
            Savepoint before = connection.setSavepoint();
            try {
                outcomes.add(new CommitOutcome.Committed(commit(connection, file, deadline)));
            } catch (CloudMwException e) {
                if (!CommitOutcome.isOfOneFile(e)) {
                    throw e;
                }
                connection.rollback(before);
                outcomes.add(new CommitOutcome.Refused(e));
            }
            connection.releaseSavepoint(before);
        }
        return outcomes;
    }

    private static FileVersion commit(Connection connection, BatchFile file, CommitDeadline deadline)
            throws SQLException, CloudMwException {
        FileVersion version = file.version();
        Optional<FileVersion> earlier = VersionRows.committed(connection, version.id());
        if (earlier.isPresent() && earlier.get().file().equals(version.file())) {
            return earlier.get();
        }
        if (file.condition().isEmpty()) {
            deadline.require(version.file());
        }
        if (file.segment().isPresent()) {
            requirePack(connection, version, file.segment().get());
            put(connection, version, file.segment().get());
        }
        Tree<SQLException> tree = NameRows.tree(connection);
        Optional<VersionId> found = tree.version(version.file());
        FileVersion committed = VersionRows.commit(
                connection,
                file.commit(
                        file.condition().isPresent() ? file.condition().get().version() : found));
        if (found.isPresent() && !file.set().isEmpty()) {
            var unused = tree.setAttributes(file.change(), version.committedAtMillis());
        }
        return committed;
    }

    /** Requires that the pack takes files: what was decided about its files stays true. */
    private static void requirePack(Connection connection, FileVersion version, EncodedSegment segment)
            throws SQLException, CloudMwException {
        List<SharedRun> runs = SharedRun.of(version.id(), segment.chunks());
        boolean taken = runs.isEmpty()
                || Sql.exists(
                        connection,
                        "SELECT 1 FROM packs WHERE id = ? AND closed = 0",
                        runs.get(0).owner().value());
        if (!taken) {
            throw CatalogErrors.abandoned(version);
        }
    }

    static List<FileVersion> list(Connection connection, String after, int limit)
            throws SQLException, CloudMwException {
        return Sql.list(
                connection,
                row -> StoredForms.version(row.getBytes(1)),
                "SELECT v.definition FROM packs p JOIN versions v ON v.id = p.id WHERE p.id > ? ORDER BY p.id LIMIT ?",
                after,
                limit);
    }

    static List<FileVersion> files(Connection connection, VersionId pack, long sinceMillis, String after, int limit)
            throws SQLException, CloudMwException {
        return Sql.list(
                connection,
                row -> StoredForms.version(row.getBytes(1)),
                "SELECT v.definition FROM versions v WHERE (v.state = ?1 OR (v.state = ?2 AND v.changed_at >= ?3"
                        + " AND v.definition IS NOT NULL)) AND v.id > ?4 AND v.id IN"
                        + " (SELECT s.version_id FROM shared s WHERE s.owner = " + SharedChunkRows.original("?5")
                        + ") ORDER BY v.id LIMIT ?6",
                SqliteSchema.CURRENT,
                SqliteSchema.RETIRED,
                sinceMillis,
                after,
                pack.value(),
                limit);
    }

    static Optional<PackRelocation> relocation(Connection connection, VersionId original)
            throws SQLException, CloudMwException {
        return Sql.first(
                connection,
                row -> StoredForms.relocation(row.getBytes(1)),
                "SELECT definition FROM relocations WHERE original = ?",
                original.value());
    }

    static Optional<PackRelocation> relocationTo(Connection connection, VersionId pack)
            throws SQLException, CloudMwException {
        return Sql.first(
                connection,
                row -> StoredForms.relocation(row.getBytes(1)),
                "SELECT m.definition FROM packs p JOIN relocations m ON m.original = p.original AND m.pack = p.id"
                        + " WHERE p.id = ?",
                pack.value());
    }

    private static boolean isClosed(Connection connection, VersionId pack) throws SQLException, CloudMwException {
        return Sql.exists(connection, "SELECT 1 FROM packs WHERE id = ? AND closed <> 0", pack.value());
    }

    static boolean close(Connection connection, VersionId pack) throws SQLException {
        return Sql.update(connection, "UPDATE packs SET closed = 1 WHERE id = ?", pack.value()) > 0;
    }

    static boolean replace(Connection connection, VersionId replaced, Pack pack, long nowMillis)
            throws SQLException, CloudMwException {
        if (!Sql.exists(connection, "SELECT 1 FROM packs WHERE id = ?", replaced.value())) {
            return relocationTo(connection, pack.version().id()).isPresent();
        }
        if (!isClosed(connection, replaced)) {
            throw CatalogErrors.packNotClosed(replaced);
        }
        Pack unused = add(connection, pack);
        Sql.update(connection, "DELETE FROM packs WHERE id = ?", replaced.value());
        VersionRows.retire(connection, replaced, nowMillis);
        return true;
    }

    static boolean retire(Connection connection, VersionId pack, long nowMillis) throws SQLException, CloudMwException {
        boolean needed = Sql.exists(
                connection,
                "SELECT 1 FROM shared s JOIN versions v ON v.id = s.version_id AND v.state = ?1 WHERE s.owner = "
                        + SharedChunkRows.original("?2") + " LIMIT 1",
                SqliteSchema.CURRENT,
                pack.value());
        if (needed || Sql.update(connection, "DELETE FROM packs WHERE id = ?", pack.value()) == 0) {
            return false;
        }
        VersionRows.retire(connection, pack, nowMillis);
        return true;
    }
}
