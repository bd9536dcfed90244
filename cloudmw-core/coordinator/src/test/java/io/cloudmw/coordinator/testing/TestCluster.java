package io.cloudmw.coordinator.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.coordinator.Coordinator;
import io.cloudmw.coordinator.CoordinatorOptions;
import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.catalog.change.BatchCommit;
import io.cloudmw.coordinator.catalog.change.CommitOutcome;
import io.cloudmw.coordinator.catalog.change.CommitRequest;
import io.cloudmw.coordinator.fleet.BucketAccess;
import io.cloudmw.coordinator.fleet.SigningSources;
import io.cloudmw.coordinator.testing.memory.InMemoryCatalog;
import io.cloudmw.coordinator.upload.EditPlan;
import io.cloudmw.coordinator.upload.SmallFileCommits;
import io.cloudmw.coordinator.upload.UploadPlan;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.identity.DiskClaim;
import io.cloudmw.core.manifest.ManifestDigest;
import io.cloudmw.core.manifest.ManifestPlan;
import io.cloudmw.core.manifest.ManifestSegment;
import io.cloudmw.core.manifest.NamedChunks;
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
import io.cloudmw.core.model.file.Edit;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.model.file.VersionPart;
import io.cloudmw.core.model.fleet.DiskUsage;
import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.model.fleet.Location;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.model.volume.Chunking;
import io.cloudmw.core.model.volume.Volume;
import io.cloudmw.core.model.volume.VolumeSet;
import io.cloudmw.core.security.ClusterSecret;
import io.cloudmw.core.security.TransferTokens;
import io.cloudmw.core.signing.HelperUrlSigner;
import io.cloudmw.core.testing.FakeTicker;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.LongFunction;
import java.util.function.UnaryOperator;

/** A coordinator over a catalog in memory, with time that the test advances. */
public final class TestCluster {
    public static final VolumeName VOLUME = new VolumeName("v");

    public final FakeTicker ticker = new FakeTicker();
    public final Catalog catalog;
    public final TransferTokens tokens = new TransferTokens(ClusterSecret.of(new byte[32]), this::now);
    /** The access to buckets of the next coordinator. */
    public BucketAccess direct = (store, chunk, validity) -> store.kind() instanceof Store.S3
            ? Optional.of(URI.create("https://" + store.id() + "/" + chunk))
            : Optional.empty();

    /** The helper signer of the next coordinator. */
    HelperUrlSigner signer = HelperUrlSigner.none();

    private final Map<HelperId, Long> epochs = new HashMap<>();
    public Coordinator coordinator;

    /** The options of the next coordinator. */
    public CoordinatorOptions options = CoordinatorOptions.defaults();

    /** The error of civil clocks. */
    public long skewMillis;

    public TestCluster() throws CloudMwException {
        this(new InMemoryCatalog());
    }

    /** @param catalog closed by the caller */
    public TestCluster(Catalog catalog) throws CloudMwException {
        this.catalog = catalog;
        coordinator = started();
    }

    public long now() {
        return 1_700_000_000_000L + skewMillis + ticker.nanos() / 1_000_000;
    }

    private Coordinator started() throws CloudMwException {
        return new Coordinator(
                "coordinator", catalog, tokens, new SigningSources(direct, signer), options, ticker, this::now);
    }

    /** Starts a new coordinator on the same catalog, as after a crash. */
    public void restart() throws CloudMwException {
        coordinator = started();
    }

    /** Registers a helper with one disk of the same number, in its own failure domain. */
    public HelperAddress helper(int number) throws CloudMwException {
        return helper(number, VolumeSet.NONE);
    }

    /** Registers a helper that is a switch for some volumes. */
    public HelperAddress helper(int number, VolumeSet switched) throws CloudMwException {
        return helper(number, switched, Location.NONE);
    }

    public HelperAddress helper(int number, VolumeSet switched, Location location) throws CloudMwException {
        HelperAddress address = new HelperAddress(
                new HelperId("h" + number),
                "127.0.0.1:" + (7000 + number),
                "127.0.0.1:" + (8000 + number),
                switched,
                location);
        register(address, DiskClaim.of(disk(number)));
        return address;
    }

    public void register(HelperAddress address, DiskClaim disk) throws CloudMwException {
        epochs.put(
                address.id(),
                coordinator
                        .administration()
                        .registerHelper(address, 1, List.of(disk))
                        .epoch());
    }

    /** Returns a store as the catalog has it. */
    public Store stored(StoreId id) throws CloudMwException {
        return catalog.stores().stream()
                .filter(store -> store.id().equals(id))
                .findFirst()
                .orElseThrow();
    }

    public void heartbeat(int number) throws CloudMwException {
        HelperId id = new HelperId("h" + number);
        coordinator.administration().heartbeat(id, epochs.getOrDefault(id, 0L), List.of());
    }

    /** A helper leaves. */
    public void leave(int number) throws CloudMwException {
        HelperId id = new HelperId("h" + number);
        coordinator.administration().leave(id, epochs.getOrDefault(id, 0L));
    }

    /** Sends a heartbeat with the state of the helper's disk. */
    public void heartbeat(int number, long freeBytes, long reserveBytes) throws CloudMwException {
        HelperId id = new HelperId("h" + number);
        coordinator
                .administration()
                .heartbeat(
                        id,
                        epochs.getOrDefault(id, 0L),
                        List.of(new DiskUsage(disk(number).id(), 0, freeBytes, reserveBytes)));
    }

    public static Store disk(int number) {
        return new Store(
                new StoreId("d" + number),
                "rack-" + number,
                new Store.Disk(new HelperId("h" + number), Path.of("/data/d" + number)));
    }

    public static Store bucket(String id) {
        return new Store(new StoreId(id), "region-" + id, new Store.S3("bucket-" + id, "eu-west-1", "", false, ""));
    }

    /** Adds three helpers with one disk each, and a volume of three replicas on them. */
    public TestCluster withVolume(int writeQuorum) throws CloudMwException {
        for (int number = 1; number <= 3; number++) {
            helper(number);
        }
        coordinator.administration().createVolume(volume("v", 3, writeQuorum, "d1", "d2", "d3"), Optional.empty());
        return this;
    }

    public static Volume volume(String name, int replicas, int writeQuorum, String... stores) {
        List<StoreId> ids = new ArrayList<>();
        for (String store : stores) {
            ids.add(new StoreId(store));
        }
        return new Volume(
                new VolumeName(name), new Chunking.BySize(1 << 20), replicas, ids, writeQuorum, Mode.ROUNDS, false, 0);
    }

    /** Writes all segments of a file without any bytes; {@code change} changes each chunk. */
    public FileVersion written(FilePath file, long sizeBytes, UnaryOperator<Chunk> change) throws CloudMwException {
        VersionId id = VersionId.random();
        UploadPlan upload = coordinator.uploads().begin(file, OptionalLong.of(sizeBytes));
        ManifestPlan plan = upload.manifest().orElseThrow();
        ManifestDigest digest = new ManifestDigest();
        for (int segment = 0; segment < plan.segmentCount(); segment++) {
            List<Chunk> chunks = new ArrayList<>();
            var placed =
                    coordinator.uploads().place(file, id, plan.firstChunk(segment), plan.chunkCount(segment), Set.of());
            for (var chunk : placed.placements()) {
                chunks.add(change.apply(chunk(plan, chunk.chunk(), chunk.stores())));
            }
            coordinator.uploads().putSegment(id, segment, chunks);
            digest.add(ManifestDigest.ofSegment(new ManifestSegment(segment, chunks).encode()));
        }
        return new FileVersion(
                file,
                id,
                sizeBytes,
                plan.cutter().count(),
                plan.segmentCount(),
                plan.leafSizeBytes(),
                0,
                digest.finish());
    }

    public FileVersion written(FilePath file, long sizeBytes) throws CloudMwException {
        return written(file, sizeBytes, chunk -> chunk);
    }

    /** Writes and commits a file. */
    public FileVersion put(FilePath file, long sizeBytes) throws CloudMwException {
        Optional<VersionId> expected =
                coordinator.uploads().begin(file, OptionalLong.of(sizeBytes)).expected();
        return coordinator.uploads().commit(written(file, sizeBytes), expected, List.of());
    }

    /** Writes and commits small files whose bytes are in one pack; returns what was committed. */
    public BatchCommit packed(VolumeName volume, String... paths) throws CloudMwException {
        VersionId pack = VersionId.random();
        List<StoreId> stores = placed(FilePath.ofPack(volume, pack), pack, 0);
        BatchCommit batch = PackSamples.batch(catalog.volume(volume).orElseThrow(), pack, stores, paths);
        var whole = new SmallFileCommits.WrittenPack(batch.pack().orElseThrow().chunk(), List.of());
        assertThat(coordinator.smallFiles().commit(volume, Optional.of(whole), batch.files()))
                .allSatisfy(outcome -> assertThat(outcome).isInstanceOf(CommitOutcome.Committed.class));
        return batch;
    }

    /** Writes an edit of a file without any bytes; unchanged chunks are shared. Commits nothing. */
    public FileVersion edited(FilePath file, Edit edit) throws CloudMwException {
        EditPlan edits = coordinator.edits().begin(file, edit);
        return edited(file, edits, VersionId.random());
    }

    public FileVersion edited(FilePath file, EditPlan edits, VersionId id) throws CloudMwException {
        ManifestPlan plan = edits.manifest();
        return version(file, id, plan, segment -> {
            Map<Long, Chunk> before = new HashMap<>();
            if (edits.base().isPresent()
                    && edits.baseChunkSizeBytes() == plan.cutter().chunkSizeBytes()) {
                segment(edits.base().get().id(), segment).forEach(chunk -> before.put(chunk.index(), chunk));
            }
            return index -> Optional.ofNullable(before.get(index))
                    .filter(old -> old.range().equals(plan.cutter().range(index))
                            && (edits.written().end() <= old.range().offset()
                                    || edits.written().offset() >= old.range().end()));
        });
    }

    /** The chunks of other versions that a segment of a new version shares, by their indexes there. */
    @FunctionalInterface
    private interface Sharing {
        LongFunction<Optional<Chunk>> in(int segment) throws CloudMwException;
    }

    private FileVersion version(FilePath file, VersionId id, ManifestPlan plan, Sharing sharing)
            throws CloudMwException {
        ManifestDigest digest = new ManifestDigest();
        for (int segment = 0; segment < plan.segmentCount(); segment++) {
            LongFunction<Optional<Chunk>> shared = sharing.in(segment);
            List<Chunk> chunks = new ArrayList<>();
            long first = plan.firstChunk(segment);
            for (long index = first; index < first + plan.chunkCount(segment); index++) {
                Optional<Chunk> old = shared.apply(index);
                chunks.add(old.isPresent() ? old.get() : chunk(plan, new ChunkId(id, index), placed(file, id, index)));
            }
            coordinator.uploads().putSegment(id, segment, chunks);
            digest.add(ManifestDigest.ofSegment(new ManifestSegment(segment, chunks).encode()));
        }
        return new FileVersion(
                file,
                id,
                plan.cutter().fileSizeBytes(),
                plan.cutter().count(),
                plan.segmentCount(),
                plan.leafSizeBytes(),
                0,
                digest.finish(),
                plan.cutter().chunkSizeBytes());
    }

    /**
     * Writes a file continued with others, without any bytes; chunks that are whole chunks of it are shared. Commits
     * nothing.
     */
    public CommitRequest concatenated(FilePath file, List<FileVersion> others) throws CloudMwException {
        FileVersion base = catalog.current(file).orElseThrow();
        long end = base.sizeBytes();
        Map<FileVersion, Long> positions = new LinkedHashMap<>(Map.of(base, 0L));
        for (FileVersion other : others) {
            positions.put(other, end);
            end += other.sizeBytes();
        }
        ManifestPlan plan = coordinator
                .edits()
                .begin(file, Edit.write(base.sizeBytes(), end - base.sizeBytes()))
                .manifest();
        long chunkSize = plan.cutter().chunkSizeBytes();
        Map<Long, Chunk> shared = new HashMap<>();
        NamedChunks named = new NamedChunks();
        List<VersionPart> parts = new ArrayList<>();
        for (Map.Entry<FileVersion, Long> at : positions.entrySet()) {
            FileVersion from = at.getKey();
            boolean aligned = from.chunkSizeBytes() == chunkSize && at.getValue() % chunkSize == 0;
            for (int segment = 0; aligned && segment < from.segmentCount(); segment++) {
                for (Chunk chunk : segment(from.id(), segment)) {
                    long offset = at.getValue() + chunk.range().offset();
                    Chunk placed = chunk.placedAt(offset / chunkSize, offset);
                    if (plan.cutter().range(placed.index()).equals(placed.range()) && named.add(chunk.id())) {
                        shared.put(placed.index(), placed);
                    }
                }
            }
            if (aligned && !from.equals(base)) {
                parts.add(new VersionPart(from.file(), from.id(), at.getValue()));
            }
        }
        FileVersion version =
                version(file, VersionId.random(), plan, segment -> index -> Optional.ofNullable(shared.get(index)));
        return new CommitRequest(version, Optional.of(base.id()), List.of()).with(parts);
    }

    private List<StoreId> placed(FilePath file, VersionId id, long index) throws CloudMwException {
        return coordinator
                .uploads()
                .place(file, id, index, 1, Set.of())
                .placements()
                .get(0)
                .stores();
    }

    /** Returns the chunks of a segment; none where there is no such segment. */
    public List<Chunk> segment(VersionId version, int segment) throws CloudMwException {
        Optional<byte[]> bytes = catalog.segment(version, segment);
        return bytes.isEmpty()
                ? List.of()
                : ManifestSegment.decode(segment, bytes.get()).chunks();
    }

    /** Writes and commits an edit. */
    public FileVersion edit(FilePath file, Edit edit) throws CloudMwException {
        Optional<VersionId> expected = catalog.current(file).map(FileVersion::id);
        return coordinator.uploads().commit(edited(file, edit), expected, List.of());
    }

    static Chunk chunk(ManifestPlan plan, ChunkId id, List<StoreId> stores) {
        ByteRange range = plan.cutter().range(id.index());
        int leaves = Chunk.leafCount(range.length(), plan.leafSizeBytes());
        return new Chunk(
                id.index(),
                id,
                range,
                plan.leafSizeBytes(),
                new LeafDigests(new int[leaves], new byte[leaves * LeafDigests.SHA256_BYTES]),
                stores);
    }
}
