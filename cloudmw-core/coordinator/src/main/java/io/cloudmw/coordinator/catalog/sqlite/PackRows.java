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
        Sql.update(connection, "INSERT INTO packs VALUES (?)", version.id().value());
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

    static List<FileVersion> list(Connection connection, String after, int limit)
            throws SQLException, CloudMwException {
        return Sql.list(
                connection,
                row -> StoredForms.version(row.getBytes(1)),
                "SELECT v.definition FROM packs p JOIN versions v ON v.id = p.id WHERE p.id > ? ORDER BY p.id LIMIT ?",
                after,
                limit);
    }

    static List<FileVersion> files(Connection connection, VersionId pack, String after, int limit)
            throws SQLException, CloudMwException {
        return Sql.list(
                connection,
                row -> StoredForms.version(row.getBytes(1)),
                "SELECT v.definition FROM versions v WHERE v.state = ? AND v.id > ? AND v.id IN"
                        + " (SELECT version_id FROM shared WHERE owner = ?) ORDER BY v.id LIMIT ?",
                SqliteSchema.CURRENT,
                after,
                pack.value(),
                limit);
    }

    static boolean retire(Connection connection, VersionId pack, long nowMillis) throws SQLException, CloudMwException {
        boolean needed = Sql.exists(
                connection,
                "SELECT 1 FROM shared s JOIN versions v ON v.id = s.version_id AND v.state = ? WHERE s.owner = ? LIMIT 1",
                SqliteSchema.CURRENT,
                pack.value());
        if (needed || Sql.update(connection, "DELETE FROM packs WHERE id = ?", pack.value()) == 0) {
            return false;
        }
        VersionRows.retire(connection, pack, nowMillis);
        return true;
    }
}
