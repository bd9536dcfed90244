package io.cloudmw.client.rpc;

import io.cloudmw.core.chunk.ChunkCutter;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.manifest.ManifestDigest;
import io.cloudmw.core.manifest.ManifestPlan;
import io.cloudmw.core.manifest.ManifestSegment;
import io.cloudmw.core.model.ByteRange;
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
import io.cloudmw.core.model.file.AttributeChange;
import io.cloudmw.core.model.file.Attributes;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.model.file.Rename;
import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.model.volume.Chunking;
import io.cloudmw.core.model.volume.ReadTarget;
import io.cloudmw.core.model.volume.Volume;
import io.cloudmw.core.model.volume.VolumeChange;
import io.cloudmw.core.monitor.SpeedBook;
import io.cloudmw.core.monitor.SpeedEntry;
import io.cloudmw.core.placement.PlacedChunk;
import io.cloudmw.core.placement.PlannedChunk;
import io.cloudmw.core.placement.ReadPlan;
import io.cloudmw.core.placement.WritePlan;
import io.cloudmw.core.race.Entrant;
import io.cloudmw.core.race.RacerId;
import io.cloudmw.core.rpc.UnaryCalls;
import io.cloudmw.core.rpc.VersionHandshake;
import io.cloudmw.core.security.TransferToken;
import io.cloudmw.core.status.RepairProgress;
import io.cloudmw.core.status.RoundProgress;
import io.cloudmw.core.status.ScrubProgress;
import io.cloudmw.core.status.StoreCandidate;
import io.cloudmw.core.status.StoreCondition;
import io.cloudmw.core.status.StoreStatus;
import io.cloudmw.core.status.UpkeepStatus;
import io.cloudmw.core.status.collect.CollectFindings;
import io.cloudmw.core.status.collect.CollectProgress;
import io.cloudmw.core.status.collect.CollectRound;
import io.cloudmw.core.status.collect.CopyTotal;
import io.cloudmw.core.status.collect.OrderedRound;
import io.cloudmw.core.status.fleet.ExpectedSpeed;
import io.cloudmw.core.status.fleet.FleetView;
import io.cloudmw.core.status.fleet.SizeClass;
import io.cloudmw.core.status.fleet.SpeedKey;
import io.cloudmw.core.testing.TestPorts;
import io.cloudmw.core.time.WallClock;
import io.cloudmw.core.wire.FromWire;
import io.cloudmw.core.wire.LockWire;
import io.cloudmw.core.wire.MonitorWire;
import io.cloudmw.core.wire.ToWire;
import io.cloudmw.core.wire.UpkeepWire;
import io.cloudmw.core.wire.VolumeWire;
import io.cloudmw.proto.v1.BeginPutRequest;
import io.cloudmw.proto.v1.BeginPutResponse;
import io.cloudmw.proto.v1.BeginRoundRequest;
import io.cloudmw.proto.v1.BeginRoundResponse;
import io.cloudmw.proto.v1.ChangeVolumeRequest;
import io.cloudmw.proto.v1.ChangeVolumeResponse;
import io.cloudmw.proto.v1.CollectRequest;
import io.cloudmw.proto.v1.CollectResponse;
import io.cloudmw.proto.v1.CommitFilesRequest;
import io.cloudmw.proto.v1.CommitFilesResponse;
import io.cloudmw.proto.v1.CommitPutRequest;
import io.cloudmw.proto.v1.CommitPutResponse;
import io.cloudmw.proto.v1.CommittedFile;
import io.cloudmw.proto.v1.CoordinatorGrpc;
import io.cloudmw.proto.v1.CreateVolumeRequest;
import io.cloudmw.proto.v1.CreateVolumeResponse;
import io.cloudmw.proto.v1.DeleteVolumeRequest;
import io.cloudmw.proto.v1.DeleteVolumeResponse;
import io.cloudmw.proto.v1.EndCollectionRequest;
import io.cloudmw.proto.v1.EndCollectionResponse;
import io.cloudmw.proto.v1.EndRoundRequest;
import io.cloudmw.proto.v1.Entry;
import io.cloudmw.proto.v1.FileOutcome;
import io.cloudmw.proto.v1.GetCollectionRequest;
import io.cloudmw.proto.v1.GetRoundRequest;
import io.cloudmw.proto.v1.GetSegmentRequest;
import io.cloudmw.proto.v1.GetSegmentResponse;
import io.cloudmw.proto.v1.GetStatusRequest;
import io.cloudmw.proto.v1.GetStatusResponse;
import io.cloudmw.proto.v1.GetVolumeRequest;
import io.cloudmw.proto.v1.GetVolumeResponse;
import io.cloudmw.proto.v1.HelperState;
import io.cloudmw.proto.v1.ListHelpersRequest;
import io.cloudmw.proto.v1.ListHelpersResponse;
import io.cloudmw.proto.v1.ListRequest;
import io.cloudmw.proto.v1.ListResponse;
import io.cloudmw.proto.v1.ListStoresRequest;
import io.cloudmw.proto.v1.ListStoresResponse;
import io.cloudmw.proto.v1.ListVolumesRequest;
import io.cloudmw.proto.v1.ListVolumesResponse;
import io.cloudmw.proto.v1.OrderedRoundFare;
import io.cloudmw.proto.v1.PlaceChunksRequest;
import io.cloudmw.proto.v1.PlaceChunksResponse;
import io.cloudmw.proto.v1.PlanReadRequest;
import io.cloudmw.proto.v1.PlanReadResponse;
import io.cloudmw.proto.v1.PutSegmentRequest;
import io.cloudmw.proto.v1.PutSegmentResponse;
import io.cloudmw.proto.v1.RefusedFile;
import io.cloudmw.proto.v1.RemoveRequest;
import io.cloudmw.proto.v1.RemoveResponse;
import io.cloudmw.proto.v1.RenameRequest;
import io.cloudmw.proto.v1.RenameResponse;
import io.cloudmw.proto.v1.ReportReplicasRequest;
import io.cloudmw.proto.v1.ReportReplicasResponse;
import io.cloudmw.proto.v1.RoundFare;
import io.cloudmw.proto.v1.SetAttributesRequest;
import io.cloudmw.proto.v1.SetAttributesResponse;
import io.cloudmw.proto.v1.SmallFilesGrpc;
import io.cloudmw.proto.v1.StatFilesRequest;
import io.cloudmw.proto.v1.StatFilesResponse;
import io.cloudmw.proto.v1.StatRequest;
import io.cloudmw.proto.v1.StatResponse;
import io.cloudmw.proto.v1.StatedFile;
import io.cloudmw.proto.v1.UpkeepGrpc;
import io.cloudmw.proto.v1.ViewFleetRequest;
import io.cloudmw.proto.v1.ViewFleetResponse;
import io.grpc.ForwardingServerCall;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.ServerInterceptors;
import io.grpc.Status;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A coordinator that keeps everything in memory and places every chunk in every store. It can be stopped and started.
 */
public final class FakeCoordinator implements AutoCloseable {
    private static final long PLACED_MILLIS = 60_000;

    private record Key(String version, int segment) {}

    private final Map<FilePath, FileVersion> files = new ConcurrentHashMap<>();
    /** The packs by version. */
    private final Map<String, FileVersion> packs = new ConcurrentHashMap<>();

    private final Map<FilePath, FilePath> slicesOfOthers = new ConcurrentHashMap<>();

    private final Map<Key, List<Chunk>> segments = new ConcurrentHashMap<>();
    private final Map<String, Volume> volumes = new ConcurrentHashMap<>();
    private final AtomicReference<Optional<VolumeChange>> meanwhile = new AtomicReference<>(Optional.empty());
    private final List<HelperAddress> helpers = new CopyOnWriteArrayList<>();
    private final List<Store> stores = new CopyOnWriteArrayList<>();
    private final Map<StoreId, URI> signed = new ConcurrentHashMap<>();
    private final List<ReplicaReport> reports = new CopyOnWriteArrayList<>();
    private final List<List<String>> avoided = new CopyOnWriteArrayList<>();
    private final Map<FilePath, Attributes> attributes = new ConcurrentHashMap<>();
    private final Map<String, ManifestPlan> synthetic = new ConcurrentHashMap<>();
    private final List<Integer> askedSegments = new CopyOnWriteArrayList<>();
    private final List<RemoveRequest> removals = new CopyOnWriteArrayList<>();
    private final Set<String> open = ConcurrentHashMap.newKeySet();
    private final Set<String> foreign = ConcurrentHashMap.newKeySet();
    private final AtomicLong volumesCreatedAtMillis = new AtomicLong(1);
    private final Map<String, Refusal> refused = new ConcurrentHashMap<>();
    private final AtomicInteger tooMany = new AtomicInteger();
    private final AtomicInteger plans = new AtomicInteger();
    private final UnaryCalls calls = new UnaryCalls(this::run);
    private final FakeFeed feed = new FakeFeed();
    private final FakeExports exports = new FakeExports();
    private final FakeEdits edits;
    private final FakeEntries entries = new FakeEntries(files);
    private final FakeLocks locks = new FakeLocks();
    private final Queue<String> called = new ConcurrentLinkedQueue<>();
    private final FakeSnapshots snapshots = new FakeSnapshots(files);
    private final FakePeers peers = new FakePeers();
    private final FakeRecording recording = new FakeRecording();
    private final long chunkSizeBytes;
    private final int leafSizeBytes;
    private volatile FleetView fleet = new FleetView(List.of(), List.of(), List.of(), 0);
    private volatile Optional<ReadTarget> target = Optional.empty();
    private volatile int switches;
    private volatile boolean smallFiles = true;
    private volatile boolean tellsTime = true;
    private volatile boolean commitsLate;
    private volatile boolean placesAhead = true;
    private final List<CommitFilesRequest> commits = new CopyOnWriteArrayList<>();
    private volatile CompletableFuture<Void> commitGate = CompletableFuture.completedFuture(null);
    private volatile CompletableFuture<Void> lookUpGate = CompletableFuture.completedFuture(null);
    private final AtomicInteger lookUps = new AtomicInteger();
    private final AtomicInteger lookUpsUnderWay = new AtomicInteger();
    private final AtomicInteger mostLookUpsAtOnce = new AtomicInteger();
    private final AtomicInteger toLose = new AtomicInteger();
    private final AtomicInteger lost = new AtomicInteger();
    private final AtomicInteger segmentsPut = new AtomicInteger();
    private volatile String lossyCall = "";
    private volatile boolean lengthDecides;
    private volatile long clock;
    private volatile int pageLimit = 1000;
    private volatile String brokenToken = "none";
    private volatile SpeedBook speeds = SpeedBook.EMPTY;
    private volatile Set<StoreId> bad = Set.of();
    private volatile Mode mode = Mode.ROUNDS;
    private volatile List<StoreId> full = List.of();
    private volatile List<StoreId> unavailable = List.of();
    private final int port = TestPorts.free();
    private @Nullable Server server;

    public FakeCoordinator(long chunkSizeBytes, int leafSizeBytes) throws IOException {
        this.chunkSizeBytes = chunkSizeBytes;
        this.leafSizeBytes = leafSizeBytes;
        edits = new FakeEdits(files, chunkSizeBytes, leafSizeBytes);
        start();
    }

    /** The methods that were called since the last look, in order. */
    public List<String> calledSinceLastLook() {
        List<String> methods = new ArrayList<>();
        for (String method = called.poll(); method != null; method = called.poll()) {
            methods.add(method);
        }
        return methods;
    }

    /** Notes the calls. */
    private final class Counting implements ServerInterceptor {
        @Override
        public <Q, A> ServerCall.Listener<Q> interceptCall(
                ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
            called.add(call.getMethodDescriptor().getBareMethodName());
            return next.startCall(call, headers);
        }
    }

    public FakeLocks locks() {
        return locks;
    }

    /** The number of read plans that were requested. */
    public int plans() {
        return plans.get();
    }

    public void start() throws IOException {
        Server started = NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), port))
                .permitKeepAliveTime(1, TimeUnit.SECONDS)
                .intercept(new Counting())
                .addService(ServerInterceptors.intercept(new Service(), VersionHandshake.server(), new Losing()))
                .addService(ServerInterceptors.intercept(feed, VersionHandshake.server()))
                .addService(ServerInterceptors.intercept(exports, VersionHandshake.server()))
                .addService(ServerInterceptors.intercept(edits, VersionHandshake.server()))
                .addService(ServerInterceptors.intercept(entries, VersionHandshake.server()))
                .addService(ServerInterceptors.intercept(new SmallFiles(), VersionHandshake.server(), new Losing()))
                .addService(ServerInterceptors.intercept(locks, VersionHandshake.server()))
                .addService(ServerInterceptors.intercept(snapshots, VersionHandshake.server()))
                .addService(ServerInterceptors.intercept(peers, VersionHandshake.server()))
                .addService(ServerInterceptors.intercept(recording, VersionHandshake.server()))
                .addService(ServerInterceptors.intercept(new Upkeep(), VersionHandshake.server()))
                .build()
                .start();
        server = started;
    }

    public void stop() throws InterruptedException {
        if (server != null) {
            server.shutdownNow().awaitTermination(5, TimeUnit.SECONDS);
        }
    }

    public String address() {
        return "127.0.0.1:" + port;
    }

    private void run(Runnable call) {
        if (tooMany.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
            throw new RejectedExecutionException("too much to do");
        }
        call.run();
    }

    /** Refuses the next calls with {@code OVERLOADED}. */
    public void overload(int callsToRefuse) {
        tooMany.set(callsToRefuse);
    }

    public int callsLeftToRefuse() {
        return tooMany.get();
    }

    /** Sets the read target of its volumes. */
    public void target(ReadTarget promise) {
        target = Optional.of(promise);
    }

    /** Makes the first helpers switches, this many. */
    public void switches(int count) {
        switches = count;
    }

    /** Sets the speed of every store in its plans, for reads of all sizes. */
    public void speeds(ExpectedSpeed expected) {
        speeds = new SpeedBook(stores.stream()
                .map(store -> new SpeedEntry(Optional.empty(), new SpeedKey(store.id(), SizeClass.SMALL), expected))
                .toList());
    }

    /** Requires sources of unknown length to be measured first, as in volumes of n chunks. */
    public void letLengthDecide() {
        lengthDecides = true;
    }

    /** Expires every upload that is not committed. */
    public void giveUp() {
        open.clear();
    }

    /** Recreates all volumes, in other stores; earlier uploads belong to none of them. */
    public void makeVolumesAnew() {
        files.clear();
        foreign.addAll(open);
        volumesCreatedAtMillis.incrementAndGet();
    }

    /** Changes a volume right after it is read the next time, as another client would. */
    public void changeAfterNextRead(VolumeChange change) {
        meanwhile.set(Optional.of(change));
    }

    private Volume changed(VolumeChange change) throws CloudMwException {
        Volume before = volumes.get(change.volume().value());
        if (before == null) {
            throw new CloudMwException(ErrorCode.VOLUME_NOT_FOUND, change.volume() + ": no such volume");
        }
        if (change.generation() != 0 && change.generation() != before.generation()) {
            throw new CloudMwException(
                    ErrorCode.CONFLICT,
                    "volume " + change.volume() + " was changed meanwhile: it has generation " + before.generation()
                            + " (expected: " + change.generation() + ")");
        }
        Volume after = new Volume(
                before.name(),
                change.cutting().of(before.chunking()),
                change.copying().replicas().orElse(before.replicas()),
                before.stores(),
                change.copying().writeQuorum().orElse(before.writeQuorum()),
                change.reading().mode().orElse(before.mode()),
                before.rotateReplicas(),
                before.createdAtMillis(),
                change.reading().target().orElse(before.target()),
                change.reading().peers().orElse(before.peers()),
                before.revision().next(before.leaving()));
        volumes.put(after.name().value(), after);
        return after;
    }

    private record Refusal(ErrorCode code, AtomicInteger left) {}

    /**
     * Fails the next such calls, {@code BeginPut}, {@code PlaceChunks}, {@code CommitPut} or {@code Remove}, with this
     * code.
     */
    public void refuse(String call, ErrorCode code, int times) {
        refused.put(call, new Refusal(code, new AtomicInteger(times)));
    }

    private void refuseIfAsked(String call) throws CloudMwException {
        Refusal refusal = refused.get(call);
        if (refusal != null && refusal.left().getAndDecrement() > 0) {
            throw new CloudMwException(refusal.code(), call + ": refused");
        }
    }

    /** Loses the next answers to this call, which takes effect all the same. */
    public void loseAnswersTo(String call, int times) {
        lossyCall = call;
        toLose.set(times);
    }

    public int answersLost() {
        return lost.get();
    }

    /** The number of edits that were begun. */
    public int editsBegun() {
        return edits.begun();
    }

    /** The number of calls that put a manifest segment. */
    public int segmentsPut() {
        return segmentsPut.get();
    }

    /** Has listings show stores as unavailable. */
    public void unavailable(List<StoreId> ids) {
        unavailable = List.copyOf(ids);
    }

    /** Makes stores full: copies there are owed. */
    public void full(List<StoreId> ids) {
        full = List.copyOf(ids);
    }

    /** Lists pages of so many files, and fails after the page that ends with this name. */
    public void page(int limit, String failAfter) {
        pageLimit = limit;
        brokenToken = failAfter;
    }

    /** Sets its view of the fleet. */
    public void fleet(FleetView view) {
        fleet = view;
    }

    /** Makes it give the slice of another file as that of a file. */
    public void confuseSlices(FilePath file, FilePath other) {
        slicesOfOthers.put(file, other);
    }

    /** Makes it a coordinator of the release before packs. */
    public void withoutSmallFiles() {
        smallFiles = false;
        tellsTime = false;
        placesAhead = false;
    }

    /** Makes it a coordinator of a release that does not tell its time. */
    public void withoutTime() {
        tellsTime = false;
    }

    /** Places chunks only when it is called for that. */
    public void placeOnRequest() {
        placesAhead = false;
    }

    /** Refuses files without a condition as if each commit came after its time. */
    public void commitLate() {
        commitsLate = true;
    }

    /** Lets commits of small files wait, once they have arrived, until the gate is completed. */
    public CompletableFuture<Void> holdCommits() {
        CompletableFuture<Void> gate = new CompletableFuture<>();
        commitGate = gate;
        return gate;
    }

    /** Lets look-ups of many files wait, once they have arrived, until the gate is completed. */
    public CompletableFuture<Void> holdLookUps() {
        CompletableFuture<Void> gate = new CompletableFuture<>();
        lookUpGate = gate;
        return gate;
    }

    /** The look-ups of many files that have arrived so far. */
    public int lookUps() {
        return lookUps.get();
    }

    /** The most look-ups of many files that were under way at once. */
    public int mostLookUpsAtOnce() {
        return mostLookUpsAtOnce.get();
    }

    /** The commits of small files so far, in order. */
    public List<CommitFilesRequest> commitsOfSmallFiles() {
        return List.copyOf(commits);
    }

    /** Has all helpers of plans take requests for blocks. */
    public void blockRequests() {
        helpers.replaceAll(helper -> new HelperAddress(
                helper.id(), helper.control(), helper.bulk(), helper.switched(), helper.location(), true));
    }

    public void add(HelperAddress helper) {
        helpers.add(helper);
    }

    public void add(Store store) {
        stores.add(store);
    }

    /** Adds a bucket whose chunks can be read below {@code base} by their ids, without a helper. */
    public void add(StoreId bucket, URI base) {
        add(new Store(bucket, bucket.value(), new Store.S3(bucket.value(), "somewhere", "", false, "")));
        signed.put(bucket, base);
    }

    private Map<StoreId, URI> urls(Chunk chunk) {
        Map<StoreId, URI> urls = new HashMap<>();
        signed.forEach((store, base) -> urls.put(store, base.resolve("/" + chunk.id())));
        return urls;
    }

    /** Places every chunk in these stores. */
    public void replicate(List<StoreId> replicas) {
        replicate(replicas, 0);
        files.replaceAll((file, version) -> {
            ManifestDigest digest = new ManifestDigest();
            for (int i = 0; i < version.segmentCount(); i++) {
                List<Chunk> chunks =
                        Objects.requireNonNull(segments.get(new Key(version.id().value(), i)));
                digest.add(ManifestDigest.ofSegment(new ManifestSegment(i, chunks).encode()));
            }
            return new FileVersion(
                    version.file(),
                    version.id(),
                    version.sizeBytes(),
                    version.chunkCount(),
                    version.segmentCount(),
                    version.leafSizeBytes(),
                    version.committedAtMillis(),
                    digest.finish());
        });
    }

    /** Returns manifests other than those committed: other stores, and so many chunks fewer at the end. */
    public void replicate(List<StoreId> replicas, int fewerChunks) {
        segments.replaceAll((key, chunks) -> chunks.stream()
                .limit(chunks.size() - fewerChunks)
                .map(chunk -> new Chunk(
                        chunk.index(), chunk.id(), chunk.range(), chunk.leafSizeBytes(), chunk.leaves(), replicas))
                .toList());
    }

    /** Announces one segment too many for every version's manifest. */
    public void promiseAnotherSegment() {
        files.replaceAll((file, version) -> new FileVersion(
                version.file(),
                version.id(),
                version.sizeBytes(),
                version.chunkCount(),
                version.segmentCount() + 1,
                version.leafSizeBytes(),
                version.committedAtMillis(),
                version.manifestSha256()));
    }

    /** Sets the mode of its volumes; rounds by default. */
    public void mode(Mode volumes) {
        mode = volumes;
    }

    /** Marks every replica in these stores as bad. */
    public void bad(Set<StoreId> known) {
        bad = known;
    }

    /** Adds a file of this size with a synthetic manifest; its bytes cannot be read. */
    public void synthesize(FilePath file, long sizeBytes) {
        ManifestPlan plan = new ManifestPlan(new ChunkCutter(sizeBytes, chunkSizeBytes), leafSizeBytes);
        FileVersion version = new FileVersion(
                file,
                VersionId.random(),
                sizeBytes,
                plan.cutter().count(),
                plan.segmentCount(),
                leafSizeBytes,
                0,
                "0".repeat(64));
        synthetic.put(version.id().value(), plan);
        files.put(file, version);
    }

    private List<Chunk> segment(Key key) {
        ManifestPlan plan = synthetic.get(key.version());
        if (plan == null) {
            return segments.getOrDefault(key, List.of());
        }
        List<Chunk> chunks = new ArrayList<>();
        long first = plan.firstChunk(key.segment());
        for (long index = first; index < first + plan.chunkCount(key.segment()); index++) {
            ByteRange range = plan.cutter().range(index);
            int leaves = Chunk.leafCount(range.length(), leafSizeBytes);
            chunks.add(new Chunk(
                    index,
                    new ChunkId(new VersionId(key.version()), index),
                    range,
                    leafSizeBytes,
                    new LeafDigests(new int[leaves], new byte[leaves * LeafDigests.SHA256_BYTES]),
                    List.of(new StoreId("s"))));
        }
        return chunks;
    }

    /** Every try of a remove. */
    public List<RemoveRequest> removals() {
        return List.copyOf(removals);
    }

    /** The manifest segments that were requested, in order. */
    public List<Integer> askedSegments() {
        return List.copyOf(askedSegments);
    }

    /** Sets the time of later commits. */
    public void now(long millis) {
        clock = millis;
    }

    public FakePeers peers() {
        return peers;
    }

    public FakeRecording recording() {
        return recording;
    }

    public FakeSnapshots snapshots() {
        return snapshots;
    }

    public FakeExports exports() {
        return exports;
    }

    /** The change feed for watches. */
    public FakeFeed feed() {
        return feed;
    }

    public List<ReplicaReport> reports() {
        return List.copyOf(reports);
    }

    /** The helpers that each call asked to avoid. */
    public List<List<String>> avoided() {
        return List.copyOf(avoided);
    }

    public Map<FilePath, FileVersion> files() {
        return files;
    }

    @Override
    public void close() {
        try {
            stop();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private FileVersion current(FilePath file) throws CloudMwException {
        FileVersion version = files.get(file);
        if (version == null) {
            throw new CloudMwException(ErrorCode.NOT_FOUND, file + ": no such file");
        }
        return version;
    }

    private synchronized void commit(FileVersion version, String expected) throws CloudMwException {
        FileVersion before = files.get(version.file());
        if (version.id().equals(before == null ? null : before.id())) {
            return; // its answer was lost
        }
        String found = before == null ? "" : before.id().value();
        if (!found.equals(expected)) {
            throw new CloudMwException(ErrorCode.CONFLICT, version.file() + ": changed");
        }
        files.put(version.file(), version);
        open.remove(version.id().value());
    }

    private List<StoreStatus> statuses() {
        return stores.stream()
                .map(store -> new StoreStatus(
                        store,
                        !unavailable.contains(store.id()),
                        false,
                        full.contains(store.id()) ? OptionalLong.of(0) : OptionalLong.empty()))
                .toList();
    }

    private static TransferToken token() {
        return TransferToken.of(new byte[] {1});
    }

    private final class Losing implements ServerInterceptor {
        @Override
        public <Q, A> ServerCall.Listener<Q> interceptCall(
                ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
            String name = String.valueOf(call.getMethodDescriptor().getBareMethodName());
            return next.startCall(
                    new ForwardingServerCall.SimpleForwardingServerCall<>(call) {
                        private boolean isLost;

                        @Override
                        public void sendMessage(A answer) {
                            isLost = name.equals(lossyCall) && toLose.getAndUpdate(left -> Math.max(0, left - 1)) > 0;
                            if (!isLost) {
                                super.sendMessage(answer);
                            }
                        }

                        @Override
                        public void close(Status status, Metadata trailers) {
                            if (isLost) {
                                lost.incrementAndGet();
                            }
                            super.close(isLost ? Status.UNAVAILABLE : status, trailers);
                        }
                    },
                    headers);
        }
    }

    /** Rounds, by number; each reports progress once and is then done. */
    private final Map<Long, RoundProgress> rounds = new ConcurrentHashMap<>();

    private final Set<Long> ended = ConcurrentHashMap.newKeySet();
    private volatile boolean roundsStandStill;

    private static final CollectFindings FOUND = new CollectFindings(
            new CopyTotal(1000, 1000 << 20), new CopyTotal(30, 30 << 20), new CopyTotal(10, 10 << 20), 0);

    private static final CollectProgress COLLECTING = new CollectProgress(
            0, true, CollectRound.began(true, 7, 4).found(FOUND).storeDone(), CollectRound.NONE);

    private final Map<UUID, OrderedRound> orders = new ConcurrentHashMap<>();
    private volatile boolean forgetsOrders;

    /** Forgets an order after the first question about it, as a restarted coordinator would. */
    public void forgetOrders() {
        forgetsOrders = true;
    }

    /** Stops the progress of rounds. */
    public void letRoundsStandStill() {
        roundsStandStill = true;
    }

    /** Numbers of rounds that were ended before they were done. */
    public Set<Long> endedRounds() {
        return ended;
    }

    /** The upkeep of a cluster with one store, of which nothing was checked yet. */
    private final class Upkeep extends UpkeepGrpc.UpkeepImplBase {
        @Override
        public void collect(CollectRequest request, StreamObserver<CollectResponse> observer) {
            calls.answer(observer, () -> {
                orders.putIfAbsent(
                        UpkeepWire.order(request), new OrderedRound(1, OrderedRound.State.UNDER_WAY, COLLECTING.now()));
                return CollectResponse.newBuilder().setRound(1).build();
            });
        }

        @Override
        public void endCollection(EndCollectionRequest request, StreamObserver<EndCollectionResponse> observer) {
            calls.answer(observer, () -> {
                orders.put(
                        UpkeepWire.order(request.getOrderId()),
                        new OrderedRound(1, OrderedRound.State.CANCELLED, COLLECTING.now()));
                return EndCollectionResponse.getDefaultInstance();
            });
        }

        /** Reports progress once, then the end. */
        @Override
        public void getCollection(GetCollectionRequest request, StreamObserver<OrderedRoundFare> observer) {
            calls.answer(observer, () -> {
                UUID order = UpkeepWire.order(request.getOrderId());
                OrderedRound round = orders.get(order);
                if (round == null) {
                    throw new CloudMwException(
                            ErrorCode.NOT_FOUND,
                            "order " + order + ": not known (its coordinator was restarted; order a new one)");
                }
                if (forgetsOrders) {
                    orders.clear();
                } else if (!roundsStandStill && !round.state().isOver()) {
                    orders.put(order, new OrderedRound(1, OrderedRound.State.DONE, COLLECTING.now()));
                }
                return UpkeepWire.fare(round);
            });
        }

        @Override
        public void beginRound(BeginRoundRequest request, StreamObserver<BeginRoundResponse> observer) {
            calls.answer(observer, () -> {
                long number = rounds.size() + 1L;
                rounds.put(number, round(UpkeepWire.kind(request), number, RoundProgress.State.READING));
                return BeginRoundResponse.newBuilder().setRound(number).build();
            });
        }

        @Override
        public void getRound(GetRoundRequest request, StreamObserver<RoundFare> observer) {
            calls.answer(observer, () -> {
                RoundProgress round = Objects.requireNonNull(rounds.get(request.getRound()));
                if (!roundsStandStill) {
                    rounds.put(request.getRound(), round(round.kind(), round.number(), RoundProgress.State.DONE));
                }
                return UpkeepWire.fare(round);
            });
        }

        @Override
        public void endRound(EndRoundRequest request, StreamObserver<RoundFare> observer) {
            calls.answer(observer, () -> {
                ended.add(request.getRound());
                return UpkeepWire.fare(
                        round(RoundProgress.Kind.SCRUB, request.getRound(), RoundProgress.State.CANCELLED));
            });
        }

        private RoundProgress round(RoundProgress.Kind kind, long number, RoundProgress.State state) {
            return new RoundProgress(kind, number, state, 10, 30, 30L << 20, 2, 1, 2, 2L << 20, 0);
        }

        @Override
        public void getStatus(GetStatusRequest request, StreamObserver<GetStatusResponse> observer) {
            Store store = new Store(new StoreId("east"), "east", new Store.S3("b", "us-east-1", "", false, ""));
            RepairProgress repair =
                    new RepairProgress(new TreeMap<>(), Map.of(), new TreeMap<>(), 0, false, 0, 0, 0, 0);
            calls.answer(
                    observer,
                    () -> UpkeepWire.status(new UpkeepStatus(
                            List.of(new StoreCondition(
                                    new StoreCandidate(store, "", 1),
                                    Long.MAX_VALUE,
                                    true,
                                    Duration.ZERO,
                                    false,
                                    false)),
                            List.of(),
                            repair,
                            ScrubProgress.NONE,
                            CollectProgress.NONE,
                            0,
                            0)));
        }
    }

    private final class Service extends CoordinatorGrpc.CoordinatorImplBase {
        @Override
        public void createVolume(CreateVolumeRequest request, StreamObserver<CreateVolumeResponse> observer) {
            calls.answer(observer, () -> {
                Volume volume = FromWire.volume(request.getVolume());
                volumes.put(volume.name().value(), volume);
                return CreateVolumeResponse.newBuilder()
                        .setVolume(ToWire.volume(volume))
                        .build();
            });
        }

        @Override
        public void changeVolume(ChangeVolumeRequest request, StreamObserver<ChangeVolumeResponse> observer) {
            calls.answer(
                    observer,
                    () -> ChangeVolumeResponse.newBuilder()
                            .setVolume(ToWire.volume(changed(VolumeWire.change(request))))
                            .build());
        }

        @Override
        public void deleteVolume(DeleteVolumeRequest request, StreamObserver<DeleteVolumeResponse> observer) {
            calls.answer(observer, () -> {
                if (volumes.remove(request.getName()) == null) {
                    throw new CloudMwException(ErrorCode.VOLUME_NOT_FOUND, request.getName() + ": no such volume");
                }
                files.keySet().removeIf(file -> file.volume().value().equals(request.getName()));
                return DeleteVolumeResponse.getDefaultInstance();
            });
        }

        @Override
        public void getVolume(GetVolumeRequest request, StreamObserver<GetVolumeResponse> observer) {
            calls.answer(observer, () -> {
                Volume volume = volumes.isEmpty() ? usual(request.getName()) : volumes.get(request.getName());
                if (volume == null) {
                    throw new CloudMwException(ErrorCode.VOLUME_NOT_FOUND, request.getName() + ": no such volume");
                }
                Optional<VolumeChange> other = meanwhile.getAndSet(Optional.empty());
                if (other.isPresent()) {
                    changed(other.get());
                }
                GetVolumeResponse.Builder answer =
                        GetVolumeResponse.newBuilder().setVolume(ToWire.volume(volume));
                if (request.hasPlace() && placesAhead) {
                    answer.setPlaced(placed(request.getPlace())).setPlacedMillis(PLACED_MILLIS);
                }
                return answer.setNowMillis(tellsTime ? WallClock.system().millis() : 0)
                        .build();
            });
        }

        @Override
        public void listVolumes(ListVolumesRequest request, StreamObserver<ListVolumesResponse> observer) {
            calls.answer(
                    observer,
                    () -> ListVolumesResponse.newBuilder()
                            .addAllVolumes(volumes.values().stream()
                                    .map(ToWire::volume)
                                    .toList())
                            .build());
        }

        @Override
        public void listStores(ListStoresRequest request, StreamObserver<ListStoresResponse> observer) {
            calls.answer(
                    observer,
                    () -> ListStoresResponse.newBuilder()
                            .addAllStores(statuses().stream().map(ToWire::store).toList())
                            .build());
        }

        @Override
        public void beginPut(BeginPutRequest request, StreamObserver<BeginPutResponse> observer) {
            calls.answer(observer, () -> {
                refuseIfAsked("BeginPut");
                FileVersion before = files.get(FromWire.file(request.getVolume(), request.getPath()));
                return BeginPutResponse.newBuilder()
                        .setVolumeCreatedAtMillis(volumesCreatedAtMillis.get())
                        .setOpen(request.getResume() && open.contains(request.getVersionId()))
                        .setChunkSizeBytes(request.getOpenEnded() && lengthDecides ? 0 : chunkSizeBytes)
                        .setChunkCount((request.getSizeBytes() + chunkSizeBytes - 1) / chunkSizeBytes)
                        .setLeafSizeBytes(leafSizeBytes)
                        .setExpectedVersionId(before == null ? "" : before.id().value())
                        .setWriteQuorum(1)
                        .build();
            });
        }

        @Override
        public void placeChunks(PlaceChunksRequest request, StreamObserver<PlaceChunksResponse> observer) {
            calls.answer(observer, () -> {
                refuseIfAsked("PlaceChunks");
                open.add(request.getVersionId());
                avoided.add(List.copyOf(request.getAvoidHelperIdsList()));
                return placed(request);
            });
        }

        @Override
        public void putSegment(PutSegmentRequest request, StreamObserver<PutSegmentResponse> observer) {
            calls.answer(observer, () -> {
                segmentsPut.incrementAndGet();
                List<Chunk> chunks = new ArrayList<>();
                for (io.cloudmw.proto.v1.Chunk chunk : request.getChunksList()) {
                    chunks.add(FromWire.chunk(chunk));
                }
                segments.put(new Key(request.getVersionId(), request.getSegmentIndex()), chunks);
                return PutSegmentResponse.getDefaultInstance();
            });
        }

        @Override
        public void commitPut(CommitPutRequest request, StreamObserver<CommitPutResponse> observer) {
            calls.answer(observer, () -> {
                refuseIfAsked("CommitPut");
                FileVersion version = stamped(FromWire.version(request.getVersion()));
                if (foreign.contains(version.id().value())) {
                    throw new CloudMwException(ErrorCode.INVALID_ARGUMENT, version.file() + ": other stores");
                }
                locks.requireHeld(version.file(), LockWire.claims(request.getLocksList()));
                boolean isNew = !files.containsKey(version.file());
                commit(version, request.getExpectedVersionId());
                if (isNew) {
                    attributes.put(version.file(), FromWire.attributes(request.getAttributes()));
                }
                return CommitPutResponse.newBuilder()
                        .setVersion(ToWire.version(version))
                        .build();
            });
        }

        /** The volume of tests that create none. */
        private Volume usual(String name) {
            return new Volume(
                    new VolumeName(name),
                    new Chunking.BySize(chunkSizeBytes, leafSizeBytes),
                    stores.size(),
                    stores.stream().map(Store::id).toList(),
                    1,
                    mode,
                    false,
                    volumesCreatedAtMillis.get(),
                    target,
                    false);
        }

        private FileVersion stamped(FileVersion version) {
            return version.committed(clock, version.chunkSizeBytes());
        }

        @Override
        public void listHelpers(ListHelpersRequest request, StreamObserver<ListHelpersResponse> observer) {
            calls.answer(
                    observer,
                    () -> ListHelpersResponse.newBuilder()
                            .addAllHelpers(helpers.stream()
                                    .map(helper -> HelperState.newBuilder()
                                            .setHelper(ToWire.helper(helper))
                                            .setAlive(true)
                                            .build())
                                    .toList())
                            .build());
        }

        @Override
        public void planRead(PlanReadRequest request, StreamObserver<PlanReadResponse> observer) {
            plans.incrementAndGet();
            calls.answer(
                    observer,
                    () -> ToWire.readPlan(new ReadPlan(
                            toRead(FromWire.file(request.getVolume(), request.getPath()), request.getVersionId()),
                            helpers,
                            statuses(),
                            mode,
                            false,
                            token(),
                            stores.size(),
                            speeds,
                            target,
                            switches,
                            OptionalInt.empty(),
                            false,
                            request.getRecordable() ? recording.record : Optional.empty(),
                            List.of())));
        }

        /** Finds versions that only a snapshot names by their id. */
        private FileVersion toRead(FilePath file, String version) throws CloudMwException {
            FileVersion pack = packs.get(version);
            if (pack != null) {
                return pack;
            }
            Optional<FileVersion> kept = snapshots.find(version);
            return kept.isPresent() ? kept.get() : current(file);
        }

        @Override
        public void viewFleet(ViewFleetRequest request, StreamObserver<ViewFleetResponse> observer) {
            calls.answer(observer, () -> MonitorWire.view(fleet));
        }

        @Override
        public void getSegment(GetSegmentRequest request, StreamObserver<GetSegmentResponse> observer) {
            calls.answer(observer, () -> {
                askedSegments.add(request.getSegmentIndex());
                GetSegmentResponse.Builder answer = GetSegmentResponse.newBuilder();
                for (Chunk chunk : segment(new Key(request.getVersionId(), request.getSegmentIndex()))) {
                    List<Entrant> entrants = new ArrayList<>();
                    for (int i = 0;
                            i < Math.min(helpers.size(), chunk.replicas().size());
                            i++) {
                        entrants.add(new Entrant(new RacerId(i), i));
                    }
                    Map<StoreId, URI> direct = request.getDirect() ? urls(chunk) : Map.of();
                    answer.addChunks(ToWire.plannedChunk(new PlannedChunk(chunk, bad, entrants, direct)));
                }
                return answer.build();
            });
        }

        @Override
        public void list(ListRequest request, StreamObserver<ListResponse> observer) {
            calls.answer(observer, () -> {
                if (request.getPageToken().equals(brokenToken)) {
                    throw new CloudMwException(ErrorCode.CONFLICT, "renamed meanwhile");
                }
                return FakeListing.page(files.values(), entries.directories(), request, pageLimit);
            });
        }

        @Override
        public void remove(RemoveRequest request, StreamObserver<RemoveResponse> observer) {
            calls.answer(observer, () -> {
                removals.add(request);
                refuseIfAsked("Remove");
                FilePath file = FromWire.file(request.getVolume(), request.getPath());
                FileVersion removed = current(file);
                files.remove(file);
                return RemoveResponse.newBuilder()
                        .setRemoved(ToWire.version(removed))
                        .build();
            });
        }

        @Override
        public void stat(StatRequest request, StreamObserver<StatResponse> observer) {
            calls.answer(observer, () -> {
                FilePath file = FromWire.file(request.getVolume(), request.getPath());
                return StatResponse.newBuilder()
                        .setVersion(ToWire.version(current(file)))
                        .setAttributes(ToWire.attributes(attributes.getOrDefault(file, Attributes.NONE)))
                        .build();
            });
        }

        @Override
        public void setAttributes(SetAttributesRequest request, StreamObserver<SetAttributesResponse> observer) {
            calls.answer(observer, () -> {
                AttributeChange change = FromWire.attributeChange(request);
                Attributes changed = attributes
                        .getOrDefault(current(change.file()).file(), Attributes.NONE)
                        .with(change);
                attributes.put(change.file(), changed);
                return SetAttributesResponse.newBuilder()
                        .setAttributes(ToWire.attributes(changed))
                        .build();
            });
        }

        /** Renames files only. */
        @Override
        public void rename(RenameRequest request, StreamObserver<RenameResponse> observer) {
            calls.answer(observer, () -> {
                Rename rename = FromWire.rename(request);
                FileVersion version = current(rename.from()).at(rename.to());
                if (!rename.replace() && files.containsKey(rename.to())) {
                    throw new CloudMwException(ErrorCode.ALREADY_EXISTS, rename.to() + " is a file");
                }
                files.put(rename.to(), version);
                files.remove(rename.from());
                return RenameResponse.newBuilder()
                        .setMoved(Entry.newBuilder().setName(rename.to().name()).setVersion(ToWire.version(version)))
                        .build();
            });
        }

        @Override
        public void reportReplicas(ReportReplicasRequest request, StreamObserver<ReportReplicasResponse> observer) {
            calls.answer(observer, () -> {
                reports.addAll(FromWire.reports(request.getReplicasList()));
                return ReportReplicasResponse.getDefaultInstance();
            });
        }
    }

    private PlaceChunksResponse placed(PlaceChunksRequest request) throws CloudMwException {
        List<HelperAddress> fit = helpers.stream()
                .filter(helper ->
                        !request.getAvoidHelperIdsList().contains(helper.id().value()))
                .toList();
        HelperId chosen = (fit.isEmpty() ? helpers : fit).get(0).id();
        List<StoreId> everywhere = stores.stream().map(Store::id).toList();
        List<PlacedChunk> placed = new ArrayList<>();
        for (int i = 0; i < request.getCount(); i++) {
            ChunkId id = new ChunkId(FromWire.versionId(request.getVersionId()), request.getFirstIndex() + i);
            placed.add(new PlacedChunk(id, everywhere, full, chosen));
        }
        return ToWire.writePlan(new WritePlan(placed, statuses(), helpers, token()));
    }

    /** Many small files in one call. */
    private final class SmallFiles extends SmallFilesGrpc.SmallFilesImplBase {
        @Override
        public void commitFiles(CommitFilesRequest request, StreamObserver<CommitFilesResponse> observer) {
            if (!smallFiles) {
                super.commitFiles(request, observer);
                return;
            }
            calls.answer(observer, () -> {
                refuseIfAsked("CommitFiles");
                commits.add(request);
                commitGate.join();
                if (request.hasPack()) {
                    Chunk chunk = FromWire.chunk(request.getPack().getChunk());
                    String id = chunk.id().version().value();
                    FilePath path = FilePath.ofPack(
                            new VolumeName(request.getVolume()), chunk.id().version());
                    segments.put(new Key(id, 0), List.of(chunk));
                    packs.put(id, pack(path, chunk));
                }
                CommitFilesResponse.Builder answer = CommitFilesResponse.newBuilder();
                for (CommittedFile file : request.getFilesList()) {
                    answer.addOutcomes(outcome(file));
                }
                if (request.hasPlace() && placesAhead) {
                    answer.setPlaced(placed(request.getPlace())).setPlacedMillis(PLACED_MILLIS);
                }
                return answer.build();
            });
        }

        private FileVersion pack(FilePath path, Chunk chunk) {
            long bytes = chunk.range().length();
            String digest = new ManifestDigest()
                    .add(ManifestDigest.ofSegment(new ManifestSegment(0, List.of(chunk)).encode()))
                    .finish();
            return new FileVersion(path, chunk.id().version(), bytes, 1, 1, leafSizeBytes, clock, digest, bytes);
        }

        private FileOutcome outcome(CommittedFile file) throws CloudMwException {
            FileVersion version = FromWire.version(file.getVersion()).committed(clock, chunkSizeBytes);
            FileVersion before = files.get(version.file());
            String found = before == null ? "" : before.id().value();
            if (file.hasExpectedVersionId() && !file.getExpectedVersionId().equals(found)) {
                return FileOutcome.newBuilder()
                        .setRefused(RefusedFile.newBuilder()
                                .setCode(ErrorCode.CONFLICT.name())
                                .setMessage(version.file() + ": another version"))
                        .build();
            }
            if (commitsLate && !file.hasExpectedVersionId()) {
                return FileOutcome.newBuilder()
                        .setRefused(RefusedFile.newBuilder()
                                .setCode(ErrorCode.DEADLINE_EXCEEDED.name())
                                .setMessage(version.file() + ": too late"))
                        .build();
            }
            List<Chunk> chunks = new ArrayList<>();
            for (io.cloudmw.proto.v1.Chunk chunk : file.getChunksList()) {
                chunks.add(FromWire.chunk(chunk));
            }
            segments.put(new Key(version.id().value(), 0), chunks);
            files.put(version.file(), version);
            SortedMap<String, String> all = new TreeMap<>(
                    before == null
                            ? FromWire.attributes(file.getAttributes()).values()
                            : attributes
                                    .getOrDefault(version.file(), Attributes.NONE)
                                    .values());
            all.putAll(FromWire.attributes(file.getSetAttributes()).values());
            attributes.put(version.file(), new Attributes(all));
            return FileOutcome.newBuilder()
                    .setCommitted(ToWire.version(version))
                    .build();
        }

        @Override
        public void statFiles(StatFilesRequest request, StreamObserver<StatFilesResponse> observer) {
            if (!smallFiles) {
                super.statFiles(request, observer);
                return;
            }
            calls.answer(observer, () -> {
                mostLookUpsAtOnce.accumulateAndGet(lookUpsUnderWay.incrementAndGet(), Math::max);
                lookUps.incrementAndGet();
                lookUpGate.join();
                lookUpsUnderWay.decrementAndGet();
                StatFilesResponse.Builder answer = StatFilesResponse.newBuilder();
                for (String path : request.getPathsList()) {
                    FilePath file = FromWire.file(request.getVolume(), path);
                    FileVersion version = files.get(file);
                    answer.addFiles(version == null ? StatedFile.getDefaultInstance() : stated(file, version, request));
                }
                return answer.build();
            });
        }

        private StatedFile stated(FilePath file, FileVersion version, StatFilesRequest request) {
            FileVersion described = Objects.requireNonNull(files.get(slicesOfOthers.getOrDefault(file, file)));
            List<Chunk> chunks = request.getChunks() && described.segmentCount() == 1
                    ? segment(new Key(described.id().value(), 0)).stream()
                            .filter(chunk -> chunk.id().slice().isPresent())
                            .toList()
                    : List.of();
            return StatedFile.newBuilder()
                    .setVersion(ToWire.version(version))
                    .setAttributes(ToWire.attributes(attributes.getOrDefault(file, Attributes.NONE)))
                    .addAllChunks(chunks.stream().map(ToWire::chunk).toList())
                    .build();
        }
    }
}
