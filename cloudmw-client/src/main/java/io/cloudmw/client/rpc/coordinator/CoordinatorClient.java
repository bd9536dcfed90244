package io.cloudmw.client.rpc.coordinator;

import com.google.protobuf.ByteString;
import io.cloudmw.client.file.FileEntry;
import io.cloudmw.client.file.FileStatus;
import io.cloudmw.client.file.Watch;
import io.cloudmw.client.file.WatchListener;
import io.cloudmw.client.rpc.ClientCertificates;
import io.cloudmw.client.rpc.ClientRpcChannels;
import io.cloudmw.client.rpc.CoordinatorTimes;
import io.cloudmw.client.rpc.RetryingCalls;
import io.cloudmw.client.rpc.Watches;
import io.cloudmw.core.backup.ExportCursor;
import io.cloudmw.core.chunk.ChunkCutter;
import io.cloudmw.core.config.HostPorts;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.CallId;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.Mode;
import io.cloudmw.core.model.Page;
import io.cloudmw.core.model.PeerId;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.chunk.ReplicaReport;
import io.cloudmw.core.model.file.AttributeChange;
import io.cloudmw.core.model.file.Attributes;
import io.cloudmw.core.model.file.Edit;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.model.file.Rename;
import io.cloudmw.core.model.file.VersionPart;
import io.cloudmw.core.model.fleet.Location;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.model.lock.LockClaim;
import io.cloudmw.core.model.volume.Volume;
import io.cloudmw.core.model.volume.VolumeChange;
import io.cloudmw.core.placement.FoundPeer;
import io.cloudmw.core.placement.PeerAnnouncement;
import io.cloudmw.core.placement.PeerSearch;
import io.cloudmw.core.placement.ReadPlan;
import io.cloudmw.core.placement.WritePlan;
import io.cloudmw.core.security.PeerKey;
import io.cloudmw.core.status.AddedStore;
import io.cloudmw.core.status.DrainOrder;
import io.cloudmw.core.status.HelperStatus;
import io.cloudmw.core.status.RoundProgress;
import io.cloudmw.core.status.RoundScope;
import io.cloudmw.core.status.StoreStatus;
import io.cloudmw.core.status.UpkeepStatus;
import io.cloudmw.core.status.collect.OrderedRound;
import io.cloudmw.core.status.fleet.FleetView;
import io.cloudmw.core.time.Ticker;
import io.cloudmw.core.time.WallClock;
import io.cloudmw.core.wire.BackupWire;
import io.cloudmw.core.wire.EditWire;
import io.cloudmw.core.wire.FromWire;
import io.cloudmw.core.wire.LockWire;
import io.cloudmw.core.wire.MonitorWire;
import io.cloudmw.core.wire.PeerWire;
import io.cloudmw.core.wire.ToWire;
import io.cloudmw.core.wire.UpkeepWire;
import io.cloudmw.core.wire.VolumeWire;
import io.cloudmw.proto.v1.AddStoreRequest;
import io.cloudmw.proto.v1.BackupGrpc;
import io.cloudmw.proto.v1.BeginPutRequest;
import io.cloudmw.proto.v1.BeginPutResponse;
import io.cloudmw.proto.v1.BeginRoundResponse;
import io.cloudmw.proto.v1.ChangeVolumeRequest;
import io.cloudmw.proto.v1.CollectRequest;
import io.cloudmw.proto.v1.CollectResponse;
import io.cloudmw.proto.v1.CommitPutRequest;
import io.cloudmw.proto.v1.CoordinatorGrpc;
import io.cloudmw.proto.v1.CreateVolumeRequest;
import io.cloudmw.proto.v1.DeleteVolumeRequest;
import io.cloudmw.proto.v1.EditingGrpc;
import io.cloudmw.proto.v1.EndCollectionRequest;
import io.cloudmw.proto.v1.EndRoundRequest;
import io.cloudmw.proto.v1.Entry;
import io.cloudmw.proto.v1.ExportRequest;
import io.cloudmw.proto.v1.GetCollectionRequest;
import io.cloudmw.proto.v1.GetRoundRequest;
import io.cloudmw.proto.v1.GetSegmentRequest;
import io.cloudmw.proto.v1.GetSegmentResponse;
import io.cloudmw.proto.v1.GetStatusRequest;
import io.cloudmw.proto.v1.GetVolumeRequest;
import io.cloudmw.proto.v1.HelperState;
import io.cloudmw.proto.v1.ListHelpersRequest;
import io.cloudmw.proto.v1.ListRequest;
import io.cloudmw.proto.v1.ListResponse;
import io.cloudmw.proto.v1.ListStoresRequest;
import io.cloudmw.proto.v1.ListVolumesRequest;
import io.cloudmw.proto.v1.LoseStoreRequest;
import io.cloudmw.proto.v1.PeersGrpc;
import io.cloudmw.proto.v1.PlaceChunksRequest;
import io.cloudmw.proto.v1.PlanReadRequest;
import io.cloudmw.proto.v1.PutSegmentRequest;
import io.cloudmw.proto.v1.RemoveRequest;
import io.cloudmw.proto.v1.RemoveStoreRequest;
import io.cloudmw.proto.v1.RenameRequest;
import io.cloudmw.proto.v1.ReplaceStoreRequest;
import io.cloudmw.proto.v1.ReportReplicasRequest;
import io.cloudmw.proto.v1.SetAttributesRequest;
import io.cloudmw.proto.v1.StatRequest;
import io.cloudmw.proto.v1.StatResponse;
import io.cloudmw.proto.v1.UpkeepGrpc;
import io.cloudmw.proto.v1.ViewFleetRequest;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Consumer;

/**
 * A client of the coordinator's services; with several coordinators, calls go round robin to those that answer. Every
 * future fails with a {@link CloudMwException} (also when seen through {@code CompletionException}) and survives a
 * restart of the coordinator within the timeout. Safe for any thread.
 */
public final class CoordinatorClient implements AutoCloseable {
    private final HostPorts addresses;
    private final ClientCertificates certificates;
    private final ManagedChannel channel;
    private final RetryingCalls calls;
    private final Watches watches;

    /**
     * @param address {@code host:port[,host:port...]}
     * @param certificates for the connections, here and to helpers
     * @param times the time limits of one call
     * @param waiting is told when an answer is overdue; see {@link RetryingCalls}
     */
    public CoordinatorClient(
            String address,
            ClientCertificates certificates,
            CoordinatorTimes times,
            Executor executor,
            ScheduledExecutorService timer,
            Ticker ticker,
            Consumer<String> waiting) {
        addresses = HostPorts.parse(address);
        this.certificates = certificates;
        channel = ClientRpcChannels.openAll(addresses, certificates, executor);
        calls = new RetryingCalls(channel, certificates, addresses, times, timer, ticker, waiting);
        watches = new Watches(channel, certificates, "coordinator " + address, times, timer, ticker);
    }

    /** The coordinators' addresses. */
    public HostPorts addresses() {
        return addresses;
    }

    /** The certificates of the client. */
    public ClientCertificates certificates() {
        return certificates;
    }

    public CompletableFuture<Volume> createVolume(Volume volume) {
        CreateVolumeRequest request = CreateVolumeRequest.newBuilder()
                .setVolume(ToWire.volume(volume))
                .setCall(newCall())
                .build();
        return call(CoordinatorGrpc.getCreateVolumeMethod(), request, answer -> FromWire.volume(answer.getVolume()));
    }

    public CompletableFuture<Volume> changeVolume(VolumeChange change) {
        ChangeVolumeRequest request =
                VolumeWire.change(change).setCall(newCall()).build();
        return call(CoordinatorGrpc.getChangeVolumeMethod(), request, answer -> FromWire.volume(answer.getVolume()));
    }

    public CompletableFuture<Volume> volume(VolumeName name) {
        GetVolumeRequest request =
                GetVolumeRequest.newBuilder().setName(name.value()).build();
        return call(CoordinatorGrpc.getGetVolumeMethod(), request, answer -> FromWire.volume(answer.getVolume()));
    }

    public CompletableFuture<List<Volume>> volumes() {
        return call(
                CoordinatorGrpc.getListVolumesMethod(),
                ListVolumesRequest.getDefaultInstance(),
                answer -> all(answer.getVolumesList(), FromWire::volume));
    }

    public CompletableFuture<Void> deleteVolume(VolumeName name, boolean force) {
        DeleteVolumeRequest request = DeleteVolumeRequest.newBuilder()
                .setName(name.value())
                .setForce(force)
                .setCall(newCall())
                .build();
        return done(call(CoordinatorGrpc.getDeleteVolumeMethod(), request, answer -> answer));
    }

    public CompletableFuture<Store> addStore(Store store, boolean create) {
        return addStore(store, create, false, false).thenApply(AddedStore::store);
    }

    /**
     * Adds a bucket to the cluster.
     *
     * @param takesOver whether to take the bucket from the other store or cluster whose marker it has
     * @param check whether the processes first prove that they can use it
     */
    public CompletableFuture<AddedStore> addStore(Store store, boolean create, boolean takesOver, boolean check) {
        AddStoreRequest request = AddStoreRequest.newBuilder()
                .setStore(ToWire.store(store))
                .setCreate(create)
                .setReplace(takesOver)
                .setCheck(check)
                .setCall(newCall())
                .build();
        return call(
                CoordinatorGrpc.getAddStoreMethod(),
                request,
                answer -> new AddedStore(
                        FromWire.store(answer.getStore()), StoreAccessCalls.reports(answer.getChecksList())));
    }

    /**
     * Replaces a store's bucket by the one that is there now.
     *
     * @param takesOver whether to take the bucket from the other store or cluster whose marker it has
     */
    public CompletableFuture<Store> replaceStore(StoreId id, boolean takesOver) {
        ReplaceStoreRequest request = ReplaceStoreRequest.newBuilder()
                .setId(id.value())
                .setForce(takesOver)
                .setCall(newCall())
                .build();
        return call(CoordinatorGrpc.getReplaceStoreMethod(), request, answer -> FromWire.store(answer.getStore()));
    }

    /** The calls about subjects. */
    public GrantCalls grants() {
        return new GrantCalls(this);
    }

    /** The calls that set and check access to stores. */
    public StoreAccessCalls access() {
        return new StoreAccessCalls(this);
    }

    public CompletableFuture<List<StoreStatus>> stores() {
        return call(
                CoordinatorGrpc.getListStoresMethod(),
                ListStoresRequest.getDefaultInstance(),
                answer -> FromWire.stores(answer.getStoresList()));
    }

    public CompletableFuture<Void> removeStore(StoreId id) {
        RemoveStoreRequest request = RemoveStoreRequest.newBuilder()
                .setId(id.value())
                .setCall(newCall())
                .build();
        return done(call(CoordinatorGrpc.getRemoveStoreMethod(), request, answer -> answer));
    }

    public CompletableFuture<StoreStatus> loseStore(StoreId id) {
        LoseStoreRequest request = LoseStoreRequest.newBuilder()
                .setId(id.value())
                .setCall(newCall())
                .build();
        return call(CoordinatorGrpc.getLoseStoreMethod(), request, answer -> FromWire.storeStatus(answer.getStore()));
    }

    public CompletableFuture<List<HelperStatus>> helpers() {
        return call(
                CoordinatorGrpc.getListHelpersMethod(),
                ListHelpersRequest.getDefaultInstance(),
                answer -> all(answer.getHelpersList(), CoordinatorClient::helperStatus));
    }

    public CompletableFuture<FleetView> viewFleet() {
        return call(CoordinatorGrpc.getViewFleetMethod(), ViewFleetRequest.getDefaultInstance(), MonitorWire::view);
    }

    private static HelperStatus helperStatus(HelperState state) throws CloudMwException {
        List<StoreId> disks = new ArrayList<>();
        for (String id : state.getDiskStoreIdsList()) {
            disks.add(FromWire.storeId(id));
        }
        return new HelperStatus(
                FromWire.helper(state.getHelper()),
                disks,
                state.getAlive(),
                Duration.ofMillis(state.getLastHeartbeatAgeMillis()));
    }

    /** Orders a round of garbage collection; returns its number. */
    public CompletableFuture<Long> collect(UUID order, boolean dry) {
        CollectRequest request = CollectRequest.newBuilder()
                .setDry(dry)
                .setOrderId(order.toString())
                .build();
        return call(UpkeepGrpc.getCollectMethod(), request, CollectResponse::getRound);
    }

    /** The progress of an ordered round of garbage collection. */
    public CompletableFuture<OrderedRound> collection(UUID order) {
        GetCollectionRequest request =
                GetCollectionRequest.newBuilder().setOrderId(order.toString()).build();
        return call(UpkeepGrpc.getGetCollectionMethod(), request, UpkeepWire::ordered);
    }

    /** Withdraws an order of a round of garbage collection. */
    public CompletableFuture<Void> endCollection(UUID order) {
        EndCollectionRequest request =
                EndCollectionRequest.newBuilder().setOrderId(order.toString()).build();
        return done(call(UpkeepGrpc.getEndCollectionMethod(), request, answer -> answer));
    }

    /** Begins a round of scrub or repair; returns its number. */
    public CompletableFuture<Long> beginRound(RoundProgress.Kind kind, RoundScope scope, boolean attended) {
        return call(
                UpkeepGrpc.getBeginRoundMethod(),
                UpkeepWire.begin(kind, scope, attended),
                BeginRoundResponse::getRound);
    }

    /** The progress of a round. */
    public CompletableFuture<RoundProgress> round(long number) {
        GetRoundRequest request = GetRoundRequest.newBuilder().setRound(number).build();
        return call(UpkeepGrpc.getGetRoundMethod(), request, UpkeepWire::round);
    }

    /** Ends a round before it is done. */
    public CompletableFuture<RoundProgress> endRound(long number) {
        EndRoundRequest request = EndRoundRequest.newBuilder().setRound(number).build();
        return call(UpkeepGrpc.getEndRoundMethod(), request, UpkeepWire::round);
    }

    /** Begins or ends draining stores; returns those stores. */
    public CompletableFuture<List<StoreId>> drain(DrainOrder order) {
        return call(UpkeepGrpc.getDrainMethod(), UpkeepWire.order(order), UpkeepWire::drained);
    }

    /** The state of the cluster. */
    public CompletableFuture<UpkeepStatus> status() {
        return call(UpkeepGrpc.getGetStatusMethod(), GetStatusRequest.getDefaultInstance(), UpkeepWire::status);
    }

    /**
     * Begins a put; the coordinator decides how the file is written.
     *
     * @param sizeBytes empty: known only at the commit
     * @param resume whether to continue an earlier upload if it is still open
     */
    public CompletableFuture<PutParameters> beginPut(
            FilePath file, OptionalLong sizeBytes, VersionId version, boolean resume) {
        BeginPutRequest request = BeginPutRequest.newBuilder()
                .setVolume(file.volume().value())
                .setPath(file.path())
                .setSizeBytes(sizeBytes.orElse(0))
                .setOpenEnded(sizeBytes.isEmpty())
                .setVersionId(version.value())
                .setResume(resume)
                .build();
        return call(CoordinatorGrpc.getBeginPutMethod(), request, CoordinatorClient::begun);
    }

    /** Begins a change of part of a file; the coordinator decides how it is written. */
    public CompletableFuture<EditParameters> beginEdit(FilePath file, Edit edit) {
        return call(
                EditingGrpc.getBeginEditMethod(),
                EditWire.request(file, edit),
                answer -> new EditParameters(
                        begun(answer.getPut()),
                        answer.hasBase() ? Optional.of(FromWire.version(answer.getBase())) : Optional.empty(),
                        answer.getBaseChunkSizeBytes(),
                        FromWire.range(answer.getWritten()),
                        answer.getSizeBytes()));
    }

    private static PutParameters begun(BeginPutResponse answer) throws CloudMwException {
        return new PutParameters(
                answer.getChunkSizeBytes(),
                answer.getLeafSizeBytes(),
                FromWire.optionalVersionId(answer.getExpectedVersionId()),
                answer.getWriteQuorum(),
                answer.getOpen(),
                answer.getVolumeCreatedAtMillis());
    }

    /**
     * Asks for placements of chunks.
     *
     * @param refusing stores that refused chunks of this put for good
     * @param cut the cutter of the file; empty: its length is not known yet
     */
    public CompletableFuture<WritePlan> placeChunks(
            FilePath file,
            VersionId version,
            long firstIndex,
            int count,
            Collection<HelperId> avoid,
            Collection<StoreId> refusing,
            Optional<ChunkCutter> cut) {
        PlaceChunksRequest request = PlaceChunksRequest.newBuilder()
                .setSizeBytes(cut.map(ChunkCutter::fileSizeBytes).orElse(0L))
                .setChunkSizeBytes(cut.map(ChunkCutter::chunkSizeBytes).orElse(0L))
                .setVolume(file.volume().value())
                .setPath(file.path())
                .setVersionId(version.value())
                .setFirstIndex(firstIndex)
                .setCount(count)
                .addAllAvoidHelperIds(avoid.stream().map(HelperId::value).toList())
                .addAllRefusingStoreIds(refusing.stream().map(StoreId::value).toList())
                .build();
        return call(CoordinatorGrpc.getPlaceChunksMethod(), request, FromWire::writePlan);
    }

    public CompletableFuture<Void> putSegment(VersionId version, int segment, List<Chunk> chunks) {
        PutSegmentRequest request = PutSegmentRequest.newBuilder()
                .setVersionId(version.value())
                .setSegmentIndex(segment)
                .addAllChunks(chunks.stream().map(ToWire::chunk).toList())
                .build();
        return done(call(CoordinatorGrpc.getPutSegmentMethod(), request, answer -> answer));
    }

    /**
     * Commits a put.
     *
     * @param locks the locks on the file that must still be held
     * @param attributes those of a file that did not exist
     * @param parts the versions of other files that it shares chunks with
     */
    public CompletableFuture<FileVersion> commitPut(
            FileVersion version,
            Optional<VersionId> expected,
            List<ReplicaReport> owed,
            List<LockClaim> locks,
            Attributes attributes,
            List<VersionPart> parts) {
        CommitPutRequest request = CommitPutRequest.newBuilder()
                .setVersion(ToWire.version(version))
                .setExpectedVersionId(expected.map(VersionId::value).orElse(""))
                .addAllOwed(owed.stream().map(ToWire::report).toList())
                .addAllLocks(locks.stream().map(LockWire::message).toList())
                .setAttributes(ToWire.attributes(attributes))
                .addAllParts(parts.stream().map(EditWire::part).toList())
                .build();
        return call(CoordinatorGrpc.getCommitPutMethod(), request, answer -> FromWire.version(answer.getVersion()));
    }

    /**
     * Asks for the head of a read plan.
     *
     * @param mode the mode of the read; empty: the volume's
     * @param location the reader's location
     */
    public CompletableFuture<ReadPlan> planRead(
            FilePath file, Optional<VersionId> version, Optional<Mode> mode, Location location) {
        return planRead(file, version, mode, location, false);
    }

    /**
     * Asks for the head of a read plan.
     *
     * @param mode the mode of the read; empty: the volume's
     * @param location the reader's location
     * @param recordable whether the reader reports how the read goes, if the plan has a record
     */
    public CompletableFuture<ReadPlan> planRead(
            FilePath file, Optional<VersionId> version, Optional<Mode> mode, Location location, boolean recordable) {
        PlanReadRequest request = PlanReadRequest.newBuilder()
                .setVolume(file.volume().value())
                .setPath(file.path())
                .setVersionId(version.map(VersionId::value).orElse(""))
                .setMode(mode.map(ToWire::mode).orElse(io.cloudmw.proto.v1.Mode.MODE_UNSPECIFIED))
                .setLocation(location.toString())
                .setRecordable(recordable)
                .build();
        return call(CoordinatorGrpc.getPlanReadMethod(), request, FromWire::readPlan);
    }

    /** Asks for one segment of a plan, unless it came with the plan; its entrants are ranks of the plan's helpers. */
    public CompletableFuture<SegmentPlan> segment(ReadPlan plan, int index) {
        if (index == 0 && !plan.chunks().isEmpty()) {
            return CompletableFuture.completedFuture(new SegmentPlan(0, plan.chunks(), Duration.ZERO, Map.of()));
        }
        List<String> helpers =
                plan.helpers().stream().map(helper -> helper.id().value()).toList();
        return segment(segmentRequest(plan.version().file(), plan.version().id(), index)
                .addAllHelperIds(helpers)
                .build());
    }

    /**
     * Asks for one segment of a version's manifest; its entrants are of helpers unknown here.
     *
     * @param direct whether to ask for presigned URLs, too
     */
    public CompletableFuture<SegmentPlan> segment(FileVersion version, int index, boolean direct) {
        return segment(segmentRequest(version.file(), version.id(), index)
                .setDirect(direct)
                .build());
    }

    /** Asks for one segment of a version by its id, under any path of its volume, without URLs. */
    public CompletableFuture<SegmentPlan> segment(FilePath file, VersionId version, int index) {
        return segment(segmentRequest(file, version, index).build());
    }

    private static GetSegmentRequest.Builder segmentRequest(FilePath file, VersionId version, int index) {
        return GetSegmentRequest.newBuilder()
                .setVolume(file.volume().value())
                .setPath(file.path())
                .setVersionId(version.value())
                .setSegmentIndex(index);
    }

    private CompletableFuture<SegmentPlan> segment(GetSegmentRequest request) {
        return call(
                CoordinatorGrpc.getGetSegmentMethod(),
                request,
                answer -> new SegmentPlan(
                        request.getSegmentIndex(),
                        all(answer.getChunksList(), FromWire::plannedChunk),
                        Duration.ofMillis(Math.max(0, answer.getDirectMillis())),
                        unsigned(answer)));
    }

    private static Map<StoreId, String> unsigned(GetSegmentResponse answer) throws CloudMwException {
        Map<StoreId, String> unsigned = new HashMap<>();
        for (Map.Entry<String, String> store : answer.getUnsignedStoresMap().entrySet()) {
            unsigned.put(FromWire.storeId(store.getKey()), store.getValue());
        }
        return unsigned;
    }

    /**
     * Asks for the next piece of an export of a volume.
     *
     * @param after the position after which changes are exported; empty: everything is
     * @param cursor the cursor of the piece before; empty: the first piece
     */
    public CompletableFuture<ExportPiece> export(VolumeName volume, OptionalLong after, Optional<ExportCursor> cursor) {
        ExportRequest.Builder request = ExportRequest.newBuilder()
                .setVolume(volume.value())
                .setCursor(
                        cursor.map(BackupWire::cursor).map(ByteString::copyFrom).orElse(ByteString.EMPTY));
        after.ifPresent(request::setAfter);
        return call(
                BackupGrpc.getExportMethod(),
                request.build(),
                answer -> new ExportPiece(
                        answer.getRecords().toByteArray(),
                        answer.getFiles(),
                        BackupWire.cursor(answer.getCursor().toByteArray()),
                        answer.getPosition(),
                        answer.getWhole(),
                        answer.getCluster()));
    }

    public CompletableFuture<FileStatus> stat(FilePath file) {
        return call(CoordinatorGrpc.getStatMethod(), statRequest(file), CoordinatorClient::status);
    }

    static StatRequest statRequest(FilePath file) {
        return StatRequest.newBuilder()
                .setVolume(file.volume().value())
                .setPath(file.path())
                .build();
    }

    static FileStatus status(StatResponse answer) throws CloudMwException {
        return new FileStatus(
                FromWire.version(answer.getVersion()),
                answer.getUnderReplicatedChunks(),
                answer.getCreatedAtMillis(),
                FromWire.attributes(answer.getAttributes()));
    }

    /** Changes attributes of a file; returns all that the file has after the change. */
    public CompletableFuture<Attributes> setAttributes(AttributeChange change) {
        SetAttributesRequest request = SetAttributesRequest.newBuilder()
                .setVolume(change.file().volume().value())
                .setPath(change.file().path())
                .setSet(ToWire.attributes(Attributes.of(change.set())))
                .addAllRemove(change.remove())
                .setCall(newCall())
                .build();
        return call(
                CoordinatorGrpc.getSetAttributesMethod(),
                request,
                answer -> FromWire.attributes(answer.getAttributes()));
    }

    public CompletableFuture<Page<FileEntry>> list(VolumeName volume, String directory, String pageToken, int limit) {
        return call(
                CoordinatorGrpc.getListMethod(),
                listRequest(volume, directory, pageToken, limit),
                CoordinatorClient::page);
    }

    static ListRequest listRequest(VolumeName volume, String directory, String pageToken, int limit) {
        return ListRequest.newBuilder()
                .setVolume(volume.value())
                .setDirectory(directory)
                .setPageToken(pageToken)
                .setLimit(limit)
                .build();
    }

    static Page<FileEntry> page(ListResponse answer) throws CloudMwException {
        return new Page<>(all(answer.getEntriesList(), CoordinatorClient::entry), answer.getNextPageToken());
    }

    /** The calls about snapshots. */
    public SnapshotCalls snapshots() {
        return new SnapshotCalls(this);
    }

    /** The calls about entries, directories and copies. */
    public EntryCalls entries() {
        return new EntryCalls(this);
    }

    /** The calls about many small files. */
    public SmallFileCalls smallFiles() {
        return new SmallFileCalls(this);
    }

    /** The calls about the records of reads. */
    public RecordingCalls recording() {
        return new RecordingCalls(this);
    }

    /** The calls about locks. */
    public LockCalls locks() {
        return new LockCalls(this);
    }

    private static FileEntry entry(Entry entry) throws CloudMwException {
        return new FileEntry(
                entry.getName(),
                entry.hasVersion() ? Optional.of(FromWire.version(entry.getVersion())) : Optional.empty(),
                entry.getAttributesDigest(),
                entry.getCreatedAtMillis());
    }

    /** Removes a file; its directory may be made to stay. */
    public CompletableFuture<FileVersion> remove(FilePath file, boolean keepDirectories) {
        RemoveRequest request = RemoveRequest.newBuilder()
                .setCall(newCall())
                .setVolume(file.volume().value())
                .setPath(file.path())
                .setKeepDirectories(keepDirectories)
                .build();
        return call(CoordinatorGrpc.getRemoveMethod(), request, answer -> FromWire.version(answer.getRemoved()));
    }

    /** Renames a file or directory; returns it under its new name. */
    public CompletableFuture<FileEntry> rename(Rename rename) {
        RenameRequest request = RenameRequest.newBuilder()
                .setVolume(rename.from().volume().value())
                .setFromPath(rename.from().path())
                .setToPath(rename.to().path())
                .setReplace(rename.replace())
                .setKeepDirectories(rename.keepDirectories())
                .setCall(newCall())
                .build();
        return call(CoordinatorGrpc.getRenameMethod(), request, answer -> entry(answer.getMoved()));
    }

    /**
     * Watches changes of the names of a volume.
     *
     * @param path {@code /} or {@code /a/b}
     * @param after the position after which changes are reported; empty: from now on
     * @param threads run the listener, which may block
     */
    public Watch watch(VolumeName volume, String path, OptionalLong after, WatchListener listener, Executor threads) {
        return watches.watch(volume, path, after, listener, threads);
    }

    /** Announces the chunks that this client holds and serves; returns the time after which to announce again. */
    public CompletableFuture<Duration> announce(PeerAnnouncement said) {
        return call(
                PeersGrpc.getAnnounceMethod(),
                PeerWire.announcement(said),
                answer -> Duration.ofMillis(Math.max(0, answer.getIntervalMillis())));
    }

    /** Announces that a peer stops. */
    public CompletableFuture<Void> leave(PeerId peer, PeerKey key) {
        return done(call(PeersGrpc.getAnnounceMethod(), PeerWire.leaving(peer, key), answer -> answer));
    }

    /** Finds near peers that hold wanted chunks. */
    public CompletableFuture<List<FoundPeer>> findPeers(PeerSearch search) {
        return call(PeersGrpc.getFindPeersMethod(), PeerWire.search(search), PeerWire::found);
    }

    public CompletableFuture<Void> report(FileVersion version, List<ReplicaReport> reports) {
        ReportReplicasRequest request = ReportReplicasRequest.newBuilder()
                .setVolume(version.file().volume().value())
                .setPath(version.file().path())
                .setVersionId(version.id().value())
                .addAllReplicas(reports.stream().map(ToWire::report).toList())
                .build();
        return done(call(CoordinatorGrpc.getReportReplicasMethod(), request, answer -> answer));
    }

    /**
     * Fails calls and watches under way. Waits, briefly, until the executor is no longer needed. Not for event loops.
     * Idempotent.
     */
    @Override
    public void close() {
        watches.close();
        calls.close();
        channel.shutdownNow();
        ClientRpcChannels.awaitEnd(List.of(channel));
    }

    <Q, A, V> CompletableFuture<V> call(MethodDescriptor<Q, A> method, Q request, Decoder<A, V> decoder) {
        return calls.call(method, request).thenApply(answer -> {
            try {
                return decoder.decode(answer);
            } catch (CloudMwException e) {
                throw new CompletionException(e);
            }
        });
    }

    /** The id of a call that changes something: the same for all its tries, so that it takes effect once. */
    static io.cloudmw.proto.v1.CallId newCall() {
        return ToWire.callId(CallId.issuedAt(WallClock.system().millis()));
    }

    private static <A> CompletableFuture<Void> done(CompletableFuture<A> call) {
        return call.thenAccept(answer -> {});
    }

    static <M, V> List<V> all(List<M> messages, Decoder<M, V> decoder) throws CloudMwException {
        List<V> values = new ArrayList<>(messages.size());
        for (M message : messages) {
            values.add(decoder.decode(message));
        }
        return values;
    }

    /** A function from a message to a value. */
    interface Decoder<M, V> {
        V decode(M message) throws CloudMwException;
    }
}
