package io.cloudmw.client.pack;

import io.cloudmw.client.context.ClientContext;
import io.cloudmw.client.context.ConfinedTransfer;
import io.cloudmw.client.context.PutTerms;
import io.cloudmw.client.file.FilePut;
import io.cloudmw.client.progress.PutReceipt;
import io.cloudmw.client.progress.TransferCost;
import io.cloudmw.client.progress.TransferListener;
import io.cloudmw.client.progress.WriteShare;
import io.cloudmw.client.rpc.coordinator.PutParameters;
import io.cloudmw.client.rpc.coordinator.SmallFileCalls;
import io.cloudmw.client.write.ChunkUploads;
import io.cloudmw.client.write.PutRequest;
import io.cloudmw.core.chunk.ChunkCutter;
import io.cloudmw.core.cost.StoreUsage;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.manifest.ManifestDigest;
import io.cloudmw.core.manifest.ManifestPlan;
import io.cloudmw.core.manifest.ManifestSegment;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.chunk.ReplicaReport;
import io.cloudmw.core.model.chunk.ReplicaState;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.model.volume.Volume;
import io.cloudmw.core.placement.PlacedChunk;
import io.cloudmw.core.placement.WritePlan;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The put of one pack: its chunk is stored like any other, and then its files are committed in one call. Its state is
 * confined to its serial executor. The chunk of a failed put is garbage, which the coordinator collects after a while.
 */
final class PackTransfer extends ConfinedTransfer<PackTransfer.Receipt> implements ChunkUploads.Outcome {
    /**
     * The results of a pack.
     *
     * @param outcomes one for each put, in their order
     * @param next the placement for the next pack; empty: there is none
     */
    record Receipt(List<Outcome> outcomes, Optional<ReadyPlacement> next) {
        /** The bytes of the files that were committed. */
        long bytes() {
            return outcomes.stream()
                    .mapToLong(outcome -> outcome instanceof Outcome.Stored stored
                            ? stored.receipt().version().sizeBytes()
                            : 0)
                    .sum();
        }
    }

    /** The result of one put. */
    sealed interface Outcome {
        record Stored(PutReceipt receipt) implements Outcome {}

        record Failed(CloudMwException cause) implements Outcome {}
    }

    /** A placement for a pack that has not begun, under this version. */
    record ReadyPlacement(VersionId version, WritePlan plan, long atNanos) {}

    private final Volume volume;
    private final List<SmallPut> puts;
    private final PackLayout layout;
    private final PackSource source;
    private final VersionId version;
    private final Optional<WritePlan> placed;
    private final Map<StoreId, Store> stores = new HashMap<>();
    private final Map<StoreId, StoreUsage> usage = new HashMap<>();
    private Map<HelperId, WriteShare> helpers = Map.of();
    private Optional<Chunk> chunk = Optional.empty();
    private final List<ReplicaReport> owed = new ArrayList<>();
    private int replicasStored;
    private Optional<ChunkUploads> uploads = Optional.empty();

    /**
     * @param puts whose sources are read once the pack has room on its way
     * @param ready a placement to use; empty: the coordinator is asked for one
     */
    PackTransfer(ClientContext context, Volume volume, List<SmallPut> puts, Optional<ReadyPlacement> ready) {
        super(context, volume.name() + ": " + puts.size() + " small files");
        this.volume = volume;
        this.puts = puts;
        int leaf = volume.chunking().leafSizeBytes();
        layout = PackLayout.of(puts, leaf);
        source = new PackSource(puts, layout, leaf);
        version = ready.map(ReadyPlacement::version).orElseGet(VersionId::random);
        placed = ready.map(ReadyPlacement::plan);
    }

    VolumeName volume() {
        return volume.name();
    }

    List<SmallPut> puts() {
        return puts;
    }

    @Override
    protected void begin() {
        long bytes = layout.bytes();
        if (bytes == 0) {
            commit();
            return;
        }
        ManifestPlan plan = new ManifestPlan(
                new ChunkCutter(bytes, bytes), volume.chunking().leafSizeBytes());
        FilePath path = FilePath.ofPack(volume.name(), version);
        ChunkUploads started = new ChunkUploads(
                context(),
                serial(),
                new PutRequest(path, source, TransferListener.NONE, PutTerms.NONE, Optional.empty()),
                new PutParameters(
                        bytes, volume.chunking().leafSizeBytes(), Optional.empty(), volume.writeQuorum(), true, 0),
                new ChunkUploads.Upload(version, plan, false, index -> false, placed),
                this);
        uploads = Optional.of(started);
        started.start();
    }

    @Override
    public void sent(long index, long bytes) {}

    @Override
    public void retrying(long index) {}

    @Override
    public void wasted(HelperId helper, long bytes) {}

    @Override
    public void placed(List<Store> named) {
        named.forEach(store -> stores.put(store.id(), store));
    }

    @Override
    public void ended(long sizeBytes) {
        throw new IllegalStateException("the length of a pack is known");
    }

    @Override
    public void stored(Chunk stored, PlacedChunk where, List<StoreId> durable) {
        if (isOver()) {
            return;
        }
        chunk = Optional.of(stored);
        replicasStored = durable.size();
        helpers = Map.of(where.helper(), WriteShare.NONE.stored(stored.range().length()));
        for (StoreId asked : where.writable()) {
            usage.merge(asked, StoreUsage.ofWrites(1, stored.range().length()), StoreUsage::plus);
        }
        where.stores().stream()
                .filter(store -> !durable.contains(store))
                .forEach(store -> owed.add(new ReplicaReport(stored.id(), store, ReplicaState.OWED)));
        commit();
    }

    @Override
    public void failed(CloudMwException cause) {
        fail(cause);
    }

    // ---- the commit

    /** Commits the files that were read and are still wanted. */
    private void commit() {
        List<Integer> wanted = new ArrayList<>();
        List<SmallFileCalls.StoredFile> files = new ArrayList<>();
        for (int i = 0; i < puts.size(); i++) {
            if (source.failure(i).isEmpty() && !puts.get(i).call().isDone()) {
                wanted.add(i);
                files.add(file(i));
            }
        }
        if (files.isEmpty()) {
            succeed(receipt(wanted, new SmallFileCalls.Committed(List.of(), Optional.empty()), version));
            return;
        }
        VersionId next = VersionId.random();
        long wantedBytes = Math.max(1, layout.bytes());
        then(
                context()
                        .coordinator()
                        .smallFiles()
                        .commit(
                                volume.name(),
                                chunk.map(stored -> new SmallFileCalls.StoredPack(stored, owed)),
                                files,
                                new SmallFileCalls.WantedPlacement(next, wantedBytes)),
                answer -> succeed(receipt(wanted, answer, next)));
    }

    private SmallFileCalls.StoredFile file(int index) {
        FilePut put = puts.get(index).file();
        long size = puts.get(index).sizeBytes();
        int leaf = volume.chunking().leafSizeBytes();
        long chunkSize = volume.chunking().chunkSizeBytes(size);
        List<Chunk> chunks = size == 0 ? List.of() : List.of(slice(index));
        ManifestDigest digest = new ManifestDigest();
        if (!chunks.isEmpty()) {
            digest.add(ManifestDigest.ofSegment(new ManifestSegment(0, chunks).encode()));
        }
        FileVersion committing = new FileVersion(
                put.target(), put.version(), size, chunks.size(), chunks.size(), leaf, 0, digest.finish(), chunkSize);
        return new SmallFileCalls.StoredFile(committing, chunks, List.of(), put.condition(), put.created(), put.set());
    }

    /** The only chunk of a file: a slice of the pack's. */
    private Chunk slice(int index) {
        Chunk whole = chunk.orElseThrow();
        ByteRange place = layout.range(index);
        return new Chunk(
                0,
                whole.id().slice(place),
                new ByteRange(0, place.length()),
                whole.leafSizeBytes(),
                source.digests(index).orElseThrow(),
                whole.replicas());
    }

    private Receipt receipt(List<Integer> wanted, SmallFileCalls.Committed answer, VersionId next) {
        List<Outcome> outcomes = new ArrayList<>(puts.size());
        int at = 0;
        for (int i = 0; i < puts.size(); i++) {
            if (at < wanted.size() && wanted.get(at) == i) {
                outcomes.add(outcome(answer.outcomes().get(at), at == 0));
                at++;
            } else {
                outcomes.add(new Outcome.Failed(
                        source.failure(i).orElseGet(() -> new CloudMwException(ErrorCode.CANCELLED, "put cancelled"))));
            }
        }
        return new Receipt(
                outcomes,
                answer.placed()
                        .map(plan -> new ReadyPlacement(
                                next, plan, context().ticker().nanos())));
    }

    /** @param paying whether the receipt has the requests of the pack, which are counted once */
    private Outcome outcome(SmallFileCalls.Outcome answer, boolean paying) {
        if (answer instanceof SmallFileCalls.Outcome.Refused refused) {
            return new Outcome.Failed(refused.reason());
        }
        FileVersion committed = ((SmallFileCalls.Outcome.Committed) answer).version();
        Map<StoreId, StoreUsage> paid = paying ? usage : Map.of();
        TransferCost cost = new TransferCost(paid, context().pricing().bill(paid, stores.values(), 0));
        return new Outcome.Stored(new PutReceipt(
                committed, replicasStored, owed.size(), 0, paying ? helpers : Map.of(), elapsed(), cost));
    }

    @Override
    protected void stop(ErrorCode why) {
        uploads.ifPresent(ChunkUploads::close);
    }

    @Override
    protected void free() {
        source.close();
    }
}
