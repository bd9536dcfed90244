package io.cloudmw.coordinator.catalog.dynamodb;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.catalog.FleetReports;
import io.cloudmw.coordinator.catalog.PageRules;
import io.cloudmw.coordinator.catalog.UpkeepNotes;
import io.cloudmw.coordinator.catalog.change.AppliedCalls;
import io.cloudmw.coordinator.catalog.change.BatchCommit;
import io.cloudmw.coordinator.catalog.change.ChangeLog;
import io.cloudmw.coordinator.catalog.change.ChangeRequest;
import io.cloudmw.coordinator.catalog.change.CommitOutcome;
import io.cloudmw.coordinator.catalog.change.CommitRequest;
import io.cloudmw.coordinator.catalog.change.Pack;
import io.cloudmw.coordinator.catalog.change.ValueUpdate;
import io.cloudmw.coordinator.catalog.dynamodb.cluster.FleetItems;
import io.cloudmw.coordinator.catalog.dynamodb.cluster.SubjectItems;
import io.cloudmw.coordinator.catalog.dynamodb.table.DynamoDbClients;
import io.cloudmw.coordinator.catalog.dynamodb.table.DynamoDbSettings;
import io.cloudmw.coordinator.catalog.dynamodb.table.Item;
import io.cloudmw.coordinator.catalog.dynamodb.table.KeyLayout;
import io.cloudmw.coordinator.catalog.dynamodb.table.Table;
import io.cloudmw.coordinator.catalog.dynamodb.table.TableSchema;
import io.cloudmw.coordinator.catalog.dynamodb.transaction.RunningCalls;
import io.cloudmw.coordinator.catalog.dynamodb.transaction.TransactionRetry;
import io.cloudmw.coordinator.catalog.tree.CurrentEntry;
import io.cloudmw.coordinator.catalog.tree.CurrentFile;
import io.cloudmw.coordinator.catalog.tree.DirectoryEntry;
import io.cloudmw.coordinator.catalog.tree.DirectoryPath;
import io.cloudmw.coordinator.catalog.tree.KeptDirectory;
import io.cloudmw.coordinator.catalog.tree.SnapshotRecords;
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
import io.cloudmw.core.model.file.FileCopy;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.model.file.Rename;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.model.volume.Volume;
import io.cloudmw.core.time.Sleeper;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.DefaultCredentialsProvider;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;

/**
 * A catalog in one DynamoDB table. Any number of processes may have it open at once. When a call returns, three data
 * centres hold its changes.
 *
 * <p>Differences from {@link Catalog}: {@link #deleteVolume} removes the volume in one step and retires its files
 * afterwards. {@link #report} and {@link #commitAll} take effect in batches, and {@link #forget} drops a version in
 * several steps. After a crash, {@link #retireAbandoned} or the next call completes them.
 */
public final class DynamoDbCatalog implements Catalog {
    private final Table table;
    private final TransactionRetry transactions;
    private final FileItems files;
    private final VolumeItems volumes;
    private final VersionItems versions;
    private final PackItems packs;
    private final ReplicaItems replicas;
    private final SharedChunkItems shared;

    private final Leases leases;
    private final LockItems locks;
    private final SubjectItems subjects;
    private final UpkeepNotes notes;
    private final FleetReports fleet;
    private final ChangeLogItems changes;
    private final AppliedCalls applied;
    private final SnapshotRecords snapshots;
    private final RunningCalls calls = new RunningCalls();

    private DynamoDbCatalog(Table table) {
        this.table = table;
        this.transactions = new TransactionRetry(table, Sleeper.system());
        DirectoryNumbers numbers = new DirectoryNumbers(table);
        this.applied = new AppliedCallItems(calls, table);
        this.changes = new ChangeLogItems(calls, table, transactions);
        this.snapshots = new SnapshotItems(calls, table, transactions, numbers, changes);
        this.files = new FileItems(table, transactions, numbers, changes);
        this.volumes = new VolumeItems(table, transactions, numbers, changes);
        this.shared = new SharedChunkItems(table, transactions);
        this.replicas = new ReplicaItems(table, transactions, shared);
        this.leases = new LeaseItems(calls, table, transactions);
        this.locks = new LockItems(calls, table, transactions);
        this.subjects = new SubjectItems(calls, table, transactions);
        this.notes = new NoteItems(calls, table, transactions);
        this.fleet = new FleetItems(calls, table, transactions);
        this.versions = new VersionItems(table, transactions, numbers, replicas, shared, changes);
        this.packs = new PackItems(transactions, numbers, changes, replicas, shared, versions);
    }

    /**
     * Opens the catalog in a table, and creates the table if the settings say so. Credentials come from the places of
     * AWS tools: variables, properties, profile, container, instance.
     *
     * @throws CloudMwException {@code NOT_FOUND} when there is no such table; {@code INVALID_ARGUMENT} when the table
     *     is not a catalog, or no region is known; {@code VERSION_UNSUPPORTED} when a newer release wrote it;
     *     {@code STORE_DENIED} without credentials or rights; {@code COORDINATOR_UNAVAILABLE} when DynamoDB does not
     *     answer
     */
    public static DynamoDbCatalog open(DynamoDbSettings settings) throws CloudMwException {
        return open(
                settings,
                DynamoDbClients.open(
                        settings, DefaultCredentialsProvider.builder().build()));
    }

    /** Opens the catalog as {@link #open(DynamoDbSettings)}, with a fixed pair of keys. */
    public static DynamoDbCatalog open(DynamoDbSettings settings, String accessKeyId, String secretAccessKey)
            throws CloudMwException {
        AwsBasicCredentials keys = AwsBasicCredentials.create(accessKeyId, secretAccessKey);
        return open(settings, DynamoDbClients.open(settings, StaticCredentialsProvider.create(keys)));
    }

    private static DynamoDbCatalog open(DynamoDbSettings settings, DynamoDbClient client) throws CloudMwException {
        try {
            return new DynamoDbCatalog(TableSchema.open(client, settings));
        } catch (CloudMwException | RuntimeException e) {
            client.close();
            throw e;
        }
    }

    @Override
    public Volume createVolume(Volume volume, ChangeRequest request) throws CloudMwException {
        return calls.call(() -> volumes.create(volume, request));
    }

    @Override
    public Volume changeVolume(VolumeName name, ValueUpdate<Volume> change, ChangeRequest request)
            throws CloudMwException {
        return calls.call(() -> volumes.change(name, change, request));
    }

    @Override
    public Store changeStore(StoreId id, ValueUpdate<Store> change, ChangeRequest request) throws CloudMwException {
        return calls.call(() -> volumes.changeStore(id, change, request));
    }

    @Override
    public Optional<Volume> volume(VolumeName name) throws CloudMwException {
        return calls.call(() -> volumes.volume(name));
    }

    @Override
    public List<Volume> volumes() throws CloudMwException {
        return calls.call(volumes::volumes);
    }

    @Override
    public void deleteVolume(VolumeName name, boolean force, ChangeRequest request) throws CloudMwException {
        calls.act(() -> {
            volumes.delete(name, force, request);
            locks.removeAll(name);
        });
    }

    @Override
    public Store addStore(Store store, ChangeRequest request) throws CloudMwException {
        return calls.call(() -> volumes.addStore(store, request));
    }

    @Override
    public void putStore(Store store) throws CloudMwException {
        calls.act(() -> volumes.putStore(store));
    }

    @Override
    public List<Store> stores() throws CloudMwException {
        return calls.call(volumes::stores);
    }

    @Override
    public Store setCredentials(StoreId id, CredentialsReference reference, ChangeRequest request)
            throws CloudMwException {
        return calls.call(() -> volumes.setCredentials(id, reference, request));
    }

    @Override
    public Store removeStore(StoreId id, ChangeRequest request) throws CloudMwException {
        return calls.call(() -> volumes.removeStore(id, request));
    }

    @Override
    public void touch(VersionId version, long nowMillis) throws CloudMwException {
        calls.act(() -> versions.touch(version, nowMillis));
    }

    @Override
    public boolean resume(VersionId version, long nowMillis) throws CloudMwException {
        return calls.call(() -> versions.resume(version, nowMillis));
    }

    @Override
    public void putSegment(VersionId version, int index, byte[] encoded, List<SharedRun> runs, long nowMillis)
            throws CloudMwException {
        calls.act(() -> {
            shared.put(version, index, encoded, runs, nowMillis);
            transactions.run(transaction -> SegmentItems.put(transaction, version, index, encoded, nowMillis));
        });
    }

    @Override
    public Optional<byte[]> segment(VersionId version, int index) throws CloudMwException {
        return calls.call(() -> transactions.run(transaction -> SegmentItems.get(transaction, version, index)));
    }

    @Override
    public Map<VersionId, byte[]> firstSegments(List<VersionId> ids) throws CloudMwException {
        return calls.call(() -> transactions.run(transaction -> SegmentItems.first(transaction, ids)));
    }

    @Override
    public FileVersion commit(CommitRequest commit) throws CloudMwException {
        return calls.call(() -> versions.commit(commit));
    }

    @Override
    public List<CommitOutcome> commitAll(BatchCommit batch) throws CloudMwException {
        return calls.call(() -> packs.commit(batch));
    }

    @Override
    public void addPack(Pack pack) throws CloudMwException {
        calls.act(() -> packs.add(pack));
    }

    @Override
    public Page<FileVersion> packs(String pageToken, int limit) throws CloudMwException {
        PageRules.checkLimit(limit);
        return calls.call(() -> packs.list(pageToken, limit));
    }

    @Override
    public Page<FileVersion> filesSince(VersionId pack, long sinceMillis, String pageToken, int limit)
            throws CloudMwException {
        PageRules.checkLimit(limit);
        return calls.call(() -> packs.files(pack, sinceMillis, pageToken, limit));
    }

    @Override
    public Optional<PackRelocation> relocation(VersionId original) throws CloudMwException {
        return calls.call(() -> shared.relocation(original));
    }

    @Override
    public Optional<PackRelocation> relocationTo(VersionId pack) throws CloudMwException {
        return calls.call(() -> packs.relocationTo(pack));
    }

    @Override
    public boolean closePack(Lease lease, VersionId pack, long nowMillis) throws CloudMwException {
        return calls.call(() -> packs.close(lease, pack, nowMillis));
    }

    @Override
    public boolean replacePack(Lease lease, VersionId replaced, Pack pack, long nowMillis) throws CloudMwException {
        return calls.call(() -> packs.replace(lease, replaced, pack, nowMillis));
    }

    @Override
    public boolean retirePack(Lease lease, VersionId pack, long nowMillis) throws CloudMwException {
        return calls.call(() -> packs.retire(lease, pack, nowMillis));
    }

    @Override
    public Optional<FileVersion> giveUp(VersionId version, long nowMillis) throws CloudMwException {
        return calls.call(() -> versions.giveUp(version, nowMillis));
    }

    @Override
    public void checkPath(FilePath file) throws CloudMwException {
        calls.act(() -> files.checkPath(file));
    }

    @Override
    public Optional<CurrentFile> file(FilePath file) throws CloudMwException {
        return calls.call(() -> files.file(file));
    }

    @Override
    public List<Optional<CurrentFile>> files(List<FilePath> paths) throws CloudMwException {
        return calls.call(() -> files.files(paths));
    }

    @Override
    public Optional<CurrentEntry> entry(FilePath path) throws CloudMwException {
        return calls.call(() -> files.entry(path));
    }

    @Override
    public Attributes setAttributes(AttributeChange change, ChangeRequest request) throws CloudMwException {
        return calls.call(() -> files.setAttributes(change, request));
    }

    @Override
    public Optional<FileVersion> version(VersionId id) throws CloudMwException {
        return calls.call(() -> versions.committed(id));
    }

    @Override
    public Set<ChunkId> namedElsewhere(VersionId version, Collection<ChunkId> chunks) throws CloudMwException {
        return calls.call(() -> shared.namedElsewhere(version, chunks));
    }

    @Override
    public Optional<ChunkReference> namer(ChunkId chunk) throws CloudMwException {
        return calls.call(() -> shared.namer(chunk));
    }

    @Override
    public Set<ChunkId> namedBy(VersionId version, Collection<ChunkId> chunks) throws CloudMwException {
        return calls.call(() -> shared.namedBy(version, chunks));
    }

    @Override
    public FileVersion remove(FilePath file, boolean keepDirectories, ChangeRequest request) throws CloudMwException {
        return calls.call(() -> files.remove(file, keepDirectories, request));
    }

    @Override
    public void createDirectory(FilePath directory, boolean parents, Attributes attributes, ChangeRequest request)
            throws CloudMwException {
        calls.act(() -> files.createDirectory(directory, parents, attributes, request));
    }

    @Override
    public void removeDirectory(FilePath directory, ChangeRequest request) throws CloudMwException {
        calls.act(() -> files.removeDirectory(directory, request));
    }

    @Override
    public FileVersion copy(FileCopy copy, ChangeRequest request) throws CloudMwException {
        return calls.call(() -> files.copy(copy, request));
    }

    @Override
    public DirectoryEntry rename(Rename rename, ChangeRequest request) throws CloudMwException {
        return calls.call(() -> files.rename(rename, request));
    }

    @Override
    public FileVersion link(FilePath from, FilePath to, TreeFile as, long nowMillis) throws CloudMwException {
        return calls.call(() -> files.link(from, to, as, nowMillis));
    }

    @Override
    public void restoreDirectory(FilePath directory, KeptDirectory as, long nowMillis) throws CloudMwException {
        calls.act(() -> files.restoreDirectory(directory, as, nowMillis));
    }

    @Override
    public Page<DirectoryEntry> list(VolumeName volume, String directory, String pageToken, int limit)
            throws CloudMwException {
        PageRules.checkLimit(limit);
        DirectoryPath path = DirectoryPath.of(volume, directory);
        return calls.call(() -> files.list(path, pageToken, limit));
    }

    @Override
    public void report(List<ReplicaReport> reports, long nowMillis) throws CloudMwException {
        calls.act(() -> replicas.report(reports, nowMillis));
    }

    @Override
    public List<ReplicaReport> faults(VersionId version, long firstIndex, long endIndex) throws CloudMwException {
        return calls.call(() -> replicas.faults(version, firstIndex, endIndex));
    }

    @Override
    public List<ReplicaRecord> records(VersionId version, long firstIndex, long endIndex) throws CloudMwException {
        return calls.call(() -> replicas.records(version, firstIndex, endIndex));
    }

    @Override
    public Page<ReplicaRecord> pending(String pageToken, int limit) throws CloudMwException {
        PageRules.checkLimit(limit);
        return calls.call(() -> replicas.pending(pageToken, limit));
    }

    @Override
    public void settle(Lease lease, List<ReplicaRecord> records) throws CloudMwException {
        PageRules.checkSettled(records);
        calls.act(() -> replicas.settle(lease, records));
    }

    @Override
    public Page<FileVersion> live(String pageToken, int limit) throws CloudMwException {
        PageRules.checkLimit(limit);
        return calls.call(() -> versions.live(pageToken, limit));
    }

    @Override
    public Optional<VersionState> state(VersionId version) throws CloudMwException {
        return calls.call(() -> versions.state(version));
    }

    @Override
    public long underReplicatedChunks(VersionId version) throws CloudMwException {
        return calls.call(() -> versions.underReplicatedChunks(version));
    }

    @Override
    public Page<ReplicaReport> underReplicated(VolumeName volume, String pageToken, int limit) throws CloudMwException {
        PageRules.checkLimit(limit);
        return calls.call(() -> replicas.underReplicated(volume, pageToken, limit));
    }

    @Override
    public Optional<FleetReports> fleet() {
        return Optional.of(fleet);
    }

    @Override
    public Leases leases() {
        return leases;
    }

    @Override
    public int retireAbandoned(LeaseKeeper keeper, long beforeMillis, long nowMillis) throws CloudMwException {
        return calls.call(() -> {
            volumes.dropAll();
            return versions.retireAbandoned(keeper, beforeMillis, nowMillis);
        });
    }

    @Override
    public Page<VersionId> open(String pageToken, int limit) throws CloudMwException {
        PageRules.checkLimit(limit);
        return calls.call(() -> versions.open(pageToken, limit));
    }

    @Override
    public Page<RetiredVersion> retired(String pageToken, int limit) throws CloudMwException {
        PageRules.checkLimit(limit);
        return calls.call(() -> versions.retired(pageToken, limit));
    }

    @Override
    public void forget(Lease lease, VersionId version) throws CloudMwException {
        calls.act(() -> versions.forget(lease, version));
    }

    @Override
    public SnapshotRecords snapshots() {
        return snapshots;
    }

    /** Returns the cluster's id, which the first caller chooses. */
    @Override
    public String clusterId() throws CloudMwException {
        return calls.call(() -> transactions.run(transaction -> {
            Optional<Item> chosen = transaction.get(KeyLayout.CLUSTER);
            if (chosen.isPresent()) {
                return chosen.get().text(Item.TEXT);
            }
            String id = VersionId.random().value();
            transaction.put(Item.at(KeyLayout.CLUSTER).with(Item.TEXT, id));
            return id;
        }));
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
        return notes;
    }

    @Override
    public ChangeLog changes() {
        return changes;
    }

    @Override
    public void close() {
        calls.close(table::close);
    }
}
