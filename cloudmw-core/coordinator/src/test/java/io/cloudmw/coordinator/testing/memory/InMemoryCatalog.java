package io.cloudmw.coordinator.testing.memory;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.catalog.FleetReports;
import io.cloudmw.coordinator.catalog.PageRules;
import io.cloudmw.coordinator.catalog.StoreLocationRules;
import io.cloudmw.coordinator.catalog.UpkeepNotes;
import io.cloudmw.coordinator.catalog.change.AppliedCalls;
import io.cloudmw.coordinator.catalog.change.BatchCommit;
import io.cloudmw.coordinator.catalog.change.BatchFile;
import io.cloudmw.coordinator.catalog.change.CatalogErrors;
import io.cloudmw.coordinator.catalog.change.ChangeLog;
import io.cloudmw.coordinator.catalog.change.ChangeRequest;
import io.cloudmw.coordinator.catalog.change.CommitOutcome;
import io.cloudmw.coordinator.catalog.change.CommitRequest;
import io.cloudmw.coordinator.catalog.change.Pack;
import io.cloudmw.coordinator.catalog.change.ValueUpdate;
import io.cloudmw.coordinator.catalog.tree.CurrentEntry;
import io.cloudmw.coordinator.catalog.tree.CurrentFile;
import io.cloudmw.coordinator.catalog.tree.DirectoryEntry;
import io.cloudmw.coordinator.catalog.tree.DirectoryPath;
import io.cloudmw.coordinator.catalog.tree.KeptDirectory;
import io.cloudmw.coordinator.catalog.tree.ListingPosition;
import io.cloudmw.coordinator.catalog.tree.PathErrors;
import io.cloudmw.coordinator.catalog.tree.SnapshotRecords;
import io.cloudmw.coordinator.catalog.tree.Tree;
import io.cloudmw.coordinator.catalog.tree.TreeEntry;
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
import io.cloudmw.core.model.chunk.ReplicaState;
import io.cloudmw.core.model.file.AttributeChange;
import io.cloudmw.core.model.file.Attributes;
import io.cloudmw.core.model.file.Change;
import io.cloudmw.core.model.file.FileCopy;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.model.file.Rename;
import io.cloudmw.core.model.file.Snapshot;
import io.cloudmw.core.model.file.VersionPart;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.model.volume.Volume;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A catalog in maps, guarded by one lock. */
public final class InMemoryCatalog implements Catalog {
    @GuardedBy("this")
    private final TreeMap<VolumeName, Volume> volumes = new TreeMap<>();

    @GuardedBy("this")
    private final TreeMaps names = new TreeMaps();

    @GuardedBy("this")
    private final Tree<RuntimeException> tree = new Tree<>(names);

    @GuardedBy("this")
    private final TreeMap<StoreId, Store> stores = new TreeMap<>();

    @GuardedBy("this")
    private final TreeMap<String, VersionRecord> versions = new TreeMap<>();

    @GuardedBy("this")
    private final TreeMap<String, ReplicaRecord> replicas = new TreeMap<>();

    private final LeaseMap leases = new LeaseMap(this);
    private final LockMap locks = new LockMap(this);
    private final NoteMap notes = new NoteMap(this, leases);
    private final SubjectMap subjects = new SubjectMap(this);
    private final AppliedMap applied = new AppliedMap(this);
    private final Optional<FleetReports> fleet;

    private final ChangeLists changes = new ChangeLists();

    @GuardedBy("this")
    private final SnapshotMaps former = new SnapshotMaps(names);

    @GuardedBy("this")
    private final TreeSet<String> packs = new TreeSet<>();

    @GuardedBy("this")
    private final Set<String> closedPacks = new HashSet<>();

    /** The places of compacted packs, by the pack that manifests name. */
    @GuardedBy("this")
    private final Map<VersionId, PackRelocation> relocations = new HashMap<>();

    @GuardedBy("this")
    private final SharedRuns shared = new SharedRuns();

    @GuardedBy("this")
    private boolean closed;

    /** Creates a catalog for one coordinator. */
    public InMemoryCatalog() {
        fleet = Optional.empty();
    }

    private final String clusterId = VersionId.random().value();

    private InMemoryCatalog(boolean shared) {
        fleet = shared ? Optional.of(new FleetMaps(this)) : Optional.empty();
    }

    /** Creates a catalog for several coordinators in this process. */
    public static InMemoryCatalog shared() {
        return new InMemoryCatalog(true);
    }

    /** The records of one version. */
    private static final class VersionRecord {
        private final VersionId id;
        private final TreeMap<Integer, byte[]> segments = new TreeMap<>();
        private @Nullable FileVersion committed;
        private boolean retired;
        /** Forgotten except for chunks that others share; or never committed, with only its id kept. */
        private boolean lent;

        private long touchedAtMillis;

        VersionRecord(VersionId id) {
            this.id = id;
        }

        boolean isOpen() {
            return committed == null && !retired;
        }

        VersionState state() {
            if (lent) {
                return VersionState.LENT;
            }
            return retired ? VersionState.RETIRED : committed == null ? VersionState.OPEN : VersionState.CURRENT;
        }

        boolean isCurrent() {
            return committed != null && !retired;
        }

        /** Returns whether the version's manifest is kept and was checked. */
        boolean isKept() {
            return committed != null && !lent;
        }

        void retire(long nowMillis) {
            retired = true;
            touchedAtMillis = nowMillis;
        }
    }

    @Override
    public Volume createVolume(Volume volume, ChangeRequest request) throws CloudMwException {
        return applied.once(request, () -> addVolume(volume));
    }

    private synchronized Volume addVolume(Volume volume) throws CloudMwException {
        if (volumes.containsKey(volume.name())) {
            throw CatalogErrors.volumeExists(volume.name());
        }
        requireStores(volume);
        volumes.put(volume.name(), volume);
        names.addVolume(volume.name());
        return volume;
    }

    @GuardedBy("this")
    private void requireStores(Volume volume) throws CloudMwException {
        for (StoreId store : volume.storesInUse()) {
            if (!stores.containsKey(store)) {
                throw CatalogErrors.storeNotFound(store);
            }
        }
    }

    @Override
    public Volume changeVolume(VolumeName name, ValueUpdate<Volume> change, ChangeRequest request)
            throws CloudMwException {
        return applied.once(request, () -> alterVolume(name, change));
    }

    private synchronized Volume alterVolume(VolumeName name, ValueUpdate<Volume> change) throws CloudMwException {
        Volume known = volumes.get(name);
        if (known == null) {
            throw CatalogErrors.volumeNotFound(name);
        }
        Volume changed = change.of(known);
        requireStores(changed);
        volumes.put(name, changed);
        return changed;
    }

    @Override
    public synchronized Optional<Volume> volume(VolumeName name) throws CloudMwException {
        checkOpen();
        return Optional.ofNullable(volumes.get(name));
    }

    @Override
    public synchronized List<Volume> volumes() throws CloudMwException {
        checkOpen();
        return List.copyOf(volumes.values());
    }

    @Override
    public void deleteVolume(VolumeName name, boolean force, ChangeRequest request) throws CloudMwException {
        VolumeName unused = applied.once(request, () -> dropVolume(name, force, request.nowMillis()));
    }

    private synchronized VolumeName dropVolume(VolumeName name, boolean force, long nowMillis) throws CloudMwException {
        requireVolume(name);
        Set<VersionId> files = new HashSet<>(names.files(name));
        if (!force
                && !(names.isEmpty(names.root(name).orElseThrow())
                        && names.former().of(name).isEmpty())) {
            throw CatalogErrors.volumeNotEmpty(name);
        }
        names.removeVolume(name);
        files.addAll(names.former().removeVolume(name));
        files.forEach(version -> retire(version, nowMillis));
        volumes.remove(name);
        locks.removeAll(name);
        changes.add(name, Change.volumeDeleted(nowMillis));
        return name;
    }

    /** Retires a version unless a present or past entry names it. */
    @GuardedBy("this")
    private void retire(VersionId version, long nowMillis) {
        if (!names.former().isNamed(version)) {
            record(version, nowMillis).retire(nowMillis);
        }
    }

    @Override
    public AppliedCalls appliedCalls() {
        return applied;
    }

    @Override
    public SnapshotRecords snapshots() {
        return new InMemorySnapshots();
    }

    /** The snapshots. */
    private final class InMemorySnapshots implements SnapshotRecords {
        @Override
        public Snapshot create(VolumeName volume, String name, ChangeRequest request) throws CloudMwException {
            return applied.once(request, () -> {
                synchronized (InMemoryCatalog.this) {
                    requireVolume(volume);
                    return former.create(volume, name, request.nowMillis());
                }
            });
        }

        @Override
        public List<Snapshot> of(VolumeName volume) throws CloudMwException {
            synchronized (InMemoryCatalog.this) {
                requireVolume(volume);
                return names.former().of(volume);
            }
        }

        @Override
        public Snapshot remove(VolumeName volume, String name, ChangeRequest request) throws CloudMwException {
            return applied.once(request, () -> {
                synchronized (InMemoryCatalog.this) {
                    requireVolume(volume);
                    return former.remove(volume, name);
                }
            });
        }

        @Override
        public Optional<CurrentEntry> entry(String snapshot, FilePath path) throws CloudMwException {
            synchronized (InMemoryCatalog.this) {
                requireVolume(path.volume());
                return entryOf(former.tree(former.find(path.volume(), snapshot)).find(path), path);
            }
        }

        @Override
        @SuppressWarnings("GuardedBy") // the function runs at once, under the lock
        public Page<DirectoryEntry> list(
                String snapshot, VolumeName volume, String directory, String pageToken, int limit)
                throws CloudMwException {
            synchronized (InMemoryCatalog.this) {
                requireVolume(volume);
                Snapshot seen = former.find(volume, snapshot);
                return InMemoryCatalog.this.list(
                        DirectoryPath.of(volume, directory),
                        pageToken,
                        limit,
                        former.tree(seen),
                        (number, after) -> former.after(seen, number, after, limit + 1));
            }
        }

        @Override
        public FileVersion restore(String snapshot, FilePath file, ChangeRequest request) throws CloudMwException {
            return applied.once(request, () -> again(snapshot, file, request.nowMillis()));
        }

        private FileVersion again(String snapshot, FilePath file, long nowMillis) throws CloudMwException {
            synchronized (InMemoryCatalog.this) {
                requireVolume(file.volume());
                TreeFile as = former.tree(former.find(file.volume(), snapshot))
                        .find(file)
                        .flatMap(TreeEntry::file)
                        .orElseThrow(() -> PathErrors.notInSnapshot(file, snapshot));
                Optional<VersionId> replaced = tree.version(file);
                return named(file, replaced, as, tree.restore(file, as), nowMillis);
            }
        }

        /** Prunes all entries in one call. */
        @Override
        public String prune(Lease lease, String pageToken, int limit, long nowMillis) throws CloudMwException {
            PageRules.checkLimit(limit);
            synchronized (InMemoryCatalog.this) {
                checkOpen();
                leases.requireNewest(lease);
                names.former().prune().forEach(version -> retire(version, nowMillis));
                return "";
            }
        }
    }

    @Override
    public Store addStore(Store store, ChangeRequest request) throws CloudMwException {
        return applied.once(request, () -> add(store));
    }

    private synchronized Store add(Store store) throws CloudMwException {
        Store added = StoreLocationRules.added(store, List.copyOf(stores.values()));
        stores.put(added.id(), added);
        return added;
    }

    @Override
    public Store changeStore(StoreId id, ValueUpdate<Store> change, ChangeRequest request) throws CloudMwException {
        return applied.once(request, () -> alterStore(id, change));
    }

    private synchronized Store alterStore(StoreId id, ValueUpdate<Store> change) throws CloudMwException {
        Store known = stores.get(id);
        if (known == null) {
            throw CatalogErrors.storeNotFound(id);
        }
        Store changed = change.of(known);
        stores.put(id, changed);
        return changed;
    }

    @Override
    public synchronized void putStore(Store store) throws CloudMwException {
        checkOpen();
        stores.put(store.id(), store);
    }

    @Override
    public Store setCredentials(StoreId id, CredentialsReference reference, ChangeRequest request)
            throws CloudMwException {
        return applied.once(request, () -> changeCredentials(id, reference));
    }

    private synchronized Store changeCredentials(StoreId id, CredentialsReference reference) throws CloudMwException {
        Store known = stores.get(id);
        if (known == null) {
            throw CatalogErrors.storeNotFound(id);
        }
        Store changed = StoreLocationRules.withCredentials(known, reference);
        stores.put(id, changed);
        return changed;
    }

    @Override
    public synchronized List<Store> stores() throws CloudMwException {
        checkOpen();
        return List.copyOf(stores.values());
    }

    @Override
    public Store removeStore(StoreId id, ChangeRequest request) throws CloudMwException {
        return applied.once(request, () -> remove(id));
    }

    private synchronized Store remove(StoreId id) throws CloudMwException {
        Store known = stores.get(id);
        if (known == null) {
            throw CatalogErrors.storeNotFound(id);
        }
        for (Volume volume : volumes.values()) {
            if (volume.storesInUse().contains(id)) {
                throw CatalogErrors.storeInUse(id, volume.name());
            }
        }
        stores.remove(id);
        return known;
    }

    @Override
    public synchronized void touch(VersionId version, long nowMillis) throws CloudMwException {
        checkOpen();
        VersionRecord record = record(version, nowMillis);
        if (record.isOpen()) {
            record.touchedAtMillis = nowMillis;
        }
    }

    @Override
    public synchronized boolean resume(VersionId version, long nowMillis) throws CloudMwException {
        checkOpen();
        VersionRecord record = versions.get(version.value());
        if (record == null || !record.isOpen()) {
            return false;
        }
        record.touchedAtMillis = nowMillis;
        return true;
    }

    @Override
    public synchronized void putSegment(
            VersionId version, int index, byte[] encoded, List<SharedRun> runs, long nowMillis)
            throws CloudMwException {
        checkOpen();
        VersionRecord record = record(version, nowMillis);
        if (!record.isOpen()) {
            if (Arrays.equals(record.segments.get(index), encoded)) {
                return;
            }
            throw CatalogErrors.versionNotOpen(version);
        }
        record.segments.put(index, encoded);
        shared.put(version, index, runs);
        record.touchedAtMillis = nowMillis;
    }

    @Override
    public synchronized Optional<byte[]> segment(VersionId version, int index) throws CloudMwException {
        checkOpen();
        VersionRecord record = versions.get(version.value());
        return record == null ? Optional.empty() : Optional.ofNullable(record.segments.get(index));
    }

    @Override
    public synchronized FileVersion commit(CommitRequest commit) throws CloudMwException {
        FileVersion version = commit.version();
        FilePath file = version.file();
        requireVolume(file.volume());
        VersionRecord record = versions.get(version.id().value());
        if (record != null
                && record.committed != null
                && record.committed.file().equals(file)) {
            return record.committed;
        }
        locks.of(file).requireHeld(commit.locks());
        Optional<VersionId> found = tree.version(file);
        if (!found.equals(commit.expected())) {
            throw CatalogErrors.changed(file, commit.expected(), found);
        }
        if (record != null && !record.isOpen()) {
            throw CatalogErrors.abandoned(version);
        }
        for (VersionPart part : commit.parts()) {
            var unused = tree.requireVersion(part.file(), part.version());
        }
        checkSegments(version, record);
        tree.put(file, version.id(), commit.attributes(), version.committedAtMillis());
        found.ifPresent(old -> retire(old, version.committedAtMillis()));
        record(version.id(), version.committedAtMillis()).committed = version;
        commit.owed()
                .forEach(
                        owed -> replicas.putIfAbsent(PageRules.token(owed), record(owed, version.committedAtMillis())));
        dropGood(version.id());
        changes.add(file.volume(), Change.put(file, version.id(), version.committedAtMillis()));
        return version;
    }

    @Override
    public synchronized Optional<FileVersion> giveUp(VersionId version, long nowMillis) throws CloudMwException {
        checkOpen();
        VersionRecord record = record(version, nowMillis);
        if (record.isOpen()) {
            record.retire(nowMillis);
        }
        return Optional.ofNullable(record.committed);
    }

    private static void checkSegments(FileVersion version, @Nullable VersionRecord record) throws CloudMwException {
        ManifestDigest digest = new ManifestDigest();
        int count = 0;
        if (record != null) {
            for (Map.Entry<Integer, byte[]> segment : record.segments.entrySet()) {
                count += segment.getKey() == count ? 1 : 0;
                digest.add(ManifestDigest.ofSegment(segment.getValue()));
            }
            count = count == record.segments.size() ? count : -1;
        }
        String found = digest.finish();
        if (count != version.segmentCount() || !found.equals(version.manifestSha256())) {
            throw CatalogErrors.segmentsDiffer(version, (count < 0 ? "some" : count) + " with " + found);
        }
    }

    @Override
    public synchronized Optional<CurrentFile> file(FilePath file) throws CloudMwException {
        checkOpen();
        return described(tree.find(file), file);
    }

    @Override
    public synchronized Optional<CurrentEntry> entry(FilePath path) throws CloudMwException {
        checkOpen();
        return entryOf(tree.find(path), path);
    }

    @GuardedBy("this")
    private Optional<CurrentEntry> entryOf(Optional<TreeEntry> entry, FilePath path) {
        return entry.isPresent() && entry.get().isDirectory()
                ? Optional.of(CurrentEntry.directory(entry.get().kept()))
                : described(entry, path).map(CurrentEntry::file);
    }

    @GuardedBy("this")
    private Optional<CurrentFile> described(Optional<TreeEntry> entry, FilePath file) {
        if (entry.isEmpty() || entry.get().file().isEmpty()) {
            return Optional.empty();
        }
        TreeFile kept = entry.get().file().get();
        return current(entry.get(), file)
                .map(version -> new CurrentFile(version, kept.createdAtMillis(), kept.attributes()));
    }

    @Override
    public synchronized void checkPath(FilePath file) throws CloudMwException {
        checkOpen();
        tree.checkPut(file);
    }

    @Override
    public Attributes setAttributes(AttributeChange change, ChangeRequest request) throws CloudMwException {
        return applied.once(request, () -> note(change, request.nowMillis()));
    }

    private synchronized Attributes note(AttributeChange change, long nowMillis) throws CloudMwException {
        Tree.Attributed changed = tree.setAttributes(change, nowMillis);
        changes.add(change.file().volume(), Change.attributes(change.file(), changed.version(), nowMillis));
        return changed.attributes();
    }

    @GuardedBy("this")
    private Optional<FileVersion> current(TreeEntry entry, FilePath path) {
        VersionRecord record =
                entry.version().isPresent() ? versions.get(entry.version().get().value()) : null;
        FileVersion committed = record == null ? null : record.committed;
        return committed == null ? Optional.empty() : Optional.of(committed.at(path));
    }

    @Override
    public synchronized Optional<FileVersion> version(VersionId id) throws CloudMwException {
        checkOpen();
        VersionRecord record = versions.get(id.value());
        return record == null || record.lent ? Optional.empty() : Optional.ofNullable(record.committed);
    }

    @Override
    public FileVersion remove(FilePath file, boolean keepDirectories, ChangeRequest request) throws CloudMwException {
        return applied.once(request, () -> free(file, keepDirectories, request.nowMillis()));
    }

    private synchronized FileVersion free(FilePath file, boolean keepDirectories, long nowMillis)
            throws CloudMwException {
        FileVersion version = current(file).orElseThrow(() -> PathErrors.fileNotFound(file));
        tree.remove(file, keepDirectories, nowMillis);
        retire(version.id(), nowMillis);
        changes.add(file.volume(), Change.removed(file, version.id(), nowMillis));
        return version;
    }

    @Override
    public void createDirectory(FilePath directory, boolean parents, Attributes attributes, ChangeRequest request)
            throws CloudMwException {
        FilePath unused = applied.once(request, () -> make(directory, parents, attributes, request.nowMillis()));
    }

    private synchronized FilePath make(FilePath directory, boolean parents, Attributes attributes, long nowMillis)
            throws CloudMwException {
        requireVolume(directory.volume());
        if (tree.createDirectory(directory, parents, attributes, nowMillis)) {
            changes.add(directory.volume(), Change.directoryCreated(directory, nowMillis));
        }
        return directory;
    }

    @Override
    public synchronized void restoreDirectory(FilePath directory, KeptDirectory as, long nowMillis)
            throws CloudMwException {
        requireVolume(directory.volume());
        if (tree.restoreDirectory(directory, as)) {
            changes.add(directory.volume(), Change.directoryCreated(directory, nowMillis));
        }
    }

    @Override
    public void removeDirectory(FilePath directory, ChangeRequest request) throws CloudMwException {
        FilePath unused = applied.once(request, () -> unmake(directory, request.nowMillis()));
    }

    private synchronized FilePath unmake(FilePath directory, long nowMillis) throws CloudMwException {
        requireVolume(directory.volume());
        tree.removeDirectory(directory, nowMillis);
        changes.add(directory.volume(), Change.directoryRemoved(directory, nowMillis));
        return directory;
    }

    @Override
    public FileVersion copy(FileCopy copy, ChangeRequest request) throws CloudMwException {
        return applied.once(request, () -> share(copy, request.nowMillis()));
    }

    private synchronized FileVersion share(FileCopy copy, long nowMillis) throws CloudMwException {
        requireVolume(copy.to().volume());
        TreeFile as = tree.copied(copy, nowMillis);
        Optional<VersionId> replaced = tree.version(copy.to());
        return named(copy.to(), replaced, as, tree.restore(copy.to(), as), nowMillis);
    }

    @Override
    @SuppressWarnings("GuardedBy") // the function runs at once, under the lock
    public synchronized Page<DirectoryEntry> list(VolumeName volume, String directory, String pageToken, int limit)
            throws CloudMwException {
        checkOpen();
        return list(
                DirectoryPath.of(volume, directory),
                pageToken,
                limit,
                tree,
                (number, after) -> names.after(number, after, limit + 1));
    }

    /** A query for the names of a directory after one. */
    @FunctionalInterface
    private interface Following {
        List<TreeEntry> after(long directory, String name);
    }

    @GuardedBy("this")
    private Page<DirectoryEntry> list(
            DirectoryPath path, String pageToken, int limit, Tree<RuntimeException> in, Following following)
            throws CloudMwException {
        PageRules.checkLimit(limit);
        Optional<ListingPosition> position = in.position(path, pageToken);
        if (position.isEmpty()) {
            return new Page<>(List.of(), "");
        }
        List<DirectoryEntry> entries = new ArrayList<>();
        for (TreeEntry entry :
                following.after(position.get().directory(), position.get().after())) {
            entries.add(directoryEntry(entry, path.child(entry.name())));
        }
        return PageRules.cut(entries, limit, position.get()::tokenAfter);
    }

    @GuardedBy("this")
    private DirectoryEntry directoryEntry(TreeEntry entry, FilePath path) {
        return new DirectoryEntry(entry.name(), current(entry, path), entry.attributes(), entry.createdAtMillis());
    }

    @Override
    public DirectoryEntry rename(Rename rename, ChangeRequest request) throws CloudMwException {
        return applied.once(request, () -> move(rename, request.nowMillis()));
    }

    private synchronized DirectoryEntry move(Rename rename, long nowMillis) throws CloudMwException {
        requireVolume(rename.from().volume());
        Tree.Renamed renamed = tree.rename(rename, nowMillis);
        renamed.displaced().ifPresent(version -> retire(version, nowMillis));
        if (renamed.done()) {
            changes.add(
                    rename.to().volume(), Change.renamed(rename, renamed.entry().version(), nowMillis));
        }
        return new DirectoryEntry(renamed.entry().name(), current(renamed.entry(), rename.to()));
    }

    @Override
    public synchronized FileVersion link(FilePath from, FilePath to, TreeFile as, long nowMillis)
            throws CloudMwException {
        requireVolume(to.volume());
        Optional<VersionId> replaced = tree.version(to);
        return named(to, replaced, as, tree.link(from, to, as), nowMillis);
    }

    @GuardedBy("this")
    private FileVersion named(FilePath path, Optional<VersionId> replaced, TreeFile as, boolean changed, long nowMillis)
            throws CloudMwException {
        if (changed) {
            replaced.ifPresent(version -> retire(version, nowMillis));
            changes.add(path.volume(), Change.put(path, as.version(), nowMillis));
        }
        return current(path).orElseThrow(() -> PathErrors.fileNotFound(path));
    }

    @Override
    public synchronized void report(List<ReplicaReport> reports, long nowMillis) throws CloudMwException {
        checkOpen();
        for (ReplicaReport report : reports) {
            if (!report.state().isFromWriter()
                    && !versions.containsKey(report.chunk().version().value())) {
                continue;
            }
            boolean open = record(report.chunk().version(), nowMillis).committed == null;
            ReplicaRecord recorded = record(report, nowMillis);
            String key = PageRules.token(report);
            switch (report.state()) {
                case OWED -> replicas.putIfAbsent(key, recorded);
                case MISSING, CORRUPT ->
                    replicas.merge(key, recorded, (found, now) -> found.state().isDropped() ? found : now);
                // A late report of the writer overrides neither a reader's finding nor upkeep's decision.
                case GOOD ->
                    replicas.compute(
                            key,
                            (same, found) -> found != null && !isLiftedByItsWriter(found.state())
                                    ? found
                                    : open ? recorded : null);
                case MOVED, DROPPED, GONE -> throw new IllegalArgumentException("state: " + report.state());
            }
        }
    }

    private static boolean isLiftedByItsWriter(ReplicaState found) {
        return found == ReplicaState.GOOD || found == ReplicaState.OWED || found == ReplicaState.MISSING;
    }

    private static ReplicaRecord record(ReplicaReport report, long sinceMillis) {
        return new ReplicaRecord(report.chunk(), report.store(), report.state(), sinceMillis);
    }

    @Override
    public synchronized List<ReplicaReport> faults(VersionId version, long firstIndex, long endIndex)
            throws CloudMwException {
        return records(version, firstIndex, endIndex).stream()
                .map(ReplicaRecord::report)
                .filter(report -> report.state().isFault())
                .toList();
    }

    @Override
    public synchronized List<ReplicaRecord> records(VersionId version, long firstIndex, long endIndex)
            throws CloudMwException {
        checkOpen();
        if (firstIndex >= endIndex) {
            return List.of();
        }
        String from = new ChunkId(version, firstIndex).toString();
        String last = new ChunkId(version, endIndex - 1) + "/~";
        return replicas.subMap(from, last).values().stream()
                .filter(record -> record.state() != ReplicaState.GOOD)
                .toList();
    }

    @Override
    public synchronized Page<ReplicaRecord> pending(String pageToken, int limit) throws CloudMwException {
        checkOpen();
        PageRules.checkLimit(limit);
        String after = pageToken.isEmpty() ? "" : PageRules.token(PageRules.parse(pageToken));
        List<ReplicaRecord> page = replicas.tailMap(after, false).values().stream()
                .filter(record -> record.state().isFault())
                .limit(limit + 1L)
                .toList();
        return PageRules.cut(page, limit, PageRules::token);
    }

    @Override
    public synchronized void settle(Lease lease, List<ReplicaRecord> records) throws CloudMwException {
        checkOpen();
        leases.requireNewest(lease);
        for (ReplicaRecord record : PageRules.checkSettled(records)) {
            boolean known = versions.containsKey(record.chunk().version().value());
            if (record.state() == ReplicaState.GOOD) {
                replicas.remove(PageRules.token(record));
            } else if (known) {
                replicas.put(PageRules.token(record), record);
            }
        }
    }

    @Override
    public synchronized Page<FileVersion> live(String pageToken, int limit) throws CloudMwException {
        checkOpen();
        PageRules.checkLimit(limit);
        List<FileVersion> page = versions.tailMap(pageToken, false).values().stream()
                .filter(VersionRecord::isCurrent)
                .flatMap(record -> Optional.ofNullable(record.committed).stream())
                .limit(limit + 1L)
                .toList();
        return PageRules.cut(page, limit, last -> last.id().value());
    }

    @Override
    public synchronized Optional<VersionState> state(VersionId version) throws CloudMwException {
        checkOpen();
        return Optional.ofNullable(versions.get(version.value())).map(VersionRecord::state);
    }

    @Override
    public synchronized long underReplicatedChunks(VersionId version) throws CloudMwException {
        List<ReplicaReport> found = new ArrayList<>(faults(version, 0, ChunkId.MAX_INDEX + 1));
        for (SharedRun run : shared.of(version).toList()) {
            PackRelocation moved = relocations.get(run.owner());
            found.addAll(faults(moved == null ? run.owner() : moved.pack(), run.firstIndex(), run.endIndex()));
        }
        return found.stream().map(ReplicaReport::chunk).distinct().count();
    }

    @Override
    public synchronized Page<ReplicaReport> underReplicated(VolumeName volume, String pageToken, int limit)
            throws CloudMwException {
        checkOpen();
        PageRules.checkLimit(limit);
        String after = pageToken.isEmpty() ? "" : PageRules.token(PageRules.parse(pageToken));
        List<ReplicaReport> page = new ArrayList<>();
        for (ReplicaRecord found : replicas.tailMap(after, false).values()) {
            ReplicaReport report = found.report();
            boolean listed = report.state().isFault()
                    && namers(report.chunk()).stream().anyMatch(record -> isCurrent(record, volume));
            if (listed && page.size() <= limit) {
                page.add(report);
            }
        }
        return PageRules.cut(page, limit, PageRules::token);
    }

    private static boolean isCurrent(VersionRecord record, VolumeName volume) {
        return record.isCurrent()
                && record.committed != null
                && record.committed.file().volume().equals(volume);
    }

    /** Returns the committed versions whose manifests reference a chunk. */
    @GuardedBy("this")
    private List<VersionRecord> namers(ChunkId chunk) {
        return namers(chunk, relocations.containsKey(chunk.version()) ? Stream.of() : shared.naming(chunk));
    }

    @GuardedBy("this")
    private List<VersionRecord> namers(ChunkId chunk, Stream<VersionId> sharing) {
        List<VersionRecord> namers = new ArrayList<>();
        for (VersionId id : Stream.concat(Stream.of(chunk.version()), sharing).toList()) {
            VersionRecord record = versions.get(id.value());
            if (record != null && record.isKept()) {
                namers.add(record);
            }
        }
        return namers;
    }

    @Override
    public synchronized Set<ChunkId> namedElsewhere(VersionId version, Collection<ChunkId> chunks)
            throws CloudMwException {
        checkOpen();
        Set<ChunkId> named = new HashSet<>();
        for (ChunkId chunk : chunks) {
            if (namers(chunk).stream().anyMatch(record -> !record.id.equals(version))) {
                named.add(chunk);
            }
        }
        return named;
    }

    @Override
    public synchronized Optional<ChunkReference> namer(ChunkId chunk) throws CloudMwException {
        checkOpen();
        Optional<VersionRecord> found = namers(chunk).stream().max(Comparator.comparing(VersionRecord::isCurrent));
        if (found.isEmpty()) {
            return Optional.empty();
        }
        VersionId version = found.get().id;
        boolean current = found.get().isCurrent();
        return Optional.of(
                version.equals(chunk.version())
                        ? ChunkReference.ofWriter(version, current)
                        : new ChunkReference(version, shared.segment(version, chunk), current));
    }

    @Override
    public synchronized Set<ChunkId> namedBy(VersionId version, Collection<ChunkId> chunks) throws CloudMwException {
        checkOpen();
        VersionRecord record = versions.get(version.value());
        Set<ChunkId> named = new HashSet<>();
        for (ChunkId chunk : chunks) {
            if (record != null
                    && record.isKept()
                    && shared.segment(version, new ChunkId(original(chunk.version()), chunk.index()))
                            .isPresent()) {
                named.add(chunk);
            }
        }
        return named;
    }

    @Override
    public synchronized List<CommitOutcome> commitAll(BatchCommit batch) throws CloudMwException {
        if (batch.pack().isPresent()) {
            addPack(batch.pack().get());
        }
        List<CommitOutcome> outcomes = new ArrayList<>(batch.files().size());
        for (BatchFile file : batch.files()) {
            outcomes.add(
                    takes(batch, file)
                            ? BatchCommits.commit(this, file, batch.deadline())
                            : new CommitOutcome.Refused(CatalogErrors.abandoned(file.version())));
        }
        return outcomes;
    }

    @GuardedBy("this")
    private boolean takes(BatchCommit batch, BatchFile file) {
        VersionRecord known = versions.get(file.version().id().value());
        return (known != null && known.committed != null)
                || batch.pack()
                        .filter(pack -> closedPacks.contains(pack.version().id().value()))
                        .isEmpty();
    }

    @Override
    public synchronized void addPack(Pack pack) throws CloudMwException {
        FileVersion version = pack.version();
        requireVolume(version.file().volume());
        VersionRecord record = versions.get(version.id().value());
        if (record != null && record.isCurrent() && packs.contains(version.id().value())) {
            return;
        }
        if (record != null && !record.isOpen()) {
            throw CatalogErrors.abandoned(version);
        }
        long nowMillis = version.committedAtMillis();
        putSegment(version.id(), 0, pack.segment().bytes(), List.of(), nowMillis);
        record(version.id(), nowMillis).committed = version;
        packs.add(version.id().value());
        pack.relocation().ifPresent(relocation -> {
            relocations.put(relocation.original(), relocation);
            closedPacks.add(version.id().value());
        });
        pack.owed().forEach(owed -> replicas.putIfAbsent(PageRules.token(owed), record(owed, nowMillis)));
        dropGood(version.id());
    }

    @Override
    public synchronized Page<FileVersion> packs(String pageToken, int limit) throws CloudMwException {
        checkOpen();
        PageRules.checkLimit(limit);
        List<FileVersion> page = new ArrayList<>();
        for (String id : packs.tailSet(pageToken, false)) {
            VersionRecord record = versions.get(id);
            if (record != null && record.committed != null && page.size() <= limit) {
                page.add(record.committed);
            }
        }
        return PageRules.cut(page, limit, last -> last.id().value());
    }

    @Override
    public synchronized Page<FileVersion> filesSince(VersionId pack, long sinceMillis, String pageToken, int limit)
            throws CloudMwException {
        checkOpen();
        PageRules.checkLimit(limit);
        ChunkId named = new ChunkId(original(pack), 0);
        List<FileVersion> files = namers(named, shared.naming(named)).stream()
                .filter(record -> (record.isCurrent() || record.touchedAtMillis >= sinceMillis)
                        && !record.id.equals(named.version())
                        && record.id.value().compareTo(pageToken) > 0)
                .flatMap(record -> Stream.ofNullable(record.committed))
                .sorted(Comparator.comparing(version -> version.id().value()))
                .limit(limit + 1L)
                .toList();
        return PageRules.cut(files, limit, last -> last.id().value());
    }

    @Override
    public synchronized boolean retirePack(Lease lease, VersionId pack, long nowMillis) throws CloudMwException {
        checkOpen();
        leases.requireNewest(lease);
        VersionRecord record = versions.get(pack.value());
        ChunkId named = new ChunkId(original(pack), 0);
        boolean needed = namers(named, shared.naming(named)).stream()
                .anyMatch(naming -> naming.isCurrent() && !naming.id.equals(named.version()));
        if (needed || record == null || !packs.remove(pack.value())) {
            return false;
        }
        closedPacks.remove(pack.value());
        record.retire(nowMillis);
        return true;
    }

    @GuardedBy("this")
    private VersionId original(VersionId pack) {
        return relocations.values().stream()
                .filter(relocation -> relocation.pack().equals(pack))
                .map(PackRelocation::original)
                .findFirst()
                .orElse(pack);
    }

    @Override
    public synchronized Optional<PackRelocation> relocation(VersionId original) {
        return Optional.ofNullable(relocations.get(original));
    }

    @Override
    public synchronized Optional<PackRelocation> relocationTo(VersionId pack) {
        return Optional.ofNullable(relocations.get(original(pack)));
    }

    @Override
    public synchronized boolean closePack(Lease lease, VersionId pack, long nowMillis) throws CloudMwException {
        checkOpen();
        leases.requireNewest(lease);
        closedPacks.add(pack.value());
        return packs.contains(pack.value());
    }

    @Override
    public synchronized boolean replacePack(Lease lease, VersionId replaced, Pack pack, long nowMillis)
            throws CloudMwException {
        checkOpen();
        leases.requireNewest(lease);
        if (!packs.contains(replaced.value())) {
            return packs.contains(pack.version().id().value());
        }
        if (!closedPacks.contains(replaced.value())) {
            throw CatalogErrors.packNotClosed(replaced);
        }
        addPack(pack);
        packs.remove(replaced.value());
        closedPacks.remove(replaced.value());
        record(replaced, nowMillis).retire(nowMillis);
        return true;
    }

    @Override
    public String clusterId() {
        return clusterId;
    }

    @Override
    public Optional<FleetReports> fleet() {
        return fleet;
    }

    @Override
    public Leases leases() {
        return leases;
    }

    @Override
    public int retireAbandoned(LeaseKeeper keeper, long beforeMillis, long nowMillis) throws CloudMwException {
        return retireAbandoned(keeper.lease(), beforeMillis, nowMillis);
    }

    @Override
    public synchronized int retireAbandoned(Lease lease, long beforeMillis, long nowMillis) throws CloudMwException {
        checkOpen();
        leases.requireNewest(lease);
        int count = 0;
        for (VersionRecord record : versions.values()) {
            if (record.isOpen() && record.touchedAtMillis < beforeMillis) {
                record.retire(nowMillis);
                count++;
            }
        }
        return count;
    }

    @Override
    public synchronized Page<VersionId> open(String pageToken, int limit) throws CloudMwException {
        checkOpen();
        PageRules.checkLimit(limit);
        List<VersionId> page = versions.tailMap(pageToken, false).values().stream()
                .filter(VersionRecord::isOpen)
                .limit(limit + 1L)
                .map(record -> record.id)
                .toList();
        return PageRules.cut(page, limit, VersionId::value);
    }

    @Override
    public synchronized Page<RetiredVersion> retired(String pageToken, int limit) throws CloudMwException {
        checkOpen();
        PageRules.checkLimit(limit);
        List<RetiredVersion> page = versions.tailMap(pageToken, false).values().stream()
                .filter(record -> record.retired && !record.lent)
                .limit(limit + 1L)
                .map(record -> new RetiredVersion(record.id, record.touchedAtMillis, record.segments.size()))
                .toList();
        return PageRules.cut(page, limit, last -> last.id().value());
    }

    @Override
    public synchronized void forget(Lease lease, VersionId version) throws CloudMwException {
        checkOpen();
        leases.requireNewest(lease);
        VersionRecord record = versions.get(version.value());
        if (record != null && record.retired && !record.lent) {
            record.segments.clear();
            record.lent = true;
            dropIfUnshared(record);
            for (VersionId owner : shared.remove(version)) {
                VersionRecord lender = versions.get(owner.value());
                if (lender != null && lender.lent) {
                    dropIfUnshared(lender);
                }
            }
        }
    }

    @GuardedBy("this")
    private void dropIfUnshared(VersionRecord record) {
        boolean needed = false;
        for (VersionId id : shared.sharing(record.id).toList()) {
            VersionRecord other = versions.get(id.value());
            needed |= other != null && other.isKept();
        }
        if (!needed && record.committed != null) {
            versions.remove(record.id.value());
        }
        if (!needed) {
            relocations.remove(record.id);
            replicas.values().removeIf(report -> report.chunk().version().equals(record.id));
        }
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
        return notes;
    }

    @Override
    public ChangeLog changes() {
        return changes;
    }

    @Override
    public synchronized void close() {
        closed = true;
        changes.close();
    }

    @GuardedBy("this")
    private void dropGood(VersionId version) {
        replicas.values()
                .removeIf(report -> report.state() == ReplicaState.GOOD
                        && report.chunk().version().equals(version));
    }

    @GuardedBy("this")
    void requireVolume(VolumeName name) throws CloudMwException {
        checkOpen();
        if (!volumes.containsKey(name)) {
            throw CatalogErrors.volumeNotFound(name);
        }
    }

    @GuardedBy("this")
    private VersionRecord record(VersionId version, long nowMillis) {
        return versions.computeIfAbsent(version.value(), ignored -> {
            VersionRecord created = new VersionRecord(version);
            created.touchedAtMillis = nowMillis;
            return created;
        });
    }

    @GuardedBy("this")
    void checkOpen() throws CloudMwException {
        if (closed) {
            throw CatalogErrors.closed();
        }
    }
}
