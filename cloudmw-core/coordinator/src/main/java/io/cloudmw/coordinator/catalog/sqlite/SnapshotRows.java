package io.cloudmw.coordinator.catalog.sqlite;

import io.cloudmw.coordinator.catalog.PageRules;
import io.cloudmw.coordinator.catalog.change.CatalogErrors;
import io.cloudmw.coordinator.catalog.change.ChangeRequest;
import io.cloudmw.coordinator.catalog.stored.StoredAnswer;
import io.cloudmw.coordinator.catalog.tree.CurrentEntry;
import io.cloudmw.coordinator.catalog.tree.DirectoryEntry;
import io.cloudmw.coordinator.catalog.tree.DirectoryPath;
import io.cloudmw.coordinator.catalog.tree.ListingPosition;
import io.cloudmw.coordinator.catalog.tree.PathErrors;
import io.cloudmw.coordinator.catalog.tree.SnapshotRecords;
import io.cloudmw.coordinator.catalog.tree.SnapshotTreeStore;
import io.cloudmw.coordinator.catalog.tree.Tree;
import io.cloudmw.coordinator.catalog.tree.TreeEntry;
import io.cloudmw.coordinator.catalog.tree.TreeFile;
import io.cloudmw.coordinator.lease.Lease;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.Page;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.model.file.Snapshot;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** The rows of snapshots and past entries. Safe for any thread. */
final class SnapshotRows implements SnapshotRecords {
    /** The number of snapshots of a directory's volume: an entry written now has its form since that number. */
    static final String TAKEN =
            "(SELECT v.snapshots_taken FROM directories d JOIN volumes v ON v.name = d.volume WHERE d.id = ?)";

    /** The query for an entry in a snapshot; its parameters are directory, name and the snapshot's number, twice. */
    private static final String CHILD = "SELECT child, version_id, created_at, attributes, kept FROM entries"
            + " WHERE directory = ?1 AND name = ?2 AND since <= ?3"
            + " UNION ALL SELECT child, version_id, created_at, attributes, kept FROM past"
            + " WHERE directory = ?1 AND name = ?2 AND since <= ?3 AND until > ?3";

    private static final String CHILDREN = "SELECT e.name, v.definition, e.attributes, e.created_at FROM ("
            + "SELECT name, version_id, attributes, created_at FROM entries WHERE directory = ?1 AND name > ?2 AND since <= ?3"
            + " UNION ALL SELECT name, version_id, attributes, created_at FROM past"
            + " WHERE directory = ?1 AND name > ?2 AND since <= ?3 AND until > ?3 ORDER BY 1 LIMIT ?4) e"
            + " LEFT JOIN versions v ON v.id = e.version_id ORDER BY e.name";

    private final SqliteDatabase database;
    private final ChangeLogRows changes;
    private final AppliedCallRows applied;

    SnapshotRows(SqliteDatabase database, ChangeLogRows changes, AppliedCallRows applied) {
        this.database = database;
        this.changes = changes;
        this.applied = applied;
    }

    /** Copies an entry to the past before it is changed or removed, if a snapshot may see it. */
    static void keep(Connection connection, long directory, String name) throws SQLException {
        Sql.update(
                connection,
                "INSERT INTO past (directory, name, until, since, volume, child, version_id, created_at, attributes, kept)"
                        + " SELECT e.directory, e.name, v.snapshots_taken, e.since, v.name, e.child, e.version_id,"
                        + " e.created_at, e.attributes, e.kept FROM entries e JOIN directories d ON d.id = e.directory"
                        + " JOIN volumes v ON v.name = d.volume"
                        + " WHERE e.directory = ? AND e.name = ? AND e.since < v.snapshots_taken",
                directory,
                name);
    }

    static void removeAll(Connection connection, VolumeName volume) throws SQLException {
        Sql.update(connection, "DELETE FROM past WHERE volume = ?", volume.value());
        Sql.update(connection, "DELETE FROM snapshots WHERE volume = ?", volume.value());
    }

    private static List<Snapshot> of(Connection connection, VolumeName volume) throws SQLException, CloudMwException {
        if (!Sql.exists(connection, "SELECT 1 FROM volumes WHERE name = ?", volume.value())) {
            throw CatalogErrors.volumeNotFound(volume);
        }
        return Sql.list(
                connection,
                row -> snapshot(volume, row),
                "SELECT name, number, created_at FROM snapshots WHERE volume = ? ORDER BY number",
                volume.value());
    }

    private static Snapshot snapshot(VolumeName volume, ResultSet row) throws SQLException {
        return new Snapshot(volume, row.getString(1), row.getLong(2), row.getLong(3));
    }

    private static Snapshot find(Connection connection, VolumeName volume, String name)
            throws SQLException, CloudMwException {
        return of(connection, volume).stream()
                .filter(snapshot -> snapshot.name().equals(name))
                .findFirst()
                .orElseThrow(() -> PathErrors.snapshotNotFound(volume, name));
    }

    @Override
    public Snapshot create(VolumeName volume, String name, ChangeRequest request) throws CloudMwException {
        return applied.once(request, StoredAnswer.SNAPSHOT, connection -> {
            List<Snapshot> present = of(connection, volume);
            if (present.stream().anyMatch(snapshot -> snapshot.name().equals(name))) {
                throw PathErrors.snapshotExists(volume, name);
            }
            if (present.size() >= MAX_SNAPSHOTS) {
                throw PathErrors.tooManySnapshots(volume);
            }
            Sql.update(
                    connection,
                    "INSERT INTO snapshots SELECT name, ?, snapshots_taken, ? FROM volumes WHERE name = ?",
                    name,
                    request.nowMillis(),
                    volume.value());
            Sql.update(
                    connection,
                    "UPDATE volumes SET snapshots_taken = snapshots_taken + 1 WHERE name = ?",
                    volume.value());
            return find(connection, volume, name);
        });
    }

    @Override
    public List<Snapshot> of(VolumeName volume) throws CloudMwException {
        return database.read(connection -> of(connection, volume));
    }

    @Override
    public Snapshot remove(VolumeName volume, String name, ChangeRequest request) throws CloudMwException {
        return applied.once(request, StoredAnswer.SNAPSHOT, connection -> {
            Snapshot removed = find(connection, volume, name);
            Sql.update(
                    connection, "DELETE FROM snapshots WHERE volume = ? AND name = ?", volume.value(), removed.name());
            return removed;
        });
    }

    /** The tree that a snapshot sees. */
    private static final class SnapshotView extends SnapshotTreeStore<SQLException> {
        private final Connection connection;
        private final Snapshot snapshot;

        SnapshotView(Connection connection, Snapshot snapshot) {
            this.connection = connection;
            this.snapshot = snapshot;
        }

        @Override
        public OptionalLong root(VolumeName volume) throws SQLException, CloudMwException {
            return NameRows.store(connection).root(volume);
        }

        @Override
        public Optional<TreeEntry> child(long directory, String name) throws SQLException, CloudMwException {
            return Sql.first(
                    connection, row -> NameRows.entry(directory, name, row), CHILD, directory, name, snapshot.number());
        }
    }

    private static Tree<SQLException> tree(Connection connection, VolumeName volume, String snapshot)
            throws SQLException, CloudMwException {
        return new Tree<>(new SnapshotView(connection, find(connection, volume, snapshot)));
    }

    private static Optional<TreeFile> former(Connection connection, String snapshot, FilePath path)
            throws SQLException, CloudMwException {
        return formerEntry(connection, snapshot, path).flatMap(TreeEntry::file);
    }

    private static Optional<TreeEntry> formerEntry(Connection connection, String snapshot, FilePath path)
            throws SQLException, CloudMwException {
        return tree(connection, path.volume(), snapshot).find(path);
    }

    @Override
    public Optional<CurrentEntry> entry(String snapshot, FilePath path) throws CloudMwException {
        return database.read(
                connection -> VersionRows.entry(connection, path, formerEntry(connection, snapshot, path)));
    }

    @Override
    public Page<DirectoryEntry> list(String snapshot, VolumeName volume, String directory, String pageToken, int limit)
            throws CloudMwException {
        PageRules.checkLimit(limit);
        DirectoryPath path = DirectoryPath.of(volume, directory);
        return database.read(connection -> {
            Snapshot seen = find(connection, volume, snapshot);
            Optional<ListingPosition> position =
                    new Tree<>(new SnapshotView(connection, seen)).position(path, pageToken);
            if (position.isEmpty()) {
                return new Page<>(List.of(), "");
            }
            List<DirectoryEntry> found = Sql.list(
                    connection,
                    row -> NameRows.listed(path, row),
                    CHILDREN,
                    position.get().directory(),
                    position.get().after(),
                    seen.number(),
                    limit + 1);
            return PageRules.cut(found, limit, position.get()::tokenAfter);
        });
    }

    @Override
    public FileVersion restore(String snapshot, FilePath file, ChangeRequest request) throws CloudMwException {
        long nowMillis = request.nowMillis();
        return changes.tell(file.volume(), applied.once(request, StoredAnswer.VERSION, connection -> {
            TreeFile former =
                    former(connection, snapshot, file).orElseThrow(() -> PathErrors.notInSnapshot(file, snapshot));
            return VersionRows.stand(connection, file, former, tree -> tree.restore(file, former), nowMillis);
        }));
    }

    /** A past entry. */
    private record Row(long directory, String name, long until, Optional<VersionId> version, boolean seen) {
        String token() {
            return directory + "/" + until + "/" + name;
        }
    }

    @Override
    public String prune(Lease lease, String pageToken, int limit, long nowMillis) throws CloudMwException {
        PageRules.checkLimit(limit);
        Object[] after = after(pageToken, limit);
        return database.write(connection -> {
            LeaseRows.requireNewest(connection, lease);
            List<Row> page = Sql.list(
                    connection,
                    SnapshotRows::row,
                    "SELECT p.directory, p.name, p.until, p.version_id, EXISTS (SELECT 1 FROM snapshots s"
                            + " WHERE s.volume = p.volume AND s.number >= p.since AND s.number < p.until) FROM past p"
                            + " WHERE (p.directory, p.name, p.until) > (?, ?, ?)"
                            + " ORDER BY p.directory, p.name, p.until LIMIT ?",
                    after);
            for (Row row : page) {
                if (!row.seen()) {
                    drop(connection, row, nowMillis);
                }
            }
            return page.size() < limit ? "" : page.get(page.size() - 1).token();
        });
    }

    private static Object[] after(String pageToken, int limit) throws CloudMwException {
        if (pageToken.isEmpty()) {
            return new Object[] {-1L, "", -1L, limit};
        }
        String[] parts = pageToken.split("/", 3);
        try {
            return new Object[] {Long.parseLong(parts[0]), parts[2], Long.parseLong(parts[1]), limit};
        } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
            throw new CloudMwException(ErrorCode.INVALID_ARGUMENT, "page token: malformed", e);
        }
    }

    private static Row row(ResultSet row) throws SQLException {
        return new Row(
                row.getLong(1),
                row.getString(2),
                row.getLong(3),
                Optional.ofNullable(row.getString(4)).map(VersionId::new),
                row.getBoolean(5));
    }

    private static void drop(Connection connection, Row row, long nowMillis) throws SQLException {
        Sql.update(
                connection,
                "DELETE FROM past WHERE directory = ? AND name = ? AND until = ?",
                row.directory(),
                row.name(),
                row.until());
        if (row.version().isPresent()) {
            VersionRows.retire(connection, row.version().get(), nowMillis);
        }
    }
}
