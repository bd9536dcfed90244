package io.cloudmw.coordinator.rpc;

import com.google.protobuf.ByteString;
import io.cloudmw.coordinator.Administration;
import io.cloudmw.coordinator.Coordinator;
import io.cloudmw.coordinator.catalog.change.CommitRequest;
import io.cloudmw.coordinator.catalog.tree.DirectoryEntry;
import io.cloudmw.coordinator.fleet.HeartbeatReport;
import io.cloudmw.coordinator.fleet.RegisteredHelper;
import io.cloudmw.coordinator.names.FileReplication;
import io.cloudmw.coordinator.read.BadReplicaReports;
import io.cloudmw.coordinator.read.ReadPlanSegment;
import io.cloudmw.coordinator.rpc.audit.Caller;
import io.cloudmw.coordinator.rpc.authorization.CallerAccess;
import io.cloudmw.coordinator.upload.PlacementRequest;
import io.cloudmw.coordinator.upload.UploadPlan;
import io.cloudmw.coordinator.upload.Uploads;
import io.cloudmw.core.access.ProbeReport;
import io.cloudmw.core.address.AddressPolicy;
import io.cloudmw.core.address.HostKind;
import io.cloudmw.core.config.HostPort;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.identity.DiskClaim;
import io.cloudmw.core.identity.HelperAdmission;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.Page;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.chunk.ReplicaReport;
import io.cloudmw.core.model.file.Attributes;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.model.fleet.DiskUsage;
import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.model.volume.Volume;
import io.cloudmw.core.monitor.Speed;
import io.cloudmw.core.placement.ReadPlan;
import io.cloudmw.core.rpc.Membership;
import io.cloudmw.core.rpc.UnaryCalls;
import io.cloudmw.core.status.StoreStatus;
import io.cloudmw.core.status.fleet.HelperActivity;
import io.cloudmw.core.status.fleet.SpeedKey;
import io.cloudmw.core.wire.AccessWire;
import io.cloudmw.core.wire.EditWire;
import io.cloudmw.core.wire.FromWire;
import io.cloudmw.core.wire.LockWire;
import io.cloudmw.core.wire.MonitorWire;
import io.cloudmw.core.wire.ToWire;
import io.cloudmw.core.wire.VolumeWire;
import io.cloudmw.proto.v1.AddStoreRequest;
import io.cloudmw.proto.v1.AddStoreResponse;
import io.cloudmw.proto.v1.BeginPutRequest;
import io.cloudmw.proto.v1.BeginPutResponse;
import io.cloudmw.proto.v1.ChangeVolumeRequest;
import io.cloudmw.proto.v1.ChangeVolumeResponse;
import io.cloudmw.proto.v1.CommitPutRequest;
import io.cloudmw.proto.v1.CommitPutResponse;
import io.cloudmw.proto.v1.CoordinatorGrpc;
import io.cloudmw.proto.v1.CreateVolumeRequest;
import io.cloudmw.proto.v1.CreateVolumeResponse;
import io.cloudmw.proto.v1.DeleteVolumeRequest;
import io.cloudmw.proto.v1.DeleteVolumeResponse;
import io.cloudmw.proto.v1.Entry;
import io.cloudmw.proto.v1.GetSegmentRequest;
import io.cloudmw.proto.v1.GetSegmentResponse;
import io.cloudmw.proto.v1.GetVolumeRequest;
import io.cloudmw.proto.v1.GetVolumeResponse;
import io.cloudmw.proto.v1.HeartbeatRequest;
import io.cloudmw.proto.v1.HeartbeatResponse;
import io.cloudmw.proto.v1.HelperState;
import io.cloudmw.proto.v1.ListHelpersRequest;
import io.cloudmw.proto.v1.ListHelpersResponse;
import io.cloudmw.proto.v1.ListRequest;
import io.cloudmw.proto.v1.ListResponse;
import io.cloudmw.proto.v1.ListStoresRequest;
import io.cloudmw.proto.v1.ListStoresResponse;
import io.cloudmw.proto.v1.ListUnderReplicatedRequest;
import io.cloudmw.proto.v1.ListUnderReplicatedResponse;
import io.cloudmw.proto.v1.ListVolumesRequest;
import io.cloudmw.proto.v1.ListVolumesResponse;
import io.cloudmw.proto.v1.LoseStoreRequest;
import io.cloudmw.proto.v1.LoseStoreResponse;
import io.cloudmw.proto.v1.PlaceChunksRequest;
import io.cloudmw.proto.v1.PlaceChunksResponse;
import io.cloudmw.proto.v1.PlanReadRequest;
import io.cloudmw.proto.v1.PlanReadResponse;
import io.cloudmw.proto.v1.PutSegmentRequest;
import io.cloudmw.proto.v1.PutSegmentResponse;
import io.cloudmw.proto.v1.RegisterHelperRequest;
import io.cloudmw.proto.v1.RegisterHelperResponse;
import io.cloudmw.proto.v1.RemoveRequest;
import io.cloudmw.proto.v1.RemoveResponse;
import io.cloudmw.proto.v1.RemoveStoreRequest;
import io.cloudmw.proto.v1.RemoveStoreResponse;
import io.cloudmw.proto.v1.RenameRequest;
import io.cloudmw.proto.v1.RenameResponse;
import io.cloudmw.proto.v1.ReplaceStoreRequest;
import io.cloudmw.proto.v1.ReplaceStoreResponse;
import io.cloudmw.proto.v1.ReportReplicasRequest;
import io.cloudmw.proto.v1.ReportReplicasResponse;
import io.cloudmw.proto.v1.SetAttributesRequest;
import io.cloudmw.proto.v1.SetAttributesResponse;
import io.cloudmw.proto.v1.StatRequest;
import io.cloudmw.proto.v1.StatResponse;
import io.cloudmw.proto.v1.ViewFleetRequest;
import io.cloudmw.proto.v1.ViewFleetResponse;
import io.grpc.stub.StreamObserver;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The main gRPC service of the coordinator. Each method converts its message, calls the domain and converts the result;
 * errors are mapped in one place. Safe for any thread.
 */
public final class CoordinatorService extends CoordinatorGrpc.CoordinatorImplBase {
    /** The full names of the methods that only helpers may call. */
    public static final Set<String> HELPERS_ONLY = Set.of(
            CoordinatorGrpc.getRegisterHelperMethod().getFullMethodName(),
            CoordinatorGrpc.getHeartbeatMethod().getFullMethodName());

    /** The full names of the methods that accept more from helpers than from clients. */
    public static final Set<String> MORE_FOR_HELPERS =
            Set.of(CoordinatorGrpc.getReportReplicasMethod().getFullMethodName());

    private static final Logger LOG = LoggerFactory.getLogger(CoordinatorService.class);

    private final Coordinator coordinator;
    private final boolean reachable;
    private final Administration.StoreProof proof;
    private final CallerAccess access;
    private final UnaryCalls calls;
    private final UnaryCalls signs;
    private final NextPlacements nextPlacements;
    private final AtomicLong ignored = new AtomicLong();

    /**
     * Creates the service; the executor of {@code calls} bounds the calls worked on at once.
     *
     * @param proof checks stores before they are added
     * @param access decides about callers
     * @param reachable whether other machines can reach this coordinator
     * @param signs runs registrations and heartbeats, which wait for no other call
     */
    public CoordinatorService(
            Coordinator coordinator,
            Administration.StoreProof proof,
            CallerAccess access,
            boolean reachable,
            UnaryCalls calls,
            UnaryCalls signs) {
        this.coordinator = coordinator;
        this.proof = proof;
        this.access = access;
        this.reachable = reachable;
        this.calls = calls;
        this.nextPlacements = new NextPlacements(coordinator.uploads());
        this.signs = signs;
    }

    @Override
    public void createVolume(CreateVolumeRequest request, StreamObserver<CreateVolumeResponse> observer) {
        calls.answer(
                observer,
                () -> CreateVolumeResponse.newBuilder()
                        .setVolume(ToWire.volume(coordinator
                                .administration()
                                .createVolume(
                                        FromWire.volume(request.getVolume()), FromWire.callId(request.getCall()))))
                        .build());
    }

    @Override
    public void getVolume(GetVolumeRequest request, StreamObserver<GetVolumeResponse> observer) {
        calls.answer(observer, () -> {
            GetVolumeResponse.Builder answer = GetVolumeResponse.newBuilder()
                    .setVolume(
                            ToWire.volume(coordinator.administration().volume(FromWire.volumeName(request.getName()))));
            if (request.hasPlace()) {
                nextPlacements
                        .of(request.getPlace())
                        .ifPresent(placed -> answer.setPlaced(placed).setPlacedMillis(nextPlacements.millis()));
            }
            return answer.setNowMillis(coordinator.smallFiles().nowMillis()).build();
        });
    }

    @Override
    public void listVolumes(ListVolumesRequest request, StreamObserver<ListVolumesResponse> observer) {
        calls.answer(observer, () -> {
            ListVolumesResponse.Builder answer = ListVolumesResponse.newBuilder();
            for (Volume volume : coordinator.administration().volumes()) {
                if (access.sees(volume.name())) {
                    answer.addVolumes(ToWire.volume(volume));
                }
            }
            return answer.build();
        });
    }

    @Override
    public void changeVolume(ChangeVolumeRequest request, StreamObserver<ChangeVolumeResponse> observer) {
        calls.answer(
                observer,
                () -> ChangeVolumeResponse.newBuilder()
                        .setVolume(ToWire.volume(coordinator
                                .administration()
                                .changeVolume(VolumeWire.change(request), FromWire.callId(request.getCall()))))
                        .build());
    }

    @Override
    public void deleteVolume(DeleteVolumeRequest request, StreamObserver<DeleteVolumeResponse> observer) {
        calls.answer(observer, () -> {
            VolumeName name = FromWire.volumeName(request.getName());
            coordinator.administration().deleteVolume(name, request.getForce(), FromWire.callId(request.getCall()));
            access.forget(name);
            return DeleteVolumeResponse.getDefaultInstance();
        });
    }

    @Override
    public void addStore(AddStoreRequest request, StreamObserver<AddStoreResponse> observer) {
        calls.answer(observer, () -> {
            AddStoreResponse.Builder answer = AddStoreResponse.newBuilder();
            Administration.StoreProof recorded = store -> {
                Map<String, ProbeReport> checks = proof.of(store);
                checks.forEach((process, report) -> answer.addChecks(AccessWire.check(process, report)));
                return checks;
            };
            StoreStatus added = coordinator
                    .administration()
                    .addStore(
                            FromWire.store(request.getStore()),
                            request.getCreate(),
                            request.getReplace(),
                            request.getCheck() ? recorded : Administration.StoreProof.NONE,
                            FromWire.callId(request.getCall()));
            return answer.setStore(ToWire.store(added)).build();
        });
    }

    @Override
    public void listStores(ListStoresRequest request, StreamObserver<ListStoresResponse> observer) {
        calls.answer(
                observer,
                () -> ListStoresResponse.newBuilder()
                        .addAllStores(coordinator.administration().stores().stream()
                                .map(ToWire::store)
                                .toList())
                        .build());
    }

    @Override
    public void removeStore(RemoveStoreRequest request, StreamObserver<RemoveStoreResponse> observer) {
        calls.answer(observer, () -> {
            coordinator
                    .administration()
                    .removeStore(FromWire.storeId(request.getId()), FromWire.callId(request.getCall()));
            return RemoveStoreResponse.getDefaultInstance();
        });
    }

    @Override
    public void loseStore(LoseStoreRequest request, StreamObserver<LoseStoreResponse> observer) {
        calls.answer(observer, () -> {
            StoreStatus lost = coordinator
                    .administration()
                    .loseStore(FromWire.storeId(request.getId()), FromWire.callId(request.getCall()));
            return LoseStoreResponse.newBuilder().setStore(ToWire.store(lost)).build();
        });
    }

    @Override
    public void replaceStore(ReplaceStoreRequest request, StreamObserver<ReplaceStoreResponse> observer) {
        calls.answer(observer, () -> {
            StoreStatus replaced = coordinator
                    .administration()
                    .replaceStore(
                            FromWire.storeId(request.getId()), request.getForce(), FromWire.callId(request.getCall()));
            return ReplaceStoreResponse.newBuilder()
                    .setStore(ToWire.store(replaced))
                    .build();
        });
    }

    @Override
    public void registerHelper(RegisterHelperRequest request, StreamObserver<RegisterHelperResponse> observer) {
        Caller caller = Caller.current();
        signs.answer(observer, () -> {
            List<DiskClaim> disks = new ArrayList<>();
            for (StoreStatus disk : FromWire.stores(request.getDisksList())) {
                String id = disk.store().id().value();
                disks.add(new DiskClaim(
                        disk.store(),
                        request.getEmptyDiskIdsList().contains(id),
                        request.getReplacedDiskIdsList().contains(id)));
            }
            HelperAddress helper = FromWire.helper(request.getHelper());
            requireReachable(helper, caller);
            HelperAdmission admission =
                    coordinator.administration().registerHelper(helper, request.getIncarnation(), disks);
            coordinator.administration().unusable(helper.id(), AccessWire.unusable(request.getUnusableStoresList()));
            LOG.info(
                    "helper {} registered by {}: control={} epoch={}",
                    helper.id(),
                    caller,
                    helper.control(),
                    admission.epoch());
            admission
                    .lostDisks()
                    .forEach(disk -> LOG.warn("helper {}: {}", helper.id(), HelperAdmission.lostDisk(disk)));
            if (reachable && HostKind.of(HostPort.parse(helper.control()).host()) == HostKind.LOOPBACK) {
                LOG.warn(
                        "helper {} advertises {}, which only this machine reaches: clients elsewhere will not reach it"
                                + " (start it with --coordinator and an address that others reach)",
                        helper.id(),
                        helper.control());
            }
            return RegisterHelperResponse.newBuilder()
                    .setEpoch(admission.epoch())
                    .addAllLostDiskIds(
                            admission.lostDisks().stream().map(StoreId::value).toList())
                    .setHeartbeatIntervalMillis(
                            coordinator.options().heartbeatInterval().toMillis())
                    .setClusterId(coordinator.administration().clusterId())
                    .build();
        });
    }

    private static void requireReachable(HelperAddress helper, Caller caller) throws CloudMwException {
        String who = "helper " + helper.id();
        String settings = "helper.advertise-host there, or leave its listen addresses unset";
        AddressPolicy.requireReachable(who, helper.control(), caller.host(), settings);
        AddressPolicy.requireReachable(who, helper.bulk(), caller.host(), settings);
    }

    @Override
    public void heartbeat(HeartbeatRequest request, StreamObserver<HeartbeatResponse> observer) {
        Caller caller = Caller.current();
        signs.answer(observer, () -> {
            HelperId helper = FromWire.helperId(request.getHelperId());
            if (request.getLeaving()) {
                coordinator.administration().leave(helper, request.getEpoch());
                return HeartbeatResponse.getDefaultInstance();
            }
            List<DiskUsage> disks = new ArrayList<>();
            for (io.cloudmw.proto.v1.DiskUsage disk : request.getDisksList()) {
                if (disk.getUsedBytes() < 0 || disk.getFreeBytes() < 0 || disk.getReserveBytes() < 0) {
                    throw new CloudMwException(
                            ErrorCode.INVALID_ARGUMENT, "disk " + disk.getStoreId() + ": negative bytes");
                }
                disks.add(new DiskUsage(
                        FromWire.storeId(disk.getStoreId()),
                        disk.getUsedBytes(),
                        disk.getFreeBytes(),
                        disk.getReserveBytes()));
            }
            HeartbeatReport news = new HeartbeatReport(disks, AccessWire.unusable(request.getUnusableStoresList()));
            boolean takenOver = coordinator.administration().heartbeat(helper, request.getEpoch(), news);
            caller.address()
                    .ifPresent(from -> coordinator.monitoring().connections().heard(helper, from));
            heard(helper, request);
            return HeartbeatResponse.newBuilder()
                    .setTellAll(takenOver)
                    .addAllDoubtedStoreIds(coordinator.administration().doubtful(news).stream()
                            .map(StoreId::value)
                            .toList())
                    .build();
        });
    }

    /** Records a heartbeat's measurements; malformed ones never cost the helper its lease. */
    private void heard(HelperId helper, HeartbeatRequest request) {
        try {
            Map<SpeedKey, Speed> news = MonitorWire.speeds(request.getSpeedsList());
            HelperActivity activity = MonitorWire.activity(request.getActivity());
            coordinator.monitoring().heard(helper, news, activity);
        } catch (CloudMwException | RuntimeException e) {
            LOG.warn(
                    "helper {}: its measurements are ignored, {} heartbeats so far: {}",
                    helper,
                    ignored.incrementAndGet(),
                    e.getMessage());
        }
    }

    @Override
    public void listHelpers(ListHelpersRequest request, StreamObserver<ListHelpersResponse> observer) {
        calls.answer(
                observer,
                () -> ListHelpersResponse.newBuilder()
                        .addAllHelpers(coordinator.administration().helpers().stream()
                                .map(CoordinatorService::helper)
                                .toList())
                        .build());
    }

    @Override
    public void viewFleet(ViewFleetRequest request, StreamObserver<ViewFleetResponse> observer) {
        calls.answer(observer, () -> MonitorWire.view(coordinator.monitoring().view()));
    }

    private static HelperState helper(RegisteredHelper helper) {
        return HelperState.newBuilder()
                .setHelper(ToWire.helper(helper.address()))
                .addAllDiskStoreIds(helper.disks().stream().map(StoreId::value).toList())
                .setAlive(helper.alive())
                .setLastHeartbeatAgeMillis(helper.lastHeartbeatAgeMillis())
                .build();
    }

    @Override
    public void beginPut(BeginPutRequest request, StreamObserver<BeginPutResponse> observer) {
        calls.answer(observer, () -> {
            VersionId version = FromWire.versionId(request.getVersionId());
            FilePath file = FromWire.file(request.getVolume(), request.getPath());
            OptionalLong size = request.getOpenEnded() ? OptionalLong.empty() : OptionalLong.of(request.getSizeBytes());
            UploadPlan plan = coordinator.uploads().begin(file, size);
            BeginPutResponse.Builder answer = BeginPutResponse.newBuilder()
                    .setExpectedVersionId(plan.expected().map(VersionId::value).orElse(""))
                    .setWriteQuorum(plan.writeQuorum())
                    .setVolumeCreatedAtMillis(plan.volumeCreatedAtMillis())
                    .setOpen(request.getResume() && coordinator.uploads().resume(version));
            plan.manifest()
                    .ifPresent(manifest -> answer.setChunkSizeBytes(
                                    manifest.cutter().chunkSizeBytes())
                            .setChunkCount(manifest.cutter().count())
                            .setLeafSizeBytes(manifest.leafSizeBytes()));
            return answer.build();
        });
    }

    @Override
    public void placeChunks(PlaceChunksRequest request, StreamObserver<PlaceChunksResponse> observer) {
        calls.answer(observer, () -> placed(coordinator.uploads(), request));
    }

    static PlaceChunksResponse placed(Uploads uploads, PlaceChunksRequest request) throws CloudMwException {
        Set<HelperId> avoid = new HashSet<>();
        for (String id : request.getAvoidHelperIdsList()) {
            avoid.add(FromWire.helperId(id));
        }
        Set<StoreId> refusing = new HashSet<>();
        for (String id : request.getRefusingStoreIdsList()) {
            refusing.add(FromWire.storeId(id));
        }
        return ToWire.writePlan(uploads.place(new PlacementRequest(
                FromWire.file(request.getVolume(), request.getPath()),
                FromWire.versionId(request.getVersionId()),
                request.getFirstIndex(),
                request.getCount(),
                avoid,
                refusing,
                PlacementRequest.cut(request.getSizeBytes(), request.getChunkSizeBytes()))));
    }

    @Override
    public void putSegment(PutSegmentRequest request, StreamObserver<PutSegmentResponse> observer) {
        calls.answer(observer, () -> {
            List<Chunk> chunks = new ArrayList<>(request.getChunksCount());
            for (io.cloudmw.proto.v1.Chunk chunk : request.getChunksList()) {
                chunks.add(FromWire.chunk(chunk));
            }
            coordinator
                    .uploads()
                    .putSegment(FromWire.versionId(request.getVersionId()), request.getSegmentIndex(), chunks);
            return PutSegmentResponse.getDefaultInstance();
        });
    }

    @Override
    public void commitPut(CommitPutRequest request, StreamObserver<CommitPutResponse> observer) {
        calls.answer(observer, () -> {
            FileVersion committed = coordinator
                    .uploads()
                    .commit(new CommitRequest(
                            FromWire.version(request.getVersion()),
                            FromWire.optionalVersionId(request.getExpectedVersionId()),
                            FromWire.reports(request.getOwedList()),
                            LockWire.claims(request.getLocksList()),
                            FromWire.attributes(request.getAttributes()),
                            EditWire.parts(request.getVersion().getVolume(), request.getPartsList())));
            return CommitPutResponse.newBuilder()
                    .setVersion(ToWire.version(committed))
                    .build();
        });
    }

    @Override
    public void planRead(PlanReadRequest request, StreamObserver<PlanReadResponse> observer) {
        calls.answer(observer, () -> {
            FilePath file = FromWire.file(request.getVolume(), request.getPath());
            Optional<VersionId> version = FromWire.optionalVersionId(request.getVersionId());
            access.requireVersion(file, version);
            ReadPlan plan = coordinator
                    .reads()
                    .plan(
                            file,
                            version,
                            FromWire.optionalMode(request.getMode()),
                            FromWire.location(request.getLocation()));
            Optional<String> record = request.getRecordable()
                    ? coordinator.recordedReads().begin(plan.version().file(), plan.mode())
                    : Optional.empty();
            return ToWire.readPlan(plan.recordedAs(record));
        });
    }

    @Override
    public void getSegment(GetSegmentRequest request, StreamObserver<GetSegmentResponse> observer) {
        calls.answer(observer, () -> {
            List<HelperId> helpers = new ArrayList<>();
            for (String id : request.getHelperIdsList()) {
                helpers.add(FromWire.helperId(id));
            }
            FilePath file = FromWire.file(request.getVolume(), request.getPath());
            VersionId version = FromWire.versionId(request.getVersionId());
            access.requireVersion(file, Optional.of(version));
            ReadPlanSegment segment =
                    coordinator.reads().segment(file, version, request.getSegmentIndex(), helpers, request.getDirect());
            GetSegmentResponse.Builder answer = GetSegmentResponse.newBuilder()
                    .addAllChunks(
                            segment.chunks().stream().map(ToWire::plannedChunk).toList())
                    .setSegmentSha256(ByteString.copyFrom(segment.sha256Bytes()))
                    .setDirectMillis(segment.directValidity().toMillis());
            segment.unsigned().forEach((store, why) -> answer.putUnsignedStores(store.value(), why));
            return answer.build();
        });
    }

    @Override
    public void stat(StatRequest request, StreamObserver<StatResponse> observer) {
        calls.answer(observer, () -> {
            FileReplication status = coordinator.names().stat(FromWire.file(request.getVolume(), request.getPath()));
            return described(status);
        });
    }

    static StatResponse described(FileReplication status) {
        return StatResponse.newBuilder()
                .setVersion(ToWire.version(status.file().version()))
                .setUnderReplicatedChunks(status.underReplicatedChunks())
                .setCreatedAtMillis(status.file().createdAtMillis())
                .setAttributes(ToWire.attributes(status.file().attributes()))
                .build();
    }

    @Override
    public void list(ListRequest request, StreamObserver<ListResponse> observer) {
        calls.answer(observer, () -> {
            Page<DirectoryEntry> page = coordinator
                    .names()
                    .list(
                            FromWire.volumeName(request.getVolume()),
                            request.getDirectory(),
                            request.getPageToken(),
                            request.getLimit());
            return listed(page);
        });
    }

    static ListResponse listed(Page<DirectoryEntry> page) {
        return ListResponse.newBuilder()
                .addAllEntries(
                        page.items().stream().map(CoordinatorService::entry).toList())
                .setNextPageToken(page.nextToken())
                .build();
    }

    @Override
    public void setAttributes(SetAttributesRequest request, StreamObserver<SetAttributesResponse> observer) {
        calls.answer(observer, () -> {
            Attributes attributes = coordinator
                    .names()
                    .setAttributes(FromWire.attributeChange(request), FromWire.callId(request.getCall()));
            return SetAttributesResponse.newBuilder()
                    .setAttributes(ToWire.attributes(attributes))
                    .build();
        });
    }

    private static Entry entry(DirectoryEntry entry) {
        Entry.Builder message = Entry.newBuilder()
                .setName(entry.name())
                .setAttributesDigest(entry.attributesDigest())
                .setCreatedAtMillis(entry.createdAtMillis());
        Optional<FileVersion> version = entry.version();
        version.ifPresent(file -> message.setVersion(ToWire.version(file)));
        return message.build();
    }

    @Override
    public void remove(RemoveRequest request, StreamObserver<RemoveResponse> observer) {
        calls.answer(observer, () -> {
            FileVersion removed = coordinator
                    .names()
                    .remove(
                            FromWire.file(request.getVolume(), request.getPath()),
                            request.getKeepDirectories(),
                            FromWire.callId(request.getCall()));
            return RemoveResponse.newBuilder()
                    .setRemoved(ToWire.version(removed))
                    .build();
        });
    }

    @Override
    public void rename(RenameRequest request, StreamObserver<RenameResponse> observer) {
        calls.answer(
                observer,
                () -> RenameResponse.newBuilder()
                        .setMoved(entry(coordinator
                                .names()
                                .rename(FromWire.rename(request), FromWire.callId(request.getCall()))))
                        .build());
    }

    @Override
    public void reportReplicas(ReportReplicasRequest request, StreamObserver<ReportReplicasResponse> observer) {
        boolean helper = Membership.isProven();
        calls.answer(observer, () -> {
            List<ReplicaReport> reports = FromWire.reports(request.getReplicasList());
            if (!helper) {
                BadReplicaReports.requireFromReader(reports);
            }
            FilePath file = FromWire.file(request.getVolume(), request.getPath());
            VersionId version = FromWire.versionId(request.getVersionId());
            access.requireVersion(file, Optional.of(version));
            coordinator.replicas().report(file, version, reports);
            return ReportReplicasResponse.getDefaultInstance();
        });
    }

    @Override
    public void listUnderReplicated(
            ListUnderReplicatedRequest request, StreamObserver<ListUnderReplicatedResponse> observer) {
        calls.answer(observer, () -> {
            Page<ReplicaReport> page = coordinator
                    .replicas()
                    .underReplicated(
                            FromWire.volumeName(request.getVolume()), request.getPageToken(), request.getLimit());
            return ListUnderReplicatedResponse.newBuilder()
                    .addAllReplicas(page.items().stream().map(ToWire::report).toList())
                    .setNextPageToken(page.nextToken())
                    .build();
        });
    }
}
