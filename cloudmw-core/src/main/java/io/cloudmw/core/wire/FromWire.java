package io.cloudmw.core.wire;

import com.google.protobuf.ByteString;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.CallId;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.Mode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.chunk.LeafDigests;
import io.cloudmw.core.model.chunk.ReplicaReport;
import io.cloudmw.core.model.chunk.ReplicaState;
import io.cloudmw.core.model.file.AttributeChange;
import io.cloudmw.core.model.file.Attributes;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.model.file.Rename;
import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.model.fleet.Location;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.model.fleet.StoreIdentity;
import io.cloudmw.core.model.volume.Chunking;
import io.cloudmw.core.model.volume.ReadTarget;
import io.cloudmw.core.model.volume.Volume;
import io.cloudmw.core.model.volume.VolumeRevision;
import io.cloudmw.core.model.volume.VolumeSet;
import io.cloudmw.core.placement.PlacedChunk;
import io.cloudmw.core.placement.PlannedChunk;
import io.cloudmw.core.placement.ReadPlan;
import io.cloudmw.core.placement.WritePlan;
import io.cloudmw.core.race.Block;
import io.cloudmw.core.race.BlockId;
import io.cloudmw.core.race.BlockRule;
import io.cloudmw.core.race.Entrant;
import io.cloudmw.core.race.IssuedBlock;
import io.cloudmw.core.race.RacerId;
import io.cloudmw.core.security.TransferToken;
import io.cloudmw.core.status.StoreStatus;
import io.cloudmw.core.trace.TraceParent;
import io.cloudmw.proto.v1.Helper;
import io.cloudmw.proto.v1.PlaceChunksResponse;
import io.cloudmw.proto.v1.Placement;
import io.cloudmw.proto.v1.PlanReadResponse;
import io.cloudmw.proto.v1.Range;
import io.cloudmw.proto.v1.RenameRequest;
import io.cloudmw.proto.v1.SetAttributesRequest;
import java.net.URI;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * The conversions from messages to the domain's values. Every method throws {@link CloudMwException} with {@code
 * INVALID_ARGUMENT} and a message naming the field when the message is malformed.
 */
public final class FromWire {
    /** The longest leaf: it must fit one frame of the bulk plane. */
    public static final int MAX_LEAF_BYTES = 1 << 20;

    /** The longest address: a host name, a colon and a port. */
    private static final int MAX_ADDRESS_CHARACTERS = 300;

    private FromWire() {}

    public static VolumeName volumeName(String name) throws CloudMwException {
        return valid(() -> new VolumeName(name));
    }

    public static FilePath file(String volume, String path) throws CloudMwException {
        return valid(() -> new FilePath(new VolumeName(volume), path));
    }

    /** The call's identity; empty when the message has none. */
    public static Optional<CallId> callId(io.cloudmw.proto.v1.CallId message) throws CloudMwException {
        return message.getId().isEmpty()
                ? Optional.empty()
                : Optional.of(valid(() -> new CallId(UUID.fromString(message.getId()), message.getIssuedAtMillis())));
    }

    public static Rename rename(RenameRequest message) throws CloudMwException {
        FilePath from = file(message.getVolume(), message.getFromPath());
        FilePath to = file(message.getVolume(), message.getToPath());
        return valid(() -> new Rename(from, to, message.getReplace(), message.getKeepDirectories()));
    }

    public static Attributes attributes(io.cloudmw.proto.v1.Attributes message) throws CloudMwException {
        return valid(() -> Attributes.of(message.getValuesMap()));
    }

    public static AttributeChange attributeChange(SetAttributesRequest message) throws CloudMwException {
        FilePath file = file(message.getVolume(), message.getPath());
        Attributes set = attributes(message.getSet());
        return valid(() -> new AttributeChange(file, set.values(), Set.copyOf(message.getRemoveList())));
    }

    public static VersionId versionId(String id) throws CloudMwException {
        return valid(() -> new VersionId(id));
    }

    /** The version's id; empty when the message has none. */
    public static Optional<VersionId> optionalVersionId(String id) throws CloudMwException {
        return id.isEmpty() ? Optional.empty() : Optional.of(versionId(id));
    }

    public static StoreId storeId(String id) throws CloudMwException {
        return valid(() -> new StoreId(id));
    }

    public static HelperId helperId(String id) throws CloudMwException {
        return valid(() -> new HelperId(id));
    }

    public static ChunkId chunkId(String id) throws CloudMwException {
        return valid(() -> ChunkId.parse(id));
    }

    public static Volume volume(io.cloudmw.proto.v1.Volume message) throws CloudMwException {
        return valid(() -> new Volume(
                new VolumeName(message.getName()),
                chunking(message),
                message.getReplicas(),
                storeIds(message.getStoreIdsList()),
                message.getWriteQuorum(),
                mode(message.getMode()),
                message.getRotateReplicas(),
                message.getCreatedAtMillis(),
                target(message.getTarget()),
                message.getPeers(),
                new VolumeRevision(Math.max(1, message.getGeneration()), storeIds(message.getLeavingStoreIdsList()))));
    }

    static Optional<ReadTarget> target(String target) {
        return target.isEmpty() ? Optional.empty() : Optional.of(ReadTarget.parse(target));
    }

    private static Chunking chunking(io.cloudmw.proto.v1.Volume message) {
        int leaf = message.getLeafSizeBytes() == 0 ? Chunking.DEFAULT_LEAF_BYTES : message.getLeafSizeBytes();
        return switch (message.getChunkingCase()) {
            case CHUNK_COUNT -> new Chunking.ByCount(message.getChunkCount(), leaf);
            case CHUNK_SIZE_BYTES -> new Chunking.BySize(message.getChunkSizeBytes(), leaf);
            case CHUNKING_NOT_SET ->
                throw new IllegalArgumentException("chunking: missing (expected: chunk_count or chunk_size_bytes)");
        };
    }

    public static Mode mode(io.cloudmw.proto.v1.Mode mode) throws CloudMwException {
        return switch (mode) {
            case MODE_SINGLE -> Mode.SINGLE;
            case MODE_CHUNKED -> Mode.CHUNKED;
            case MODE_ROUNDS -> Mode.ROUNDS;
            case MODE_KN -> Mode.KN;
            case MODE_HEDGED -> Mode.HEDGED;
            case MODE_COOPERATIVE -> Mode.COOPERATIVE;
            case MODE_UNSPECIFIED, UNRECOGNIZED -> throw invalid("mode: " + mode + " (expected: a known mode)");
        };
    }

    /** The mode; empty when it is unspecified. */
    public static Optional<Mode> optionalMode(io.cloudmw.proto.v1.Mode mode) throws CloudMwException {
        return mode == io.cloudmw.proto.v1.Mode.MODE_UNSPECIFIED ? Optional.empty() : Optional.of(mode(mode));
    }

    public static Store store(io.cloudmw.proto.v1.Store message) throws CloudMwException {
        return valid(() -> new Store(
                new StoreId(message.getId()),
                message.getFailureDomain(),
                kind(message),
                new StoreIdentity(
                        message.getIdentity().getValue(),
                        message.getIdentity().getCluster(),
                        message.getIdentity().getReplacedAtMillis()),
                message.getLost()));
    }

    private static Store.Kind kind(io.cloudmw.proto.v1.Store message) {
        return switch (message.getKindCase()) {
            case S3 ->
                new Store.S3(
                        message.getS3().getBucket(),
                        message.getS3().getRegion(),
                        message.getS3().getEndpoint(),
                        message.getS3().getPathStyle(),
                        message.getS3().getPrefix(),
                        AccessWire.credentials(message.getS3()),
                        AccessWire.encryption(message.getS3()));
            case DISK ->
                new Store.Disk(
                        new HelperId(message.getDisk().getOwner()),
                        path(message.getDisk().getPath()));
            case KIND_NOT_SET ->
                throw new IllegalArgumentException("store " + message.getId() + ": no kind (expected: s3 or disk)");
        };
    }

    static Path path(String path) {
        if (path.isEmpty()) {
            throw new IllegalArgumentException("disk path: empty");
        }
        try {
            return Path.of(path);
        } catch (InvalidPathException e) {
            throw new IllegalArgumentException("disk path: \"" + path + "\"", e);
        }
    }

    public static StoreStatus storeStatus(io.cloudmw.proto.v1.Store message) throws CloudMwException {
        Store store = store(message);
        return valid(() -> new StoreStatus(
                store,
                message.getAvailable(),
                message.getDraining(),
                message.hasFreeBytes() ? OptionalLong.of(message.getFreeBytes()) : OptionalLong.empty(),
                message.getReserveBytes(),
                Optional.of(message.getMismatch()).filter(reason -> !reason.isEmpty()),
                AccessWire.reach(message)));
    }

    public static HelperAddress helper(Helper message) throws CloudMwException {
        return valid(() -> new HelperAddress(
                new HelperId(message.getId()),
                address(message.getControlAddress()),
                address(message.getBulkAddress()),
                VolumeSet.of(message.getSwitchedVolumesList()),
                Location.parse(message.getLocation()),
                message.getBlockRequests()));
    }

    public static Location location(String text) throws CloudMwException {
        return valid(() -> Location.parse(text));
    }

    private static String address(String address) {
        int colon = address.lastIndexOf(':');
        boolean port = colon > 0
                && address.length() <= MAX_ADDRESS_CHARACTERS
                && address.substring(colon + 1).matches("[1-9][0-9]{0,4}")
                && Integer.parseInt(address.substring(colon + 1)) <= 65_535;
        if (!port) {
            throw new IllegalArgumentException("address: \"" + address + "\" (expected: host:port)");
        }
        return address;
    }

    public static ByteRange range(Range message) throws CloudMwException {
        return valid(() -> new ByteRange(message.getOffset(), message.getLength()));
    }

    public static Chunk chunk(io.cloudmw.proto.v1.Chunk message) throws CloudMwException {
        return valid(() -> {
            int leafSize = leafSize(message.getLeafSizeBytes());
            if (message.getLength() < 1 || message.getLength() > Chunking.MAX_CHUNK_BYTES) {
                throw new IllegalArgumentException("chunk " + message.getId() + ": length: " + message.getLength()
                        + " (expected: 1.." + Chunking.MAX_CHUNK_BYTES + ")");
            }
            if (message.getIndex() < 0 || message.getIndex() > ChunkId.MAX_INDEX) {
                throw new IllegalArgumentException("chunk index: " + message.getIndex());
            }
            return new Chunk(
                    message.getIndex(),
                    ChunkId.parse(message.getId()),
                    new ByteRange(message.getOffset(), message.getLength()),
                    leafSize,
                    leaves(message.getLeaves()),
                    replicas(message.getReplicaStoreIdsList()));
        });
    }

    private static LeafDigests leaves(io.cloudmw.proto.v1.LeafDigests message) {
        return new LeafDigests(
                ints(message.getCrc32CList()), message.getSha256().toByteArray());
    }

    private static int leafSize(int bytes) {
        if (bytes < 1 || bytes > MAX_LEAF_BYTES) {
            throw new IllegalArgumentException("leaf size: " + bytes + " (expected: 1.." + MAX_LEAF_BYTES + ")");
        }
        return bytes;
    }

    private static List<StoreId> replicas(List<String> ids) {
        List<StoreId> replicas = storeIds(ids);
        if (replicas.isEmpty()
                || replicas.size() > Volume.MAX_REPLICAS
                || Set.copyOf(replicas).size() != replicas.size()) {
            throw new IllegalArgumentException(
                    "replicas: " + replicas + " (expected: 1 to " + Volume.MAX_REPLICAS + " different stores)");
        }
        return replicas;
    }

    public static FileVersion version(io.cloudmw.proto.v1.FileVersion message) throws CloudMwException {
        return valid(() -> {
            if (message.getManifestSha256().size() != LeafDigests.SHA256_BYTES) {
                throw new IllegalArgumentException(
                        "manifest sha256: " + message.getManifestSha256().size() + " bytes (expected: 32)");
            }
            if (message.getChunkCount() < 0 || message.getSegmentCount() < 0) {
                throw new IllegalArgumentException("version " + message.getVersionId() + ": negative count");
            }
            return new FileVersion(
                    new FilePath(new VolumeName(message.getVolume()), message.getPath()),
                    new VersionId(message.getVersionId()),
                    message.getSizeBytes(),
                    message.getChunkCount(),
                    message.getSegmentCount(),
                    leafSize(message.getLeafSizeBytes()),
                    message.getCommittedAtMillis(),
                    HexFormat.of().formatHex(message.getManifestSha256().toByteArray()),
                    message.getChunkSizeBytes());
        });
    }

    public static ReplicaReport report(io.cloudmw.proto.v1.ReplicaReport message) throws CloudMwException {
        return new ReplicaReport(
                chunkId(message.getChunkId()), storeId(message.getStoreId()), state(message.getState()));
    }

    public static List<ReplicaReport> reports(List<io.cloudmw.proto.v1.ReplicaReport> messages)
            throws CloudMwException {
        List<ReplicaReport> reports = new ArrayList<>(messages.size());
        for (io.cloudmw.proto.v1.ReplicaReport message : messages) {
            reports.add(report(message));
        }
        return reports;
    }

    public static ReplicaState state(io.cloudmw.proto.v1.ReplicaState state) throws CloudMwException {
        return switch (state) {
            case REPLICA_STATE_GOOD -> ReplicaState.GOOD;
            case REPLICA_STATE_OWED -> ReplicaState.OWED;
            case REPLICA_STATE_MISSING -> ReplicaState.MISSING;
            case REPLICA_STATE_CORRUPT -> ReplicaState.CORRUPT;
            case REPLICA_STATE_UNSPECIFIED, UNRECOGNIZED -> throw invalid("replica state: " + state);
        };
    }

    public static Entrant entrant(io.cloudmw.proto.v1.Entrant message) throws CloudMwException {
        if (message.getReplica() < 0 || message.getReplica() >= Volume.MAX_REPLICAS) {
            throw invalid("replica: " + message.getReplica() + " (expected: 0.." + (Volume.MAX_REPLICAS - 1) + ")");
        }
        return valid(() -> new Entrant(new RacerId(message.getRacer()), message.getReplica()));
    }

    private static List<Entrant> entrants(List<io.cloudmw.proto.v1.Entrant> messages, int replicas)
            throws CloudMwException {
        List<Entrant> entrants = new ArrayList<>(messages.size());
        for (io.cloudmw.proto.v1.Entrant message : messages) {
            Entrant entrant = entrant(message);
            if (entrant.replica() >= replicas) {
                throw invalid("replica: " + entrant.replica() + " (expected: < " + replicas + ")");
            }
            if (entrants.stream().anyMatch(other -> other.racer().equals(entrant.racer()))) {
                throw invalid("entrants: racer " + entrant.racer().rank() + " twice");
            }
            entrants.add(entrant);
        }
        return entrants;
    }

    /**
     * The issued block. Its range must lie in the chunk and start at a leaf; it has one CRC32C for each leaf it
     * touches.
     */
    public static IssuedBlock block(io.cloudmw.proto.v1.Block message) throws CloudMwException {
        return valid(() -> {
            int leafSize = leafSize(message.getLeafSizeBytes());
            ByteRange range = range(message.getRange());
            long length = message.getChunkLength();
            if (length < 1 || length > Chunking.MAX_CHUNK_BYTES || range.isEmpty() || range.end() > length) {
                throw new IllegalArgumentException("range: " + range + " of a chunk of " + length + " bytes");
            }
            boolean aligned = range.offset() % leafSize == 0 && (range.end() % leafSize == 0 || range.end() == length);
            if (!aligned) {
                throw new IllegalArgumentException("range: " + range + " (expected: aligned to " + leafSize + ")");
            }
            int leaves = Chunk.leafCount(range.length(), leafSize);
            if (message.getLeafCrc32CCount() != leaves) {
                throw new IllegalArgumentException(
                        "leaf_crc32c: " + message.getLeafCrc32CCount() + " (expected: " + leaves + ")");
            }
            List<StoreId> replicas = replicas(message.getReplicaStoreIdsList());
            List<Entrant> entrants = entrants(message.getEntrantsList(), replicas.size());
            Block block = new Block(
                    new BlockId(message.getId()),
                    message.getChunkIndex(),
                    range,
                    replicas.size(),
                    entrants,
                    rule(message.getRule()),
                    Set.copyOf(message.getBarredReplicasList()));
            ChunkId chunk = ChunkId.parse(message.getChunkId());
            return new IssuedBlock(
                    block,
                    chunk,
                    length,
                    leafSize,
                    ints(message.getLeafCrc32CList()),
                    replicas,
                    message.getExtra(),
                    optionalToken(message.getToken()),
                    Optional.of(message.getTraceParent())
                            .filter(parent -> !parent.isEmpty())
                            .map(TraceParent::new));
        });
    }

    private static BlockRule rule(io.cloudmw.proto.v1.BlockRule rule) {
        return switch (rule) {
            case BLOCK_RULE_RACE -> BlockRule.RACE;
            case BLOCK_RULE_SOLE -> BlockRule.SOLE;
            case BLOCK_RULE_TIED -> BlockRule.TIED;
            case UNRECOGNIZED -> throw new IllegalArgumentException("rule: (expected: a known rule)");
        };
    }

    public static PlannedChunk plannedChunk(io.cloudmw.proto.v1.PlannedChunk message) throws CloudMwException {
        return valid(() -> {
            Chunk chunk = chunk(message.getChunk());
            Map<StoreId, URI> direct = new HashMap<>();
            message.getPresignedUrlsMap().forEach((store, url) -> direct.put(new StoreId(store), URI.create(url)));
            return new PlannedChunk(
                    chunk,
                    message.getBadStoreIdsList().stream().map(StoreId::new).collect(Collectors.toSet()),
                    entrants(message.getEntrantsList(), chunk.replicas().size()),
                    direct,
                    message.getManifestChunkId().isEmpty() ? chunk.id() : ChunkId.parse(message.getManifestChunkId()),
                    message.getManifestStoreIdsCount() == 0
                            ? chunk.replicas()
                            : replicas(message.getManifestStoreIdsList()),
                    optionalToken(message.getToken()));
        });
    }

    public static ReadPlan readPlan(PlanReadResponse message) throws CloudMwException {
        List<HelperAddress> helpers = helpers(message.getHelpersList());
        if (message.getSwitches() < 0 || message.getSwitches() > helpers.size()) {
            throw new CloudMwException(
                    ErrorCode.PROTOCOL_VIOLATION,
                    "switches: " + message.getSwitches() + " (expected: 0.." + helpers.size() + ")");
        }
        if (message.getNearSwitch() < 0 || message.getNearSwitch() > message.getSwitches()) {
            throw new CloudMwException(
                    ErrorCode.PROTOCOL_VIOLATION,
                    "near switch: " + message.getNearSwitch() + " (expected: 0.." + message.getSwitches() + ")");
        }
        return new ReadPlan(
                version(message.getVersion()),
                helpers,
                stores(message.getStoresList()),
                mode(message.getMode()),
                message.getRotateReplicas(),
                token(message.getToken().toByteArray()),
                message.getReplicas(),
                MonitorWire.book(message.getSpeedsList()),
                valid(() -> target(message.getTarget())),
                message.getSwitches(),
                message.getNearSwitch() == 0 ? OptionalInt.empty() : OptionalInt.of(message.getNearSwitch() - 1),
                message.getPeers(),
                Optional.of(message.getRecordId()).filter(id -> !id.isEmpty()),
                plannedChunks(message.getChunksList()));
    }

    private static List<PlannedChunk> plannedChunks(List<io.cloudmw.proto.v1.PlannedChunk> messages)
            throws CloudMwException {
        List<PlannedChunk> chunks = new ArrayList<>(messages.size());
        for (io.cloudmw.proto.v1.PlannedChunk message : messages) {
            chunks.add(plannedChunk(message));
        }
        return chunks;
    }

    public static WritePlan writePlan(PlaceChunksResponse message) throws CloudMwException {
        List<PlacedChunk> placements = new ArrayList<>(message.getPlacementsCount());
        for (Placement placement : message.getPlacementsList()) {
            placements.add(valid(() -> new PlacedChunk(
                    ChunkId.parse(placement.getChunkId()),
                    replicas(placement.getStoreIdsList()),
                    storeIds(placement.getOwedStoreIdsList()),
                    new HelperId(placement.getHelperId()),
                    carriers(placement.getCarriersMap()))));
        }
        return new WritePlan(
                placements,
                stores(message.getStoresList()),
                helpers(message.getHelpersList()),
                token(message.getToken().toByteArray()));
    }

    /** The helpers that write replicas, by store. */
    public static Map<StoreId, HelperId> carriers(Map<String, String> message) throws CloudMwException {
        Map<StoreId, HelperId> carriers = new HashMap<>();
        for (Map.Entry<String, String> carrier : message.entrySet()) {
            carriers.put(storeId(carrier.getKey()), helperId(carrier.getValue()));
        }
        return carriers;
    }

    public static List<HelperAddress> helpers(List<Helper> messages) throws CloudMwException {
        List<HelperAddress> helpers = new ArrayList<>(messages.size());
        for (Helper message : messages) {
            helpers.add(helper(message));
        }
        return helpers;
    }

    public static List<StoreStatus> stores(List<io.cloudmw.proto.v1.Store> messages) throws CloudMwException {
        List<StoreStatus> stores = new ArrayList<>(messages.size());
        for (io.cloudmw.proto.v1.Store message : messages) {
            stores.add(storeStatus(message));
        }
        return stores;
    }

    private static Optional<TransferToken> optionalToken(ByteString token) {
        return token.isEmpty() ? Optional.empty() : Optional.of(TransferToken.of(token.toByteArray()));
    }

    public static TransferToken token(byte[] token) throws CloudMwException {
        return valid(() -> TransferToken.of(token));
    }

    static List<StoreId> storeIds(List<String> ids) {
        return ids.stream().map(StoreId::new).toList();
    }

    private static int[] ints(List<Integer> values) {
        return values.stream().mapToInt(Integer::intValue).toArray();
    }

    static CloudMwException invalid(String message) {
        return new CloudMwException(ErrorCode.INVALID_ARGUMENT, message);
    }

    /** Runs a conversion; what the domain's constructors refuse is {@code INVALID_ARGUMENT}. */
    public static <T> T valid(Conversion<T> conversion) throws CloudMwException {
        try {
            return conversion.run();
        } catch (IllegalArgumentException | ArithmeticException e) {
            String message = e.getMessage() == null ? e.toString() : e.getMessage();
            throw new CloudMwException(ErrorCode.INVALID_ARGUMENT, message, e);
        }
    }

    @FunctionalInterface
    public interface Conversion<T> {
        T run() throws CloudMwException;
    }
}
