package io.cloudmw.coordinator.catalog.sqlite;

import io.cloudmw.coordinator.catalog.PageRules;
import io.cloudmw.coordinator.catalog.stored.StoredForms;
import io.cloudmw.coordinator.catalog.tree.DirectoryEntry;
import io.cloudmw.coordinator.catalog.tree.DirectoryPath;
import io.cloudmw.coordinator.catalog.tree.KeptDirectory;
import io.cloudmw.coordinator.catalog.tree.ListingPosition;
import io.cloudmw.coordinator.catalog.tree.Tree;
import io.cloudmw.coordinator.catalog.tree.TreeEntry;
import io.cloudmw.coordinator.catalog.tree.TreeFile;
import io.cloudmw.coordinator.catalog.tree.TreeStore;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.Page;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.file.Attributes;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** The rows of the name tree; each method is part of the caller's transaction. */
final class NameRows implements TreeStore<SQLException> {
    /** The query for names after one; its parameters are the directory, that name and a limit. */
    static final String PAGE =
            "SELECT e.name, v.definition, e.attributes, e.created_at FROM entries e LEFT JOIN versions v ON v.id = e.version_id"
                    + " WHERE e.directory = ? AND e.name > ? ORDER BY e.name LIMIT ?";

    private final Connection connection;

    private NameRows(Connection connection) {
        this.connection = connection;
    }

    static NameRows store(Connection connection) {
        return new NameRows(connection);
    }

    static Tree<SQLException> tree(Connection connection) {
        return new Tree<>(store(connection));
    }

    /** Creates the root directory of a volume and returns its number. */
    static long addRoot(Connection connection, String volume) throws SQLException, CloudMwException {
        Sql.update(connection, "INSERT INTO directories (volume, reach) VALUES (?, 0)", volume);
        return lastAdded(connection);
    }

    private static long lastAdded(Connection connection) throws SQLException, CloudMwException {
        return Sql.first(connection, row -> row.getLong(1), "SELECT last_insert_rowid()")
                .orElseThrow(() -> new SQLException("the insert returned no directory number"));
    }

    static boolean hasFiles(Connection connection, VolumeName volume) throws SQLException, CloudMwException {
        return Sql.exists(
                connection,
                "SELECT 1 FROM volumes v WHERE v.name = ? AND (EXISTS (SELECT 1 FROM entries e WHERE e.directory = v.root)"
                        + " OR EXISTS (SELECT 1 FROM snapshots s WHERE s.volume = v.name))",
                volume.value());
    }

    static void removeAll(Connection connection, VolumeName volume) throws SQLException {
        Sql.update(
                connection,
                "DELETE FROM entries WHERE directory IN (SELECT id FROM directories WHERE volume = ?)",
                volume.value());
        Sql.update(connection, "DELETE FROM directories WHERE volume = ?", volume.value());
    }

    /** Lists a directory; reads one name more than the page has, to know whether more follow. */
    static Page<DirectoryEntry> list(Connection connection, DirectoryPath path, String pageToken, int limit)
            throws SQLException, CloudMwException {
        Optional<ListingPosition> position = tree(connection).position(path, pageToken);
        if (position.isEmpty()) {
            return new Page<>(List.of(), "");
        }
        List<DirectoryEntry> found = Sql.list(
                connection,
                row -> listed(path, row),
                PAGE,
                position.get().directory(),
                position.get().after(),
                limit + 1);
        return PageRules.cut(found, limit, position.get()::tokenAfter);
    }

    /** Returns the entry of a row with name, stored version, attributes and creation time. */
    static DirectoryEntry listed(DirectoryPath path, ResultSet row) throws SQLException, CloudMwException {
        String name = row.getString(1);
        byte[] definition = row.getBytes(2);
        return new DirectoryEntry(
                name,
                definition == null
                        ? Optional.empty()
                        : Optional.of(StoredForms.version(definition).at(path.child(name))),
                attributes(row.getBytes(3)),
                row.getLong(4));
    }

    @Override
    public OptionalLong root(VolumeName volume) throws SQLException, CloudMwException {
        Optional<Long> root =
                Sql.first(connection, row -> row.getLong(1), "SELECT root FROM volumes WHERE name = ?", volume.value());
        return root.isPresent() ? OptionalLong.of(root.get()) : OptionalLong.empty();
    }

    @Override
    public Optional<TreeEntry> child(long directory, String name) throws SQLException, CloudMwException {
        return Sql.first(
                connection,
                row -> entry(directory, name, row),
                "SELECT child, version_id, created_at, attributes, kept FROM entries WHERE directory = ? AND name = ?",
                directory,
                name);
    }

    /** Returns the entry of a row with child, version, creation time, attributes and whether it is kept. */
    static TreeEntry entry(long directory, String name, ResultSet row) throws SQLException, CloudMwException {
        String version = row.getString(2);
        long createdAtMillis = row.getLong(3);
        Attributes attributes = attributes(row.getBytes(4));
        if (version != null) {
            return TreeEntry.file(directory, name, new TreeFile(new VersionId(version), createdAtMillis, attributes));
        }
        Optional<KeptDirectory> kept =
                row.getBoolean(5) ? Optional.of(new KeptDirectory(createdAtMillis, attributes)) : Optional.empty();
        return TreeEntry.directory(directory, name, row.getLong(1), kept);
    }

    private static Attributes attributes(byte @Nullable [] stored) throws CloudMwException {
        return stored == null ? Attributes.NONE : StoredForms.attributes(stored);
    }

    @Override
    public boolean isEmpty(long directory) throws SQLException, CloudMwException {
        return !Sql.exists(connection, "SELECT 1 FROM entries WHERE directory = ? LIMIT 1", directory);
    }

    @Override
    public boolean exists(long directory) throws SQLException, CloudMwException {
        return Sql.exists(connection, "SELECT 1 FROM directories WHERE id = ?", directory);
    }

    @Override
    public long addDirectory(long parent, String name) throws SQLException, CloudMwException {
        Sql.update(
                connection,
                "INSERT INTO directories (volume, reach) SELECT volume, 0 FROM directories WHERE id = ?",
                parent);
        long added = lastAdded(connection);
        Sql.update(
                connection,
                "INSERT INTO entries (directory, name, child, since) VALUES (?, ?, ?, " + SnapshotRows.TAKEN + ")",
                parent,
                name,
                added,
                parent);
        return added;
    }

    @Override
    public void keepDirectory(TreeEntry directory, KeptDirectory kept) throws SQLException {
        SnapshotRows.keep(connection, directory.parent(), directory.name());
        Sql.update(
                connection,
                "UPDATE entries SET kept = 1, created_at = ?, attributes = ?, since = " + SnapshotRows.TAKEN
                        + " WHERE directory = ? AND name = ?",
                kept.createdAtMillis(),
                StoredForms.attributes(kept.attributes()),
                directory.parent(),
                directory.parent(),
                directory.name());
    }

    @Override
    public void putFile(long parent, String name, TreeFile file) throws SQLException {
        SnapshotRows.keep(connection, parent, name);
        Sql.update(
                connection,
                "INSERT INTO entries (directory, name, version_id, created_at, attributes, since)"
                        + " VALUES (?, ?, ?, ?, ?, " + SnapshotRows.TAKEN
                        + ") ON CONFLICT (directory, name) DO UPDATE"
                        + " SET version_id = excluded.version_id, created_at = excluded.created_at,"
                        + " attributes = excluded.attributes, since = excluded.since",
                parent,
                name,
                file.version().value(),
                file.createdAtMillis(),
                StoredForms.attributes(file.attributes()),
                parent);
    }

    @Override
    public void remove(TreeEntry entry) throws SQLException {
        SnapshotRows.keep(connection, entry.parent(), entry.name());
        Sql.update(connection, "DELETE FROM entries WHERE directory = ? AND name = ?", entry.parent(), entry.name());
        if (entry.isDirectory()) {
            Sql.update(connection, "DELETE FROM directories WHERE id = ?", entry.directory());
        }
    }

    @Override
    public TreeEntry move(TreeEntry entry, long parent, String name) throws SQLException {
        SnapshotRows.keep(connection, entry.parent(), entry.name());
        Sql.update(
                connection,
                "UPDATE entries SET directory = ?, name = ?, since = " + SnapshotRows.TAKEN
                        + " WHERE directory = ? AND name = ?",
                parent,
                name,
                parent,
                entry.parent(),
                entry.name());
        return entry.at(parent, name);
    }

    @Override
    public int reach(long directory) throws SQLException, CloudMwException {
        return Sql.first(connection, row -> row.getInt(1), "SELECT reach FROM directories WHERE id = ?", directory)
                .orElseThrow(() -> new SQLException("no directory " + directory));
    }

    @Override
    public void raise(long directory, int reachBytes) throws SQLException {
        Sql.update(connection, "UPDATE directories SET reach = ? WHERE id = ?", reachBytes, directory);
    }
}
