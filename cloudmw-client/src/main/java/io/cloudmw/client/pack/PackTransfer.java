package io.cloudmw.client.pack;

import io.cloudmw.client.context.ClientContext;
import io.cloudmw.client.context.ConfinedTransfer;
import io.cloudmw.client.context.PutTerms;
import io.cloudmw.client.progress.PutReceipt;
import io.cloudmw.client.progress.TransferCost;
import io.cloudmw.client.progress.TransferListener;
import io.cloudmw.client.progress.WriteShare;
import io.cloudmw.client.rpc.coordinator.PutParameters;
import io.cloudmw.client.rpc.coordinator.SmallFileCalls;
import io.cloudmw.client.write.ChunkUploads;
import io.cloudmw.client.write.PutRequest;
import io.cloudmw.client.write.PutSource;
import io.cloudmw.core.chunk.ChunkCutter;
import io.cloudmw.core.cost.StoreUsage;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.manifest.EncodedSegment;
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
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.stream.IntStream;

/**
 * The put of one batch of small files: the chunk with their bytes is stored like any other, and then the files are
 * committed in one call. Several files share the chunk, which is a pack. The only file that has bytes gets it as a chunk
 * of its own. The state is confined to the serial executor. The chunk of a failed put is garbage, which the coordinator
 * collects after a while.
 */
final class PackTransfer extends ConfinedTransfer<PackTransfer.Receipt> implements ChunkUploads.Outcome {
    /**
     * The results of a batch.
     *
     * @param outcomes one for each put, in their order
     */
    record Receipt(List<Outcome> outcomes) {
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

    /** The coordinator's answers to earlier calls. */
    record Prepared(KnownVolume volume, Optional<ReadyPlacement> ready) {}

    /** The largest file that is read into memory. A larger one is the only one of its batch, and read in pieces. */
    private static final long MAX_KEPT_BYTES = 1 << 20;

    /** The part of a call's time after which the coordinator may refuse it, before the client gives up. */
    private static final long LAST_TENTH = 10;

    private final KnownVolume known;
    private final Volume volume;
    private final List<SmallPut> puts;
    private final Duration callTime;
    private final PackLayout layout;
    private final PackSource source;
    /** The content of the only put, read in pieces; empty: {@link #source} reads whole files. */
    private final Optional<PutSource> pieces;
    /** The only file with bytes; empty: there are several, or none. */
    private final OptionalInt only;

    private final VersionId version;
    private final FilePath writtenAs;
    private final Optional<WritePlan> placed;
    private final Map<StoreId, Store> stores = new HashMap<>();
    private final Map<StoreId, StoreUsage> usage = new HashMap<>();
    private final Map<HelperId, WriteShare> helpers = new HashMap<>();
    private Optional<Chunk> chunk = Optional.empty();
    private final List<ReplicaReport> owed = new ArrayList<>();
    private int replicasStored;
    private Optional<ChunkUploads> uploads = Optional.empty();
    private volatile boolean askedToCommit;
    private volatile Optional<ReadyPlacement> next = Optional.empty();

    /**
     * @param puts whose sources are read once the batch has room on its way
     * @param prepared a placement in it must be usable
     * @param callTime after which a call of the coordinator is given up
     * @see #canUsePlacement
     */
    PackTransfer(ClientContext context, Prepared prepared, List<SmallPut> puts, Duration callTime) {
        super(context, puts.size() == 1 ? puts.get(0).path().toString() : puts.size() + " small files");
        this.known = prepared.volume();
        this.volume = known.volume();
        this.puts = puts;
        this.callTime = callTime;
        int leaf = volume.chunking().leafSizeBytes();
        layout = PackLayout.of(puts, leaf);
        source = new PackSource(puts, layout, leaf);
        pieces = puts.size() == 1 && puts.get(0).sizeBytes() > MAX_KEPT_BYTES
                ? Optional.of(puts.get(0).source().whole())
                : Optional.empty();
        only = only(puts);
        Optional<ReadyPlacement> ready = prepared.ready();
        VersionId unplaced = only.isPresent() ? puts.get(only.getAsInt()).version() : VersionId.random();
        version = ready.map(ReadyPlacement::version).orElse(unplaced);
        // A placement's token is for the path under which the coordinator was asked for it.
        writtenAs = only.isPresent() && ready.isEmpty()
                ? puts.get(only.getAsInt()).path()
                : FilePath.ofPack(volume.name(), version);
        placed = ready.map(ReadyPlacement::plan);
    }

    private static OptionalInt only(List<SmallPut> puts) {
        int[] filled = IntStream.range(0, puts.size())
                .filter(i -> puts.get(i).sizeBytes() > 0)
                .limit(2)
                .toArray();
        return filled.length == 1 ? OptionalInt.of(filled[0]) : OptionalInt.empty();
    }

    /** Returns whether a batch can be stored under the version of a placement: unless its only file has a version. */
    static boolean canUsePlacement(List<SmallPut> puts) {
        OptionalInt only = only(puts);
        return only.isEmpty() || puts.get(only.getAsInt()).isSingle();
    }

    VolumeName volume() {
        return volume.name();
    }

    List<SmallPut> puts() {
        return puts;
    }

    /** The id under which a file is committed. */
    VersionId version(SmallPut put) {
        return only.isPresent() && puts.get(only.getAsInt()) == put ? version : put.version();
    }

    /** Returns whether the commit was requested, so that a failure may be a refusal by the coordinator. */
    boolean isAskedToCommit() {
        return askedToCommit;
    }

    /** The placement for the next batch, which came with the commit's answer. */
    Optional<ReadyPlacement> next() {
        return next;
    }

    @Override
    protected void begin() {
        if (layout.bytes() == 0) {
            commit();
        } else if (pieces.isPresent()) {
            blocking(files(), () -> open(pieces.get()), this::upload);
        } else {
            upload(source);
        }
    }

    private PutSource open(PutSource content) throws CloudMwException {
        SmallPut put = puts.get(0);
        put.source().open(content, put.sizeBytes());
        return content;
    }

    private void upload(PutSource content) {
        long bytes = layout.bytes();
        ManifestPlan plan = new ManifestPlan(
                new ChunkCutter(bytes, bytes), volume.chunking().leafSizeBytes());
        ChunkUploads started = new ChunkUploads(
                context(),
                serial(),
                new PutRequest(writtenAs, content, TransferListener.NONE, PutTerms.NONE, Optional.empty()),
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
    public void wasted(HelperId helper, long bytes) {
        helpers.put(helper, helpers.getOrDefault(helper, WriteShare.NONE).failed(bytes));
    }

    @Override
    public void placed(List<Store> named) {
        named.forEach(store -> stores.put(store.id(), store));
    }

    @Override
    public void ended(long sizeBytes) {
        throw new IllegalStateException("the length of a batch is known");
    }

    @Override
    public void stored(Chunk stored, PlacedChunk where, List<StoreId> durable) {
        if (isOver()) {
            return;
        }
        chunk = Optional.of(stored);
        replicasStored = durable.size();
        long bytes = stored.range().length();
        helpers.put(
                where.helper(),
                helpers.getOrDefault(where.helper(), WriteShare.NONE).stored(bytes));
        for (StoreId asked : where.writable()) {
            usage.merge(asked, StoreUsage.ofWrites(1, bytes), StoreUsage::plus);
        }
        where.stores().stream()
                .filter(store -> !durable.contains(store))
                .forEach(store -> owed.add(new ReplicaReport(stored.id(), store, ReplicaState.OWED)));
        if (pieces.isPresent()) {
            blocking(files(), () -> unchanged(pieces.get()), unchanged -> commit());
        } else {
            commit();
        }
    }

    private static PutSource unchanged(PutSource content) throws CloudMwException {
        content.checkUnchanged();
        return content;
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
            committed(wanted, List.of());
            return;
        }
        Optional<SmallFileCalls.StoredPack> pack =
                only.isPresent() ? Optional.empty() : chunk.map(stored -> new SmallFileCalls.StoredPack(stored, owed));
        VersionId following = VersionId.random();
        askedToCommit = true;
        then(
                context()
                        .coordinator()
                        .smallFiles()
                        .commit(volume.name(), pack, files, wanted(following), untilMillis()),
                answer -> {
                    long now = context().ticker().nanos();
                    next = answer.next().map(placement -> ReadyPlacement.of(following, placement, now));
                    committed(wanted, answer.outcomes());
                });
    }

    /** The placement for the next batch, if this one needed one: files without bytes need none. */
    private Optional<SmallFileCalls.WantedPlacement> wanted(VersionId following) {
        return layout.bytes() > 0 && canUsePlacement(puts)
                ? Optional.of(new SmallFileCalls.WantedPlacement(following, layout.bytes()))
                : Optional.empty();
    }

    /** The coordinator's time shortly before this client gives the commit up. */
    private OptionalLong untilMillis() {
        OptionalLong now = known.coordinatorMillis(context().ticker().nanos());
        long patience = callTime.toMillis() - callTime.toMillis() / LAST_TENTH;
        return now.isEmpty() ? now : OptionalLong.of(now.getAsLong() + patience);
    }

    private SmallFileCalls.StoredFile file(int index) {
        SmallPut put = puts.get(index);
        boolean own = only.isPresent() && only.getAsInt() == index;
        long size = put.sizeBytes();
        int leaf = volume.chunking().leafSizeBytes();
        long chunkSize = volume.chunking().chunkSizeBytes(size);
        List<Chunk> chunks = size == 0 ? List.of() : List.of(own ? chunk.orElseThrow() : slice(index));
        String digest = chunks.isEmpty()
                ? new ManifestDigest().finish()
                : EncodedSegment.of(new ManifestSegment(0, chunks)).manifestSha256();
        FileVersion committing = new FileVersion(
                put.path(), version(put), size, chunks.size(), chunks.size(), leaf, 0, digest, chunkSize);
        return new SmallFileCalls.StoredFile(
                committing, chunks, own ? owed : List.of(), put.condition(), put.created(), put.set());
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

    private void committed(List<Integer> wanted, List<SmallFileCalls.Outcome> answers) {
        List<Outcome> outcomes = new ArrayList<>(puts.size());
        int at = 0;
        for (int i = 0; i < puts.size(); i++) {
            if (at < wanted.size() && wanted.get(at) == i) {
                outcomes.add(outcome(answers.get(at), at == 0));
                at++;
            } else {
                outcomes.add(new Outcome.Failed(
                        source.failure(i).orElseGet(() -> new CloudMwException(ErrorCode.CANCELLED, "put cancelled"))));
            }
        }
        if (puts.size() == 1 && outcomes.get(0) instanceof Outcome.Failed failed) {
            fail(failed.cause());
        } else {
            succeed(new Receipt(outcomes));
        }
    }

    /** @param paying whether the receipt has the requests of the batch, which are counted once */
    private Outcome outcome(SmallFileCalls.Outcome answer, boolean paying) {
        if (answer instanceof SmallFileCalls.Outcome.Refused refused) {
            return new Outcome.Failed(refused.reason());
        }
        FileVersion committed = ((SmallFileCalls.Outcome.Committed) answer).version();
        Map<StoreId, StoreUsage> paid = paying ? usage : Map.of();
        Duration took = elapsed();
        long helperNanos = paying && chunk.isPresent() ? took.toNanos() : 0;
        TransferCost cost = new TransferCost(paid, context().pricing().bill(paid, stores.values(), helperNanos));
        return new Outcome.Stored(new PutReceipt(
                committed, replicasStored, owed.size(), 0, paying ? Map.copyOf(helpers) : Map.of(), took, cost));
    }

    @Override
    protected void stop(ErrorCode why) {
        uploads.ifPresent(ChunkUploads::close);
    }

    @Override
    protected void free() {
        source.close();
        pieces.ifPresent(PutSource::close);
    }
}
