package io.cloudmw.coordinator.catalog.sqlite;

import io.cloudmw.coordinator.catalog.change.CatalogErrors;
import io.cloudmw.coordinator.catalog.change.CommitRequest;
import io.cloudmw.coordinator.catalog.stored.StoredForms;
import io.cloudmw.coordinator.catalog.tree.CurrentEntry;
import io.cloudmw.coordinator.catalog.tree.CurrentFile;
import io.cloudmw.coordinator.catalog.tree.DirectoryEntry;
import io.cloudmw.coordinator.catalog.tree.PathErrors;
import io.cloudmw.coordinator.catalog.tree.Tree;
import io.cloudmw.coordinator.catalog.tree.TreeEntry;
import io.cloudmw.coordinator.catalog.tree.TreeFile;
import io.cloudmw.coordinator.catalog.version.SharedRun;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.manifest.ManifestDigest;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.chunk.ReplicaReport;
import io.cloudmw.core.model.file.Change;
import io.cloudmw.core.model.file.FileCopy;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.model.file.Rename;
import io.cloudmw.core.model.file.VersionPart;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * The rows of versions, their segments and the paths that name them; each method is part of the caller's transaction.
 */
final class VersionRows {
    private VersionRows() {}

    static Optional<FileVersion> current(Connection connection, FilePath file) throws SQLException, CloudMwException {
        return file(connection, file).map(CurrentFile::version);
    }

    static Optional<CurrentFile> file(Connection connection, FilePath path) throws SQLException, CloudMwException {
        Optional<TreeFile> file = NameRows.tree(connection).find(path).flatMap(TreeEntry::file);
        return file.isEmpty() ? Optional.empty() : file(connection, path, file.get());
    }

    static Optional<CurrentEntry> entry(Connection connection, FilePath path) throws SQLException, CloudMwException {
        return entry(connection, path, NameRows.tree(connection).find(path));
    }

    /** Describes an entry of the tree at a path. */
    static Optional<CurrentEntry> entry(Connection connection, FilePath path, Optional<TreeEntry> entry)
            throws SQLException, CloudMwException {
        if (entry.isEmpty() || entry.get().isDirectory()) {
            return entry.map(directory -> CurrentEntry.directory(directory.kept()));
        }
        return file(connection, path, entry.get().file().get()).map(CurrentEntry::file);
    }

    static Optional<CurrentFile> file(Connection connection, FilePath path, TreeFile kept)
            throws SQLException, CloudMwException {
        return committed(connection, kept.version())
                .map(version -> new CurrentFile(version.at(path), kept.createdAtMillis(), kept.attributes()));
    }

    static Optional<FileVersion> committed(Connection connection, VersionId id) throws SQLException, CloudMwException {
        return Sql.first(
                connection,
                row -> StoredForms.version(row.getBytes(1)),
                "SELECT definition FROM versions WHERE id = ? AND definition IS NOT NULL",
                id.value());
    }

    static Optional<Integer> state(Connection connection, VersionId id) throws SQLException, CloudMwException {
        return Sql.first(connection, row -> row.getInt(1), "SELECT state FROM versions WHERE id = ?", id.value());
    }

    /** Opens an unknown version, or renews an open one. */
    static void touch(Connection connection, VersionId id, long nowMillis) throws SQLException {
        Sql.update(
                connection,
                "INSERT INTO versions (id, state, changed_at) VALUES (?, 0, ?)"
                        + " ON CONFLICT (id) DO UPDATE SET changed_at = excluded.changed_at WHERE state = 0",
                id.value(),
                nowMillis);
    }

    /** Renews an open version; returns whether it is open. */
    static boolean resume(Connection connection, VersionId id, long nowMillis) throws SQLException {
        return Sql.update(
                        connection,
                        "UPDATE versions SET changed_at = ? WHERE id = ? AND state = 0",
                        nowMillis,
                        id.value())
                > 0;
    }

    /** Retires a version unless a present or past entry names it. */
    static void retire(Connection connection, VersionId id, long nowMillis) throws SQLException {
        Sql.update(
                connection,
                "UPDATE versions SET state = ?, changed_at = ? WHERE id = ?"
                        + " AND NOT EXISTS (SELECT 1 FROM entries WHERE version_id = versions.id)"
                        + " AND NOT EXISTS (SELECT 1 FROM past WHERE version_id = versions.id)",
                SqliteSchema.RETIRED,
                nowMillis,
                id.value());
    }

    /** Retires all versions that a volume's paths name or named. */
    static void retireAll(Connection connection, VolumeName volume, long nowMillis) throws SQLException {
        Sql.update(
                connection,
                "UPDATE versions SET state = ?, changed_at = ? WHERE id IN (SELECT e.version_id FROM directories d"
                        + " JOIN entries e ON e.directory = d.id WHERE d.volume = ? AND e.version_id IS NOT NULL"
                        + " UNION SELECT version_id FROM past WHERE volume = ? AND version_id IS NOT NULL)",
                SqliteSchema.RETIRED,
                nowMillis,
                volume.value(),
                volume.value());
    }

    static DirectoryEntry rename(Connection connection, Rename rename, long nowMillis)
            throws SQLException, CloudMwException {
        Tree.Renamed renamed = NameRows.tree(connection).rename(rename, nowMillis);
        if (renamed.displaced().isPresent()) {
            retire(connection, renamed.displaced().get(), nowMillis);
        }
        if (renamed.done()) {
            Change change = Change.renamed(rename, renamed.entry().version(), nowMillis);
            ChangeLogRows.add(connection, rename.to().volume(), change);
        }
        return new DirectoryEntry(
                renamed.entry().name(),
                renamed.entry().isDirectory() ? Optional.empty() : current(connection, rename.to()));
    }

    /** A change that lets a path name an existing version; returns false if the path names it already. */
    interface NameChange {
        boolean apply(Tree<SQLException> tree) throws SQLException, CloudMwException;
    }

    /** Lets a path name a file, and retires the version it named before. */
    static FileVersion stand(Connection connection, FilePath path, TreeFile as, NameChange naming, long nowMillis)
            throws SQLException, CloudMwException {
        Tree<SQLException> tree = NameRows.tree(connection);
        Optional<VersionId> replaced = tree.version(path);
        if (naming.apply(tree)) {
            if (replaced.isPresent()) {
                retire(connection, replaced.get(), nowMillis);
            }
            ChangeLogRows.add(connection, path.volume(), Change.put(path, as.version(), nowMillis));
        }
        return current(connection, path).orElseThrow(() -> PathErrors.fileNotFound(path));
    }

    static FileVersion copy(Connection connection, FileCopy copy, long nowMillis)
            throws SQLException, CloudMwException {
        TreeFile as = NameRows.tree(connection).copied(copy, nowMillis);
        return stand(connection, copy.to(), as, tree -> tree.restore(copy.to(), as), nowMillis);
    }

    /** @param sha256 of the encoded segment */
    static int putSegment(
            Connection connection,
            VersionId version,
            int index,
            byte[] encoded,
            byte[] sha256,
            List<SharedRun> shared,
            long nowMillis)
            throws SQLException, CloudMwException {
        Optional<byte[]> present = Sql.first(
                connection,
                row -> row.getBytes(1),
                "SELECT sha256 FROM segments WHERE version_id = ? AND segment = ?",
                version.value(),
                index);
        boolean same = present.isPresent() && Arrays.equals(present.get(), sha256);
        if (state(connection, version).orElse(SqliteSchema.OPEN) != SqliteSchema.OPEN) {
            if (same) {
                return 0;
            }
            throw CatalogErrors.versionNotOpen(version);
        }
        touch(connection, version, nowMillis);
        SharedChunkRows.put(connection, version, index, shared);
        if (same) {
            return 0;
        }
        return Sql.update(
                connection,
                "INSERT OR REPLACE INTO segments (version_id, segment, sha256, body) VALUES (?, ?, ?, ?)",
                version.value(),
                index,
                sha256,
                encoded);
    }

    static void requireVolume(Connection connection, VolumeName volume) throws SQLException, CloudMwException {
        if (!Sql.exists(connection, "SELECT 1 FROM volumes WHERE name = ?", volume.value())) {
            throw CatalogErrors.volumeNotFound(volume);
        }
    }

    static FileVersion commit(Connection connection, CommitRequest commit) throws SQLException, CloudMwException {
        FileVersion version = commit.version();
        FilePath file = version.file();
        requireVolume(connection, file.volume());
        Optional<FileVersion> before = committed(connection, version.id());
        if (before.isPresent() && before.get().file().equals(file)) {
            return before.get();
        }
        LockRows.requireHeld(connection, file, commit.locks());
        Tree<SQLException> tree = NameRows.tree(connection);
        Optional<VersionId> found = tree.version(file);
        if (!found.equals(commit.expected())) {
            throw CatalogErrors.changed(file, commit.expected(), found);
        }
        if (state(connection, version.id()).orElse(SqliteSchema.OPEN) != SqliteSchema.OPEN) {
            throw CatalogErrors.abandoned(version);
        }
        for (VersionPart part : commit.parts()) {
            var unused = tree.requireVersion(part.file(), part.version());
        }
        checkSegments(connection, version);
        tree.put(file, version.id(), commit.attributes(), version.committedAtMillis());
        if (found.isPresent()) {
            retire(connection, found.get(), version.committedAtMillis());
        }
        makeCurrent(connection, version);
        for (ReplicaReport owed : commit.owed()) {
            ReplicaRows.insertIfAbsent(connection, owed, version.committedAtMillis());
        }
        ReplicaRows.dropGood(connection, version.id());
        ChangeLogRows.add(connection, file.volume(), Change.put(file, version.id(), version.committedAtMillis()));
        return version;
    }

    /** Retires an open or unknown version; returns a committed one instead. */
    static Optional<FileVersion> giveUp(Connection connection, VersionId id, long nowMillis)
            throws SQLException, CloudMwException {
        touch(connection, id, nowMillis);
        Sql.update(
                connection,
                "UPDATE versions SET state = ?, changed_at = ? WHERE id = ? AND state = ?",
                SqliteSchema.RETIRED,
                nowMillis,
                id.value(),
                SqliteSchema.OPEN);
        return committed(connection, id);
    }

    static void makeCurrent(Connection connection, FileVersion version) throws SQLException {
        Sql.update(
                connection,
                "INSERT OR REPLACE INTO versions (id, state, volume, definition, changed_at) VALUES (?, ?, ?, ?, ?)",
                version.id().value(),
                SqliteSchema.CURRENT,
                version.file().volume().value(),
                StoredForms.version(version),
                version.committedAtMillis());
    }

    private static void checkSegments(Connection connection, FileVersion version)
            throws SQLException, CloudMwException {
        ManifestDigest digest = new ManifestDigest();
        int count = 0;
        boolean complete = true;
        try (PreparedStatement statement = Sql.prepare(
                        connection,
                        "SELECT segment, sha256 FROM segments WHERE version_id = ? ORDER BY segment",
                        version.id().value());
                ResultSet rows = statement.executeQuery()) {
            while (rows.next()) {
                complete &= rows.getInt(1) == count;
                digest.add(rows.getBytes(2));
                count++;
            }
        }
        String found = digest.finish();
        if (!complete || count != version.segmentCount() || !found.equals(version.manifestSha256())) {
            throw CatalogErrors.segmentsDiffer(version, (complete ? "" : "with gaps ") + count + " with " + found);
        }
    }
}
