package io.cloudmw.coordinator.catalog.sqlite;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.catalog.PageRules;
import io.cloudmw.coordinator.catalog.StoreLocationRules;
import io.cloudmw.coordinator.catalog.UpkeepNotes;
import io.cloudmw.coordinator.catalog.change.AppliedCalls;
import io.cloudmw.coordinator.catalog.change.BatchCommit;
import io.cloudmw.coordinator.catalog.change.CatalogErrors;
import io.cloudmw.coordinator.catalog.change.ChangeLog;
import io.cloudmw.coordinator.catalog.change.ChangeRequest;
import io.cloudmw.coordinator.catalog.change.CommitOutcome;
import io.cloudmw.coordinator.catalog.change.CommitRequest;
import io.cloudmw.coordinator.catalog.change.Pack;
import io.cloudmw.coordinator.catalog.change.ValueUpdate;
import io.cloudmw.coordinator.catalog.stored.StoredAnswer;
import io.cloudmw.coordinator.catalog.stored.StoredForms;
import io.cloudmw.coordinator.catalog.tree.CurrentEntry;
import io.cloudmw.coordinator.catalog.tree.CurrentFile;
import io.cloudmw.coordinator.catalog.tree.DirectoryEntry;
import io.cloudmw.coordinator.catalog.tree.DirectoryPath;
import io.cloudmw.coordinator.catalog.tree.KeptDirectory;
import io.cloudmw.coordinator.catalog.tree.PathErrors;
import io.cloudmw.coordinator.catalog.tree.SnapshotRecords;
import io.cloudmw.coordinator.catalog.tree.Tree;
import io.cloudmw.coordinator.catalog.tree.TreeFile;
import io.cloudmw.coordinator.catalog.version.ChunkReference;
import io.cloudmw.coordinator.catalog.version.RetiredVersion;
import io.cloudmw.coordinator.catalog.version.SharedRun;
import io.cloudmw.coordinator.catalog.version.VersionState;
import io.cloudmw.coordinator.grant.SubjectRecords;
import io.cloudmw.coordinator.lease.Lease;
import io.cloudmw.coordinator.lease.LeaseKeeper;
import io.cloudmw.coordinator.lease.Leases;
import io.cloudmw.coordinator.lock.LockRecords;
import io.cloudmw.core.access.CredentialsReference;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.manifest.ManifestDigest;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.Page;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.chunk.PackRelocation;
import io.cloudmw.core.model.chunk.ReplicaRecord;
import io.cloudmw.core.model.chunk.ReplicaReport;
import io.cloudmw.core.model.file.AttributeChange;
import io.cloudmw.core.model.file.Attributes;
import io.cloudmw.core.model.file.Change;
import io.cloudmw.core.model.file.FileCopy;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.model.file.Rename;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.model.volume.Volume;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A catalog in one SQLite file, used by one process at a time. Changes are synced to the disk when a call returns, so
 * that neither a killed process nor a power failure loses them.
 */
public final class SqliteCatalog implements Catalog {
    private final SqliteDatabase database;
    private final ChangeLogRows changes;
    private final AppliedCallRows applied;
    private final LockRows locks;
    private final SubjectRows subjects;

    private SqliteCatalog(SqliteDatabase database) {
        this.database = database;
        this.changes = new ChangeLogRows(database);
        this.applied = new AppliedCallRows(database);
        this.locks = new LockRows(database);
        this.subjects = new SubjectRows(database);
    }

    /**
     * Opens the catalog in {@code file}, and creates it or upgrades its schema where needed.
     *
     * @throws CloudMwException {@code ALREADY_EXISTS} when another process has it open; {@code VERSION_UNSUPPORTED}
     *     when a newer release wrote it; {@code LOCAL_IO} when it cannot be opened
     */
    public static SqliteCatalog open(Path file) throws CloudMwException {
        return new SqliteCatalog(SqliteDatabase.open(file));
    }

    @Override
    public Volume createVolume(Volume volume, ChangeRequest request) throws CloudMwException {
        String name = volume.name().value();
        return applied.once(request, StoredAnswer.VOLUME, connection -> {
            if (Sql.exists(connection, "SELECT 1 FROM volumes WHERE name = ?", name)) {
                throw CatalogErrors.volumeExists(volume.name());
            }
            useStores(connection, volume);
            Sql.update(
                    connection,
                    "INSERT INTO volumes (name, definition, root) VALUES (?, ?, ?)",
                    name,
                    StoredForms.volume(volume),
                    NameRows.addRoot(connection, name));
            return volume;
        });
    }

    private static void useStores(Connection connection, Volume volume) throws SQLException, CloudMwException {
        for (StoreId store : volume.storesInUse()) {
            if (!Sql.exists(connection, "SELECT 1 FROM stores WHERE id = ?", store.value())) {
                throw CatalogErrors.storeNotFound(store);
            }
            Sql.update(
                    connection,
                    "INSERT INTO volume_stores VALUES (?, ?)",
                    store.value(),
                    volume.name().value());
        }
    }

    @Override
    public Volume changeVolume(VolumeName name, ValueUpdate<Volume> change, ChangeRequest request)
            throws CloudMwException {
        return applied.once(request, StoredAnswer.VOLUME, connection -> {
            Volume known = volume(connection, name).orElseThrow(() -> CatalogErrors.volumeNotFound(name));
            Volume changed = change.of(known);
            Sql.update(connection, "DELETE FROM volume_stores WHERE volume = ?", name.value());
            useStores(connection, changed);
            Sql.update(
                    connection,
                    "UPDATE volumes SET definition = ? WHERE name = ?",
                    StoredForms.volume(changed),
                    name.value());
            return changed;
        });
    }

    private static Optional<Volume> volume(Connection connection, VolumeName name)
            throws SQLException, CloudMwException {
        return Sql.first(
                connection,
                row -> StoredForms.volume(row.getBytes(1)),
                "SELECT definition FROM volumes WHERE name = ?",
                name.value());
    }

    @Override
    public Optional<Volume> volume(VolumeName name) throws CloudMwException {
        return database.read(connection -> volume(connection, name));
    }

    @Override
    public List<Volume> volumes() throws CloudMwException {
        return database.read(connection -> Sql.list(
                connection,
                row -> StoredForms.volume(row.getBytes(1)),
                "SELECT definition FROM volumes ORDER BY name"));
    }

    @Override
    public void deleteVolume(VolumeName name, boolean force, ChangeRequest request) throws CloudMwException {
        String volume = name.value();
        long nowMillis = request.nowMillis();
        var unused = changes.tell(name, applied.once(request, StoredAnswer.MAYBE_VERSION, connection -> {
            if (!force && NameRows.hasFiles(connection, name)) {
                throw CatalogErrors.volumeNotEmpty(name);
            }
            if (Sql.update(connection, "DELETE FROM volumes WHERE name = ?", volume) == 0) {
                throw CatalogErrors.volumeNotFound(name);
            }
            Sql.update(connection, "DELETE FROM volume_stores WHERE volume = ?", volume);
            VersionRows.retireAll(connection, name, nowMillis);
            NameRows.removeAll(connection, name);
            SnapshotRows.removeAll(connection, name);
            LockRows.removeAll(connection, name);
            ChangeLogRows.add(connection, name, Change.volumeDeleted(nowMillis));
            return Optional.empty();
        }));
    }

    @Override
    public Store addStore(Store store, ChangeRequest request) throws CloudMwException {
        return applied.once(request, StoredAnswer.STORE, connection -> {
            return put(connection, StoreLocationRules.added(store, stores(connection)));
        });
    }

    @Override
    public void putStore(Store store) throws CloudMwException {
        database.write(connection -> put(connection, store));
    }

    private static Store put(Connection connection, Store store) throws SQLException {
        Sql.update(
                connection,
                "INSERT INTO stores VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET definition = excluded.definition",
                store.id().value(),
                StoredForms.store(store));
        return store;
    }

    @Override
    public Store setCredentials(StoreId id, CredentialsReference reference, ChangeRequest request)
            throws CloudMwException {
        return applied.once(
                request,
                StoredAnswer.STORE,
                connection -> put(connection, StoreLocationRules.withCredentials(known(connection, id), reference)));
    }

    private static Store known(Connection connection, StoreId id) throws SQLException, CloudMwException {
        return Sql.first(
                        connection,
                        row -> StoredForms.store(row.getBytes(1)),
                        "SELECT definition FROM stores WHERE id = ?",
                        id.value())
                .orElseThrow(() -> CatalogErrors.storeNotFound(id));
    }

    @Override
    public List<Store> stores() throws CloudMwException {
        return database.read(SqliteCatalog::stores);
    }

    private static List<Store> stores(Connection connection) throws SQLException, CloudMwException {
        return Sql.list(
                connection, row -> StoredForms.store(row.getBytes(1)), "SELECT definition FROM stores ORDER BY id");
    }

    @Override
    public Store removeStore(StoreId id, ChangeRequest request) throws CloudMwException {
        return applied.once(request, StoredAnswer.STORE, connection -> {
            Optional<String> volume = Sql.first(
                    connection,
                    row -> row.getString(1),
                    "SELECT volume FROM volume_stores WHERE store_id = ? LIMIT 1",
                    id.value());
            if (volume.isPresent()) {
                throw CatalogErrors.storeInUse(id, new VolumeName(volume.get()));
            }
            Store known = known(connection, id);
            Sql.update(connection, "DELETE FROM stores WHERE id = ?", id.value());
            return known;
        });
    }

    @Override
    public Store changeStore(StoreId id, ValueUpdate<Store> change, ChangeRequest request) throws CloudMwException {
        return applied.once(request, StoredAnswer.STORE, connection -> {
            Store changed = change.of(known(connection, id));
            Sql.update(
                    connection,
                    "UPDATE stores SET definition = ? WHERE id = ?",
                    StoredForms.store(changed),
                    id.value());
            return changed;
        });
    }

    @Override
    public void touch(VersionId version, long nowMillis) throws CloudMwException {
        database.write(connection -> {
            VersionRows.touch(connection, version, nowMillis);
            return 0;
        });
    }

    @Override
    public boolean resume(VersionId version, long nowMillis) throws CloudMwException {
        return database.write(connection -> VersionRows.resume(connection, version, nowMillis));
    }

    @Override
    public void putSegment(VersionId version, int index, byte[] encoded, List<SharedRun> shared, long nowMillis)
            throws CloudMwException {
        byte[] sha256 = ManifestDigest.ofSegment(encoded);
        database.write(
                connection -> VersionRows.putSegment(connection, version, index, encoded, sha256, shared, nowMillis));
    }

    @Override
    public Optional<byte[]> segment(VersionId version, int index) throws CloudMwException {
        return database.read(connection -> Sql.first(
                connection,
                row -> row.getBytes(1),
                "SELECT body FROM segments WHERE version_id = ? AND segment = ?",
                version.value(),
                index));
    }

    @Override
    public FileVersion commit(CommitRequest commit) throws CloudMwException {
        return changes.write(commit.version().file().volume(), connection -> VersionRows.commit(connection, commit));
    }

    @Override
    public List<CommitOutcome> commitAll(BatchCommit batch) throws CloudMwException {
        SqliteDatabase.Work<List<CommitOutcome>> work = connection -> {
            if (batch.pack().isPresent()) {
                Pack unused = PackRows.add(connection, batch.pack().get());
            }
            return PackRows.commit(connection, batch.files(), batch.deadline());
        };
        return batch.files().isEmpty()
                ? database.write(work)
                : changes.write(batch.files().get(0).version().file().volume(), work);
    }

    @Override
    public void addPack(Pack pack) throws CloudMwException {
        database.write(connection -> PackRows.add(connection, pack));
    }

    @Override
    public Page<FileVersion> packs(String pageToken, int limit) throws CloudMwException {
        PageRules.checkLimit(limit);
        List<FileVersion> found = database.read(connection -> PackRows.list(connection, pageToken, limit + 1));
        return PageRules.cut(found, limit, last -> last.id().value());
    }

    @Override
    public Page<FileVersion> filesSince(VersionId pack, long sinceMillis, String pageToken, int limit)
            throws CloudMwException {
        PageRules.checkLimit(limit);
        List<FileVersion> found =
                database.read(connection -> PackRows.files(connection, pack, sinceMillis, pageToken, limit + 1));
        return PageRules.cut(found, limit, last -> last.id().value());
    }

    @Override
    public Optional<PackRelocation> relocation(VersionId original) throws CloudMwException {
        return database.read(connection -> PackRows.relocation(connection, original));
    }

    @Override
    public Optional<PackRelocation> relocationTo(VersionId pack) throws CloudMwException {
        return database.read(connection -> PackRows.relocationTo(connection, pack));
    }

    @Override
    public boolean closePack(Lease lease, VersionId pack, long nowMillis) throws CloudMwException {
        return database.write(connection -> {
            LeaseRows.requireNewest(connection, lease);
            return PackRows.close(connection, pack);
        });
    }

    @Override
    public boolean replacePack(Lease lease, VersionId replaced, Pack pack, long nowMillis) throws CloudMwException {
        return database.write(connection -> {
            LeaseRows.requireNewest(connection, lease);
            return PackRows.replace(connection, replaced, pack, nowMillis);
        });
    }

    @Override
    public boolean retirePack(Lease lease, VersionId pack, long nowMillis) throws CloudMwException {
        return database.write(connection -> {
            LeaseRows.requireNewest(connection, lease);
            return PackRows.retire(connection, pack, nowMillis);
        });
    }

    @Override
    public Optional<FileVersion> giveUp(VersionId version, long nowMillis) throws CloudMwException {
        return database.write(connection -> VersionRows.giveUp(connection, version, nowMillis));
    }

    @Override
    public Optional<CurrentFile> file(FilePath file) throws CloudMwException {
        return database.read(connection -> VersionRows.file(connection, file));
    }

    @Override
    public Optional<CurrentEntry> entry(FilePath path) throws CloudMwException {
        return database.read(connection -> VersionRows.entry(connection, path));
    }

    @Override
    public void checkPath(FilePath file) throws CloudMwException {
        database.read(connection -> {
            NameRows.tree(connection).checkPut(file);
            return file;
        });
    }

    @Override
    public Attributes setAttributes(AttributeChange change, ChangeRequest request) throws CloudMwException {
        FilePath file = change.file();
        return changes.tell(file.volume(), applied.once(request, StoredAnswer.ATTRIBUTES, connection -> {
            Tree.Attributed changed = NameRows.tree(connection).setAttributes(change, request.nowMillis());
            ChangeLogRows.add(
                    connection, file.volume(), Change.attributes(file, changed.version(), request.nowMillis()));
            return changed.attributes();
        }));
    }

    @Override
    public Optional<FileVersion> version(VersionId id) throws CloudMwException {
        return database.read(connection -> Sql.first(
                connection,
                row -> StoredForms.version(row.getBytes(1)),
                "SELECT definition FROM versions WHERE id = ? AND definition IS NOT NULL AND state <> ?",
                id.value(),
                SqliteSchema.LENT));
    }

    @Override
    public Set<ChunkId> namedElsewhere(VersionId version, Collection<ChunkId> chunks) throws CloudMwException {
        return database.read(connection -> SharedChunkRows.namedElsewhere(connection, version, chunks));
    }

    @Override
    public Optional<ChunkReference> namer(ChunkId chunk) throws CloudMwException {
        return database.read(connection -> SharedChunkRows.namer(connection, chunk));
    }

    @Override
    public Set<ChunkId> namedBy(VersionId version, Collection<ChunkId> chunks) throws CloudMwException {
        return database.read(connection -> SharedChunkRows.namedBy(connection, version, chunks));
    }

    @Override
    public FileVersion remove(FilePath file, boolean keepDirectories, ChangeRequest request) throws CloudMwException {
        long nowMillis = request.nowMillis();
        return changes.tell(file.volume(), applied.once(request, StoredAnswer.VERSION, connection -> {
            FileVersion version =
                    VersionRows.current(connection, file).orElseThrow(() -> PathErrors.fileNotFound(file));
            Tree<SQLException> tree = NameRows.tree(connection);
            VersionRows.retire(connection, tree.remove(file, keepDirectories, nowMillis), nowMillis);
            ChangeLogRows.add(connection, file.volume(), Change.removed(file, version.id(), nowMillis));
            return version;
        }));
    }

    @Override
    public void createDirectory(FilePath directory, boolean parents, Attributes attributes, ChangeRequest request)
            throws CloudMwException {
        long nowMillis = request.nowMillis();
        var unused = changes.tell(directory.volume(), applied.once(request, StoredAnswer.MAYBE_VERSION, connection -> {
            if (NameRows.tree(connection).createDirectory(directory, parents, attributes, nowMillis)) {
                ChangeLogRows.add(connection, directory.volume(), Change.directoryCreated(directory, nowMillis));
            }
            return Optional.empty();
        }));
    }

    @Override
    public void removeDirectory(FilePath directory, ChangeRequest request) throws CloudMwException {
        long nowMillis = request.nowMillis();
        var unused = changes.tell(directory.volume(), applied.once(request, StoredAnswer.MAYBE_VERSION, connection -> {
            NameRows.tree(connection).removeDirectory(directory, nowMillis);
            ChangeLogRows.add(connection, directory.volume(), Change.directoryRemoved(directory, nowMillis));
            return Optional.empty();
        }));
    }

    @Override
    public FileVersion copy(FileCopy copy, ChangeRequest request) throws CloudMwException {
        SqliteDatabase.Work<FileVersion> work = connection -> VersionRows.copy(connection, copy, request.nowMillis());
        return changes.tell(copy.to().volume(), applied.once(request, StoredAnswer.VERSION, work));
    }

    @Override
    public DirectoryEntry rename(Rename rename, ChangeRequest request) throws CloudMwException {
        StoredAnswer<DirectoryEntry> form = StoredAnswer.MAYBE_VERSION.as(
                DirectoryEntry::version,
                version -> new DirectoryEntry(rename.to().name(), version));
        SqliteDatabase.Work<DirectoryEntry> work =
                connection -> VersionRows.rename(connection, rename, request.nowMillis());
        return changes.tell(rename.to().volume(), applied.once(request, form, work));
    }

    @Override
    public FileVersion link(FilePath from, FilePath to, TreeFile as, long nowMillis) throws CloudMwException {
        return changes.write(
                to.volume(),
                connection -> VersionRows.stand(connection, to, as, tree -> tree.link(from, to, as), nowMillis));
    }

    @Override
    public void restoreDirectory(FilePath directory, KeptDirectory as, long nowMillis) throws CloudMwException {
        var unused = changes.write(directory.volume(), connection -> {
            if (NameRows.tree(connection).restoreDirectory(directory, as)) {
                ChangeLogRows.add(connection, directory.volume(), Change.directoryCreated(directory, nowMillis));
            }
            return directory;
        });
    }

    @Override
    public Page<DirectoryEntry> list(VolumeName volume, String directory, String pageToken, int limit)
            throws CloudMwException {
        PageRules.checkLimit(limit);
        DirectoryPath path = DirectoryPath.of(volume, directory);
        return database.read(connection -> NameRows.list(connection, path, pageToken, limit));
    }

    @Override
    public void report(List<ReplicaReport> reports, long nowMillis) throws CloudMwException {
        database.write(connection -> {
            for (ReplicaReport report : reports) {
                ReplicaRows.report(connection, report, nowMillis);
            }
            return reports.size();
        });
    }

    @Override
    public List<ReplicaReport> faults(VersionId version, long firstIndex, long endIndex) throws CloudMwException {
        return database.read(connection -> ReplicaRows.records(connection, version, firstIndex, endIndex)).stream()
                .map(ReplicaRecord::report)
                .filter(report -> report.state().isFault())
                .toList();
    }

    @Override
    public List<ReplicaRecord> records(VersionId version, long firstIndex, long endIndex) throws CloudMwException {
        return database.read(connection -> ReplicaRows.records(connection, version, firstIndex, endIndex));
    }

    @Override
    public Page<ReplicaRecord> pending(String pageToken, int limit) throws CloudMwException {
        PageRules.checkLimit(limit);
        return database.read(connection -> ReplicaRows.pending(connection, pageToken, limit));
    }

    @Override
    public void settle(Lease lease, List<ReplicaRecord> records) throws CloudMwException {
        PageRules.checkSettled(records);
        database.write(connection -> {
            LeaseRows.requireNewest(connection, lease);
            for (ReplicaRecord record : records) {
                ReplicaRows.settle(connection, record);
            }
            return records.size();
        });
    }

    @Override
    public Page<FileVersion> live(String pageToken, int limit) throws CloudMwException {
        PageRules.checkLimit(limit);
        List<FileVersion> found = database.read(connection -> Sql.list(
                connection,
                row -> StoredForms.version(row.getBytes(1)),
                "SELECT definition FROM versions WHERE state = ? AND id > ? ORDER BY id LIMIT ?",
                SqliteSchema.CURRENT,
                pageToken,
                limit + 1));
        return PageRules.cut(found, limit, last -> last.id().value());
    }

    @Override
    public Optional<VersionState> state(VersionId version) throws CloudMwException {
        return database.read(connection -> VersionRows.state(connection, version))
                .map(SqliteSchema::state);
    }

    @Override
    public long underReplicatedChunks(VersionId version) throws CloudMwException {
        return database.read(connection -> ReplicaRows.underReplicatedChunks(connection, version));
    }

    @Override
    public Page<ReplicaReport> underReplicated(VolumeName volume, String pageToken, int limit) throws CloudMwException {
        PageRules.checkLimit(limit);
        return database.read(connection -> ReplicaRows.underReplicated(connection, volume, pageToken, limit));
    }

    @Override
    public Leases leases() {
        return new LeaseRows(database);
    }

    @Override
    public int retireAbandoned(LeaseKeeper keeper, long beforeMillis, long nowMillis) throws CloudMwException {
        Lease lease = keeper.lease();
        return database.write(connection -> {
            LeaseRows.requireNewest(connection, lease);
            return Sql.update(
                    connection,
                    "UPDATE versions SET state = 2, changed_at = ? WHERE state = 0 AND changed_at < ?",
                    nowMillis,
                    beforeMillis);
        });
    }

    @Override
    public Page<VersionId> open(String pageToken, int limit) throws CloudMwException {
        PageRules.checkLimit(limit);
        List<VersionId> found = database.read(connection -> Sql.list(
                connection,
                row -> new VersionId(row.getString(1)),
                "SELECT id FROM versions WHERE state = 0 AND id > ? ORDER BY id LIMIT ?",
                pageToken,
                limit + 1));
        return PageRules.cut(found, limit, VersionId::value);
    }

    @Override
    public Page<RetiredVersion> retired(String pageToken, int limit) throws CloudMwException {
        PageRules.checkLimit(limit);
        List<RetiredVersion> found = database.read(connection -> Sql.list(
                connection,
                row -> new RetiredVersion(new VersionId(row.getString(1)), row.getLong(2), row.getInt(3)),
                "SELECT id, changed_at, (SELECT count(*) FROM segments WHERE version_id = id)"
                        + " FROM versions WHERE state = 2 AND id > ? ORDER BY id LIMIT ?",
                pageToken,
                limit + 1));
        return PageRules.cut(found, limit, last -> last.id().value());
    }

    @Override
    public void forget(Lease lease, VersionId version) throws CloudMwException {
        database.write(connection -> {
            LeaseRows.requireNewest(connection, lease);
            boolean retired = Sql.exists(
                    connection,
                    "SELECT 1 FROM versions WHERE id = ? AND state = ?",
                    version.value(),
                    SqliteSchema.RETIRED);
            if (retired) {
                SharedChunkRows.forget(connection, version);
            }
            return retired;
        });
    }

    @Override
    public SnapshotRecords snapshots() {
        return new SnapshotRows(database, changes, applied);
    }

    @Override
    public String clusterId() throws CloudMwException {
        return database.read(connection -> Sql.first(connection, row -> row.getString(1), "SELECT id FROM cluster")
                .orElseThrow(() -> new IllegalStateException("the catalog's table cluster has no row")));
    }

    @Override
    public AppliedCalls appliedCalls() {
        return applied;
    }

    @Override
    public LockRecords locks() {
        return locks;
    }

    @Override
    public SubjectRecords subjects() {
        return subjects;
    }

    @Override
    public UpkeepNotes notes() {
        return new NoteRows(database);
    }

    @Override
    public ChangeLog changes() {
        return changes;
    }

    @Override
    public void close() {
        database.close();
    }
}
