package io.cloudmw.coordinator.catalog.sqlite;

import io.cloudmw.coordinator.catalog.CatalogErrors;
import io.cloudmw.coordinator.catalog.Commit;
import io.cloudmw.coordinator.catalog.CurrentFile;
import io.cloudmw.coordinator.catalog.DirectoryEntry;
import io.cloudmw.coordinator.catalog.SharedRun;
import io.cloudmw.coordinator.catalog.Tree;
import io.cloudmw.coordinator.catalog.TreeEntry;
import io.cloudmw.coordinator.catalog.TreeFile;
import io.cloudmw.coordinator.catalog.stored.StoredForms;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.manifest.ManifestDigest;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.chunk.ReplicaReport;
import io.cloudmw.core.model.file.Change;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.model.file.Rename;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** Versions, their segments and the paths that name them; each method is part of the caller's transaction. */
final class Versions {
    private Versions() {}

    static Optional<FileVersion> current(Connection connection, FilePath file) throws SQLException, CloudMwException {
        return file(connection, file).map(CurrentFile::version);
    }

    static Optional<CurrentFile> file(Connection connection, FilePath path) throws SQLException, CloudMwException {
        Optional<TreeFile> file = Names.tree(connection).find(path).flatMap(TreeEntry::file);
        return file.isEmpty() ? Optional.empty() : file(connection, path, file.get());
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

    /** Makes the version open if nothing is known of it; renews an open one. */
    static void touch(Connection connection, VersionId id, long nowMillis) throws SQLException {
        Sql.update(
                connection,
                "INSERT INTO versions (id, state, changed_at) VALUES (?, 0, ?)"
                        + " ON CONFLICT (id) DO UPDATE SET changed_at = excluded.changed_at WHERE state = 0",
                id.value(),
                nowMillis);
    }

    /** Renews an open version; whether it is one. */
    static boolean resume(Connection connection, VersionId id, long nowMillis) throws SQLException {
        return Sql.update(
                        connection,
                        "UPDATE versions SET changed_at = ? WHERE id = ? AND state = 0",
                        nowMillis,
                        id.value())
                > 0;
    }

    /** Unless an entry of the present or the past names it. */
    static void retire(Connection connection, VersionId id, long nowMillis) throws SQLException {
        Sql.update(
                connection,
                "UPDATE versions SET state = ?, changed_at = ? WHERE id = ?"
                        + " AND NOT EXISTS (SELECT 1 FROM entries WHERE version_id = versions.id)"
                        + " AND NOT EXISTS (SELECT 1 FROM past WHERE version_id = versions.id)",
                Schema.RETIRED,
                nowMillis,
                id.value());
    }

    /** All versions that a volume's paths name, or named. */
    static void retireAll(Connection connection, VolumeName volume, long nowMillis) throws SQLException {
        Sql.update(
                connection,
                "UPDATE versions SET state = ?, changed_at = ? WHERE id IN (SELECT e.version_id FROM directories d"
                        + " JOIN entries e ON e.directory = d.id WHERE d.volume = ? AND e.version_id IS NOT NULL"
                        + " UNION SELECT version_id FROM past WHERE volume = ? AND version_id IS NOT NULL)",
                Schema.RETIRED,
                nowMillis,
                volume.value(),
                volume.value());
    }

    static DirectoryEntry rename(Connection connection, Rename rename, long nowMillis)
            throws SQLException, CloudMwException {
        Tree.Renamed renamed = Names.tree(connection).rename(rename);
        if (renamed.displaced().isPresent()) {
            retire(connection, renamed.displaced().get(), nowMillis);
        }
        if (renamed.done()) {
            Change change = Change.renamed(rename, renamed.entry().version(), nowMillis);
            ChangeRows.add(connection, rename.to().volume(), change);
        }
        return new DirectoryEntry(
                renamed.entry().name(),
                renamed.entry().isDirectory() ? Optional.empty() : current(connection, rename.to()));
    }

    /** A change by which a path may come to name a version that is there; false: it does already. */
    interface Naming {
        boolean apply(Tree<SQLException> tree) throws SQLException, CloudMwException;
    }

    /** Lets a path stand for a file, and retires what it stood for. */
    static FileVersion stand(Connection connection, FilePath path, TreeFile as, Naming naming, long nowMillis)
            throws SQLException, CloudMwException {
        Tree<SQLException> tree = Names.tree(connection);
        Optional<VersionId> replaced = tree.version(path);
        if (naming.apply(tree)) {
            if (replaced.isPresent()) {
                retire(connection, replaced.get(), nowMillis);
            }
            ChangeRows.add(connection, path.volume(), Change.put(path, as.version(), nowMillis));
        }
        return current(connection, path).orElseThrow(() -> CatalogErrors.fileNotFound(path));
    }

    static int putSegment(
            Connection connection, VersionId version, int index, byte[] encoded, List<SharedRun> shared, long nowMillis)
            throws SQLException, CloudMwException {
        byte[] sha256 = ManifestDigest.ofSegment(encoded);
        Optional<byte[]> present = Sql.first(
                connection,
                row -> row.getBytes(1),
                "SELECT sha256 FROM segments WHERE version_id = ? AND segment = ?",
                version.value(),
                index);
        if (present.isPresent() && Arrays.equals(present.get(), sha256)) {
            return 0;
        }
        if (state(connection, version).orElse(Schema.OPEN) != Schema.OPEN) {
            throw CatalogErrors.versionNotOpen(version);
        }
        touch(connection, version, nowMillis);
        Shared.put(connection, version, index, shared);
        return Sql.update(
                connection,
                "INSERT OR REPLACE INTO segments (version_id, segment, sha256, body) VALUES (?, ?, ?, ?)",
                version.value(),
                index,
                sha256,
                encoded);
    }

    static FileVersion commit(Connection connection, Commit commit) throws SQLException, CloudMwException {
        FileVersion version = commit.version();
        FilePath file = version.file();
        if (!Sql.exists(
                connection,
                "SELECT 1 FROM volumes WHERE name = ?",
                file.volume().value())) {
            throw CatalogErrors.volumeNotFound(file.volume());
        }
        Optional<FileVersion> before = committed(connection, version.id());
        if (before.isPresent() && before.get().file().equals(file)) {
            return before.get();
        }
        Tree<SQLException> tree = Names.tree(connection);
        Optional<VersionId> found = tree.version(file);
        if (!found.equals(commit.expected())) {
            throw CatalogErrors.changed(file, commit.expected(), found);
        }
        if (state(connection, version.id()).orElse(Schema.OPEN) != Schema.OPEN) {
            throw CatalogErrors.abandoned(version);
        }
        checkSegments(connection, version);
        tree.put(file, version.id(), version.committedAtMillis());
        if (found.isPresent()) {
            retire(connection, found.get(), version.committedAtMillis());
        }
        makeCurrent(connection, version);
        for (ReplicaReport owed : commit.owed()) {
            Replicas.insertIfAbsent(connection, owed, version.committedAtMillis());
        }
        Replicas.dropGood(connection, version.id());
        ChangeRows.add(connection, file.volume(), Change.put(file, version.id(), version.committedAtMillis()));
        return version;
    }

    /** Retires an open version, or one that nothing is known of; what was committed is given instead. */
    static Optional<FileVersion> giveUp(Connection connection, VersionId id, long nowMillis)
            throws SQLException, CloudMwException {
        touch(connection, id, nowMillis);
        Sql.update(
                connection,
                "UPDATE versions SET state = ?, changed_at = ? WHERE id = ? AND state = ?",
                Schema.RETIRED,
                nowMillis,
                id.value(),
                Schema.OPEN);
        return committed(connection, id);
    }

    private static void makeCurrent(Connection connection, FileVersion version) throws SQLException {
        Sql.update(
                connection,
                "INSERT OR REPLACE INTO versions (id, state, volume, definition, changed_at) VALUES (?, ?, ?, ?, ?)",
                version.id().value(),
                Schema.CURRENT,
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
