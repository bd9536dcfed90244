package io.cloudmw.core.wire;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.CallId;
import io.cloudmw.core.model.Mode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.chunk.LeafDigests;
import io.cloudmw.core.model.chunk.ReplicaReport;
import io.cloudmw.core.model.chunk.ReplicaState;
import io.cloudmw.core.model.file.Attributes;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.model.fleet.StoreIdentity;
import io.cloudmw.core.model.volume.Chunking;
import io.cloudmw.core.model.volume.ReadTarget;
import io.cloudmw.core.model.volume.Volume;
import io.cloudmw.core.placement.PlacedChunk;
import io.cloudmw.core.placement.PlannedChunk;
import io.cloudmw.core.placement.ReadPlan;
import io.cloudmw.core.placement.WritePlan;
import io.cloudmw.core.race.BlockRule;
import io.cloudmw.core.race.Entrant;
import io.cloudmw.core.race.IssuedBlock;
import io.cloudmw.core.security.TransferToken;
import io.cloudmw.core.status.StoreStatus;
import io.cloudmw.core.trace.TraceParent;
import io.cloudmw.proto.v1.DiskStore;
import io.cloudmw.proto.v1.Helper;
import io.cloudmw.proto.v1.PlaceChunksResponse;
import io.cloudmw.proto.v1.Placement;
import io.cloudmw.proto.v1.PlanReadResponse;
import io.cloudmw.proto.v1.Range;
import io.cloudmw.proto.v1.S3Store;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/**
 * The conversions from the domain's values to messages. Every method gives what its namesake in {@link FromWire}
 * takes.
 */
public final class ToWire {
    private ToWire() {}

    public static io.cloudmw.proto.v1.Volume volume(Volume volume) {
        io.cloudmw.proto.v1.Volume.Builder message = io.cloudmw.proto.v1.Volume.newBuilder()
                .setName(volume.name().value())
                .setLeafSizeBytes(volume.chunking().leafSizeBytes())
                .setReplicas(volume.replicas())
                .addAllStoreIds(storeIds(volume.stores()))
                .setWriteQuorum(volume.writeQuorum())
                .setMode(mode(volume.mode()))
                .setRotateReplicas(volume.rotateReplicas())
                .setCreatedAtMillis(volume.createdAtMillis())
                .setTarget(target(volume.target()))
                .setPeers(volume.peers())
                .setGeneration(volume.generation())
                .addAllLeavingStoreIds(storeIds(volume.leaving()));
        if (volume.chunking() instanceof Chunking.ByCount byCount) {
            message.setChunkCount(byCount.chunks());
        } else if (volume.chunking() instanceof Chunking.BySize bySize) {
            message.setChunkSizeBytes(bySize.bytes());
        }
        return message.build();
    }

    static String target(Optional<ReadTarget> target) {
        return target.map(ReadTarget::toString).orElse("");
    }

    public static io.cloudmw.proto.v1.Mode mode(Mode mode) {
        return switch (mode) {
            case SINGLE -> io.cloudmw.proto.v1.Mode.MODE_SINGLE;
            case CHUNKED -> io.cloudmw.proto.v1.Mode.MODE_CHUNKED;
            case ROUNDS -> io.cloudmw.proto.v1.Mode.MODE_ROUNDS;
            case KN -> io.cloudmw.proto.v1.Mode.MODE_KN;
            case HEDGED -> io.cloudmw.proto.v1.Mode.MODE_HEDGED;
            case COOPERATIVE -> io.cloudmw.proto.v1.Mode.MODE_COOPERATIVE;
        };
    }

    public static io.cloudmw.proto.v1.Store store(Store store) {
        return store(new StoreStatus(store, false));
    }

    public static io.cloudmw.proto.v1.Store store(StoreStatus status) {
        Store store = status.store();
        io.cloudmw.proto.v1.Store.Builder message = io.cloudmw.proto.v1.Store.newBuilder()
                .setId(store.id().value())
                .setFailureDomain(store.failureDomain())
                .setAvailable(status.available())
                .setDraining(status.draining())
                .setLost(store.lostAtMillis());
        status.freeBytes().ifPresent(message::setFreeBytes);
        status.mismatch().ifPresent(message::setMismatch);
        message.setReserveBytes(status.reserveBytes());
        if (!store.identity().equals(StoreIdentity.NONE)) {
            message.setIdentity(io.cloudmw.proto.v1.StoreIdentity.newBuilder()
                    .setValue(store.identity().value())
                    .setCluster(store.identity().cluster())
                    .setReplacedAtMillis(store.identity().replacedAtMillis()));
        }
        AccessWire.reach(status.reach(), message);
        if (store.kind() instanceof Store.S3 s3) {
            S3Store.Builder bucket = S3Store.newBuilder()
                    .setBucket(s3.bucket())
                    .setRegion(s3.region())
                    .setEndpoint(s3.endpoint())
                    .setPathStyle(s3.pathStyle())
                    .setPrefix(s3.prefix());
            AccessWire.credentials(s3.credentials()).ifPresent(bucket::setCredentials);
            AccessWire.encryption(s3.encryption()).ifPresent(bucket::setEncryption);
            message.setS3(bucket);
        } else if (store.kind() instanceof Store.Disk disk) {
            message.setDisk(DiskStore.newBuilder()
                    .setOwner(disk.owner().value())
                    .setPath(disk.path().toString()));
        }
        return message.build();
    }

    public static Helper helper(HelperAddress helper) {
        return Helper.newBuilder()
                .setId(helper.id().value())
                .setControlAddress(helper.control())
                .setBulkAddress(helper.bulk())
                .addAllSwitchedVolumes(helper.switched().words())
                .setLocation(helper.location().toString())
                .setBlockRequests(helper.blockRequests())
                .build();
    }

    public static Range range(ByteRange range) {
        return Range.newBuilder()
                .setOffset(range.offset())
                .setLength(range.length())
                .build();
    }

    /** The message shares the digests' arrays, which never change. */
    public static io.cloudmw.proto.v1.LeafDigests leaves(LeafDigests leaves) {
        return io.cloudmw.proto.v1.LeafDigests.newBuilder()
                .addAllCrc32C(Arrays.stream(leaves.crc32c()).boxed().toList())
                .setSha256(UnsafeByteOperations.unsafeWrap(leaves.sha256()))
                .build();
    }

    public static io.cloudmw.proto.v1.Chunk chunk(Chunk chunk) {
        return io.cloudmw.proto.v1.Chunk.newBuilder()
                .setIndex(chunk.index())
                .setId(chunk.id().toString())
                .setOffset(chunk.range().offset())
                .setLength(chunk.range().length())
                .setLeafSizeBytes(chunk.leafSizeBytes())
                .setLeaves(leaves(chunk.leaves()))
                .addAllReplicaStoreIds(storeIds(chunk.replicas()))
                .build();
    }

    public static io.cloudmw.proto.v1.CallId callId(CallId call) {
        return io.cloudmw.proto.v1.CallId.newBuilder()
                .setId(call.id().toString())
                .setIssuedAtMillis(call.issuedAtMillis())
                .build();
    }

    public static io.cloudmw.proto.v1.Attributes attributes(Attributes attributes) {
        return io.cloudmw.proto.v1.Attributes.newBuilder()
                .putAllValues(attributes.values())
                .build();
    }

    public static io.cloudmw.proto.v1.FileVersion version(FileVersion version) {
        return io.cloudmw.proto.v1.FileVersion.newBuilder()
                .setVolume(version.file().volume().value())
                .setPath(version.file().path())
                .setVersionId(version.id().value())
                .setSizeBytes(version.sizeBytes())
                .setChunkCount(version.chunkCount())
                .setSegmentCount(version.segmentCount())
                .setLeafSizeBytes(version.leafSizeBytes())
                .setCommittedAtMillis(version.committedAtMillis())
                .setManifestSha256(ByteString.copyFrom(HexFormat.of().parseHex(version.manifestSha256())))
                .setChunkSizeBytes(version.chunkSizeBytes())
                .build();
    }

    public static io.cloudmw.proto.v1.ReplicaReport report(ReplicaReport report) {
        return io.cloudmw.proto.v1.ReplicaReport.newBuilder()
                .setChunkId(report.chunk().toString())
                .setStoreId(report.store().value())
                .setState(state(report.state()))
                .build();
    }

    public static io.cloudmw.proto.v1.ReplicaState state(ReplicaState state) {
        return switch (state) {
            case GOOD -> io.cloudmw.proto.v1.ReplicaState.REPLICA_STATE_GOOD;
            case OWED -> io.cloudmw.proto.v1.ReplicaState.REPLICA_STATE_OWED;
            case MISSING -> io.cloudmw.proto.v1.ReplicaState.REPLICA_STATE_MISSING;
            case CORRUPT -> io.cloudmw.proto.v1.ReplicaState.REPLICA_STATE_CORRUPT;
            case MOVED, DROPPED, GONE ->
                throw new IllegalArgumentException("state: " + state + " (expected: a finding)");
        };
    }

    public static io.cloudmw.proto.v1.Entrant entrant(Entrant entrant) {
        return io.cloudmw.proto.v1.Entrant.newBuilder()
                .setRacer(entrant.racer().rank())
                .setReplica(entrant.replica())
                .build();
    }

    public static io.cloudmw.proto.v1.Block block(IssuedBlock issued) {
        return io.cloudmw.proto.v1.Block.newBuilder()
                .setId(issued.block().id().value())
                .setChunkId(issued.chunk().toString())
                .setChunkIndex(issued.block().chunkIndex())
                .setChunkLength(issued.chunkLength())
                .setLeafSizeBytes(issued.leafSizeBytes())
                .setRange(range(issued.block().range()))
                .addAllLeafCrc32C(Arrays.stream(issued.leafCrc32c()).boxed().toList())
                .addAllReplicaStoreIds(storeIds(issued.replicas()))
                .addAllEntrants(
                        issued.block().entrants().stream().map(ToWire::entrant).toList())
                .setRule(rule(issued.block().rule()))
                .setExtra(issued.extra())
                .addAllBarredReplicas(issued.block().barred().stream().sorted().toList())
                .setToken(issued.token().map(ToWire::token).orElse(ByteString.EMPTY))
                .setTraceParent(issued.trace().map(TraceParent::value).orElse(""))
                .build();
    }

    private static io.cloudmw.proto.v1.BlockRule rule(BlockRule rule) {
        return switch (rule) {
            case RACE -> io.cloudmw.proto.v1.BlockRule.BLOCK_RULE_RACE;
            case SOLE -> io.cloudmw.proto.v1.BlockRule.BLOCK_RULE_SOLE;
            case TIED -> io.cloudmw.proto.v1.BlockRule.BLOCK_RULE_TIED;
        };
    }

    public static io.cloudmw.proto.v1.PlannedChunk plannedChunk(PlannedChunk planned) {
        io.cloudmw.proto.v1.PlannedChunk.Builder message = io.cloudmw.proto.v1.PlannedChunk.newBuilder()
                .setChunk(chunk(planned.chunk()))
                .addAllBadStoreIds(
                        planned.bad().stream().map(StoreId::value).sorted().toList())
                .addAllEntrants(planned.entrants().stream().map(ToWire::entrant).toList());
        if (!planned.named().equals(planned.chunk().id())) {
            message.setManifestChunkId(planned.named().toString());
        }
        if (!planned.placed().equals(planned.chunk().replicas())) {
            planned.placed().forEach(store -> message.addManifestStoreIds(store.value()));
        }
        planned.direct().forEach((store, url) -> message.putPresignedUrls(store.value(), url.toString()));
        planned.token().ifPresent(token -> message.setToken(token(token)));
        return message.build();
    }

    public static PlanReadResponse readPlan(ReadPlan plan) {
        return PlanReadResponse.newBuilder()
                .setVersion(version(plan.version()))
                .addAllHelpers(plan.helpers().stream().map(ToWire::helper).toList())
                .addAllStores(plan.stores().stream().map(ToWire::store).toList())
                .setMode(mode(plan.mode()))
                .setRotateReplicas(plan.rotateReplicas())
                .setToken(token(plan.token()))
                .setReplicas(plan.replicas())
                .addAllSpeeds(MonitorWire.book(plan.speeds()))
                .setTarget(target(plan.target()))
                .setSwitches(plan.switches())
                .setNearSwitch(plan.near().orElse(-1) + 1)
                .setPeers(plan.peers())
                .setRecordId(plan.record().orElse(""))
                .addAllChunks(plan.chunks().stream().map(ToWire::plannedChunk).toList())
                .build();
    }

    public static PlaceChunksResponse writePlan(WritePlan plan) {
        return PlaceChunksResponse.newBuilder()
                .addAllPlacements(
                        plan.placements().stream().map(ToWire::placement).toList())
                .addAllStores(plan.stores().stream().map(ToWire::store).toList())
                .addAllHelpers(plan.helpers().stream().map(ToWire::helper).toList())
                .setToken(token(plan.token()))
                .build();
    }

    private static Placement placement(PlacedChunk placed) {
        Placement.Builder placement = Placement.newBuilder();
        placed.carriers().forEach((store, helper) -> placement.putCarriers(store.value(), helper.value()));
        return placement
                .setIndex(placed.chunk().index())
                .setChunkId(placed.chunk().toString())
                .addAllStoreIds(storeIds(placed.stores()))
                .addAllOwedStoreIds(storeIds(placed.owed()))
                .setHelperId(placed.helper().value())
                .build();
    }

    public static ByteString token(TransferToken token) {
        return ByteString.copyFrom(token.bytes());
    }

    static List<String> storeIds(List<StoreId> ids) {
        return ids.stream().map(StoreId::value).toList();
    }
}
