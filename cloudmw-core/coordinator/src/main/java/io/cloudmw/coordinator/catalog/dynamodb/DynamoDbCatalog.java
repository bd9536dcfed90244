package io.cloudmw.coordinator.catalog.dynamodb;

import io.cloudmw.coordinator.catalog.Alteration;
import io.cloudmw.coordinator.catalog.AppliedCalls;
import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.catalog.ChangeLog;
import io.cloudmw.coordinator.catalog.ChangeRequest;
import io.cloudmw.coordinator.catalog.Commit;
import io.cloudmw.coordinator.catalog.CurrentFile;
import io.cloudmw.coordinator.catalog.DirectoryEntry;
import io.cloudmw.coordinator.catalog.DirectoryPath;
import io.cloudmw.coordinator.catalog.FleetBoard;
import io.cloudmw.coordinator.catalog.Notes;
import io.cloudmw.coordinator.catalog.Pages;
import io.cloudmw.coordinator.catalog.RetiredVersion;
import io.cloudmw.coordinator.catalog.SharedRun;
import io.cloudmw.coordinator.catalog.Snapshots;
import io.cloudmw.coordinator.catalog.TreeFile;
import io.cloudmw.coordinator.catalog.VersionState;
import io.cloudmw.coordinator.lease.Lease;
import io.cloudmw.coordinator.lease.LeaseKeeper;
import io.cloudmw.coordinator.lease.Leases;
import io.cloudmw.core.access.CredentialsReference;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.Page;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.chunk.ReplicaRecord;
import io.cloudmw.core.model.chunk.ReplicaReport;
import io.cloudmw.core.model.file.AttributeChange;
import io.cloudmw.core.model.file.Attributes;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.model.file.Rename;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.model.volume.Volume;
import io.cloudmw.core.time.Sleeper;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.DefaultCredentialsProvider;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;

/**
 * A catalog in one DynamoDB table. Any number of processes may have it open at once. What a call changed is kept by three
 * data centres when it returns.
 *
 * <p>Where it differs from {@link Catalog}: {@link #deleteVolume} takes the volume away in one step and retires its files
 * after that, {@link #report} takes effect some reports at a time, and {@link #forget} drops a version bit by bit; what a
 * crash left of any of them {@link #retireAbandoned} or the next call of it completes.
 */
public final class DynamoDbCatalog implements Catalog {
    private final Table table;
    private final Transactions transactions;
    private final Files files;
    private final Volumes volumes;
    private final Versions versions;
    private final Replicas replicas;
    private final SharedItems shared;

    private final Leases leases;
    private final Notes notes;
    private final FleetBoard fleet;
    private final ChangeItems changes;
    private final AppliedCalls applied;
    private final Snapshots snapshots;
    private final Calls calls = new Calls();

    private DynamoDbCatalog(Table table) {
        this.table = table;
        this.transactions = new Transactions(table, Sleeper.system());
        Numbers numbers = new Numbers(table);
        this.applied = new AppliedItems(calls, table);
        this.changes = new ChangeItems(calls, table, transactions);
        this.snapshots = new SnapshotItems(calls, table, transactions, numbers, changes);
        this.files = new Files(table, transactions, numbers, changes);
        this.volumes = new Volumes(table, transactions, numbers, changes);
        this.shared = new SharedItems(table, transactions);
        this.replicas = new Replicas(table, transactions, shared);
        this.leases = new LeaseItems(calls, table, transactions);
        this.notes = new NoteItems(calls, table, transactions);
        this.fleet = new FleetItems(calls, table, transactions);
        this.versions = new Versions(table, transactions, numbers, replicas, shared, changes);
    }

    /**
     * Opens the catalog in a table, making it if that is asked for. Credentials come from where AWS tools look for them:
     * variables, properties, profile, container, instance.
     *
     * @throws CloudMwException {@code NOT_FOUND} when there is no such table; {@code INVALID_ARGUMENT} when it is not a
     *     catalog's, or no region is known; {@code VERSION_UNSUPPORTED} when a newer release wrote it; {@code STORE_DENIED}
     *     without credentials or rights; {@code COORDINATOR_UNAVAILABLE} when DynamoDB does not answer
     */
    public static DynamoDbCatalog open(DynamoDbSettings settings) throws CloudMwException {
        return open(
                settings,
                Clients.open(settings, DefaultCredentialsProvider.builder().build()));
    }

    /** As {@link #open(DynamoDbSettings)}, with a fixed pair of keys. */
    public static DynamoDbCatalog open(DynamoDbSettings settings, String accessKeyId, String secretAccessKey)
            throws CloudMwException {
        AwsBasicCredentials keys = AwsBasicCredentials.create(accessKeyId, secretAccessKey);
        return open(settings, Clients.open(settings, StaticCredentialsProvider.create(keys)));
    }

    private static DynamoDbCatalog open(DynamoDbSettings settings, DynamoDbClient client) throws CloudMwException {
        try {
            return new DynamoDbCatalog(Schema.open(client, settings));
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
    public Volume changeVolume(VolumeName name, Alteration<Volume> change, ChangeRequest request)
            throws CloudMwException {
        return calls.call(() -> volumes.change(name, change, request));
    }

    @Override
    public Store changeStore(StoreId id, Alteration<Store> change, ChangeRequest request) throws CloudMwException {
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
        calls.act(() -> volumes.delete(name, force, request));
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
            transactions.run(transaction -> Segments.put(transaction, version, index, encoded, nowMillis));
        });
    }

    @Override
    public Optional<byte[]> segment(VersionId version, int index) throws CloudMwException {
        return calls.call(() -> transactions.run(transaction -> Segments.get(transaction, version, index)));
    }

    @Override
    public FileVersion commit(Commit commit) throws CloudMwException {
        return calls.call(() -> versions.commit(commit));
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
    public Optional<VersionId> namer(ChunkId chunk) throws CloudMwException {
        return calls.call(() -> shared.namer(chunk));
    }

    @Override
    public List<SharedRun> shared(VersionId version, int segment) throws CloudMwException {
        return calls.call(() -> shared.of(version, segment));
    }

    @Override
    public FileVersion remove(FilePath file, ChangeRequest request) throws CloudMwException {
        return calls.call(() -> files.remove(file, request));
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
    public Page<DirectoryEntry> list(VolumeName volume, String directory, String pageToken, int limit)
            throws CloudMwException {
        Pages.checkLimit(limit);
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
        Pages.checkLimit(limit);
        return calls.call(() -> replicas.pending(pageToken, limit));
    }

    @Override
    public void settle(Lease lease, List<ReplicaRecord> records) throws CloudMwException {
        Pages.checkSettled(records);
        calls.act(() -> replicas.settle(lease, records));
    }

    @Override
    public Page<FileVersion> live(String pageToken, int limit) throws CloudMwException {
        Pages.checkLimit(limit);
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
        Pages.checkLimit(limit);
        return calls.call(() -> replicas.underReplicated(volume, pageToken, limit));
    }

    @Override
    public Optional<FleetBoard> fleet() {
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
        Pages.checkLimit(limit);
        return calls.call(() -> versions.open(pageToken, limit));
    }

    @Override
    public Page<RetiredVersion> retired(String pageToken, int limit) throws CloudMwException {
        Pages.checkLimit(limit);
        return calls.call(() -> versions.retired(pageToken, limit));
    }

    @Override
    public void forget(Lease lease, VersionId version) throws CloudMwException {
        calls.act(() -> versions.forget(lease, version));
    }

    @Override
    public Snapshots snapshots() {
        return snapshots;
    }

    /** Chosen by who asks first. */
    @Override
    public String clusterId() throws CloudMwException {
        return calls.call(() -> transactions.run(transaction -> {
            Optional<Item> chosen = transaction.get(Keys.CLUSTER);
            if (chosen.isPresent()) {
                return chosen.get().text(Item.TEXT);
            }
            String id = VersionId.random().value();
            transaction.put(Item.at(Keys.CLUSTER).with(Item.TEXT, id));
            return id;
        }));
    }

    @Override
    public AppliedCalls appliedCalls() {
        return applied;
    }

    @Override
    public Notes notes() {
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
