package io.cloudmw.client.write;

import io.cloudmw.client.context.ClientContext;
import io.cloudmw.client.context.ConfinedTransfer;
import io.cloudmw.client.context.Failures;
import io.cloudmw.client.manifest.BaseChunks;
import io.cloudmw.client.manifest.ManifestWriter;
import io.cloudmw.client.progress.PutDelay;
import io.cloudmw.client.progress.PutReceipt;
import io.cloudmw.client.progress.TransferCost;
import io.cloudmw.client.progress.TransferListener;
import io.cloudmw.client.progress.WriteShare;
import io.cloudmw.client.rpc.coordinator.PutParameters;
import io.cloudmw.core.chunk.ChunkCutter;
import io.cloudmw.core.cost.StoreUsage;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.manifest.ManifestDigest;
import io.cloudmw.core.manifest.ManifestPlan;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.chunk.ReplicaReport;
import io.cloudmw.core.model.chunk.ReplicaState;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.placement.PlacedChunk;
import io.cloudmw.core.placement.WritePlan;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.LongPredicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A put, from its beginning to its commit. The transfer asks how to cut, lets {@link ChunkUploads} store the chunks,
 * writes the manifest segment by segment, and commits by compare-and-set. A {@link PutJournal}, if requested, records
 * stored chunks, and the next put does not send them again. Its state is confined to its serial executor. Chunks of a
 * failed put are garbage, which the coordinator collects after a while.
 */
public final class PutTransfer extends ConfinedTransfer<PutReceipt>
        implements ChunkUploads.Outcome, ManifestWriter.Outcome {
    private static final Logger log = LoggerFactory.getLogger(PutTransfer.class);

    /** The smallest file for whose put a journal is kept. */
    public static final long WORTH_A_JOURNAL_BYTES = 1 << 20;

    private final PutRequest request;
    private final Executor source;
    private final List<ReplicaReport> owed = new ArrayList<>();
    private final Map<StoreId, Store> stores = new HashMap<>();
    private final Map<StoreId, StoreUsage> usage = new HashMap<>();
    private final Map<HelperId, WriteShare> helpers = new HashMap<>();

    private final ManifestDigest digest = new ManifestDigest();
    private volatile VersionId version;
    private volatile @Nullable PutJournal journal;
    private @Nullable StoredUpload earlier;
    private @Nullable ChunkUploads uploads;
    private @Nullable PutParameters begun;
    private @Nullable ManifestWriter manifest;
    /** Empty: not known yet. */
    private OptionalLong size = OptionalLong.empty();

    private volatile boolean askedToCommit;
    private long chunkCount;
    private long toSend;
    private long stored;
    private long resumed;
    private final PutProgress progress = new PutProgress();
    private final StoreObstacles obstacles;
    private final PutStallWatch stall;

    public PutTransfer(ClientContext context, PutRequest request) {
        super(context, request.file().toString());
        this.request = request;
        this.obstacles = new StoreObstacles(() -> context.coordinator().status(), serial(), context.ticker());
        this.stall =
                new PutStallWatch(context, serial(), this::reasons, delay -> tell(listener -> listener.waiting(delay)));
        this.version = request.version().orElseGet(VersionId::random);
        // Files are opened and freed in order, whenever the put is cancelled. A stream has nothing to free.
        source = request.source().isStream() ? context.threads().sources() : files();
    }

    // ---- the beginning

    @Override
    protected void begin() {
        stall.start();
        blocking(source, this::open, this::opened);
    }

    private List<PutDelay.Reason> reasons() {
        return uploads == null ? List.of() : uploads.reasons(obstacles);
    }

    private OptionalLong open() throws CloudMwException {
        OptionalLong bytes = request.source().open();
        if (request.journal().isPresent() && bytes.orElse(0) >= WORTH_A_JOURNAL_BYTES) {
            Optional<String> identity = request.source().identity();
            if (identity.isPresent()) {
                journal = PutJournal.open(
                                request.journal().get(),
                                identity.get(),
                                context().ticker())
                        .orElse(null);
            }
        }
        return bytes;
    }

    private void opened(OptionalLong bytes) {
        size = bytes;
        PutJournal kept = journal;
        earlier = kept == null ? null : kept.found().orElse(null);
        if (earlier != null) {
            version = earlier.version();
        } else if (kept != null && kept.isOfAnotherSource()) {
            startOver("the source has changed since it was interrupted");
        }
        ask();
    }

    private void ask() {
        stall.phase("the coordinator has not answered yet that the put may begin");
        if (request.edit().isPresent()) {
            begun(request.edit().get().begun().put());
            return;
        }
        then(context().coordinator().beginPut(request.file(), size, version, earlier != null), this::begun);
    }

    private void begun(PutParameters answer) {
        begun = answer;
        stall.advanced();
        stall.phase("the coordinator has not stored the whole manifest yet");
        if (earlier != null && !answer.open() && answer.expected().equals(Optional.of(version))) {
            then(current(), this::found);
            return;
        }
        if (request.terms().condition().isPresent()
                && !request.terms().condition().get().version().equals(answer.expected())) {
            fail(Failures.otherVersion(
                    request.file(), request.terms().condition().get().version(), answer.expected()));
            return;
        }
        if (size.isEmpty() && answer.chunkSizeBytes() == 0) {
            blocking(source, () -> request.source().measure(), bytes -> opened(OptionalLong.of(bytes)));
            return;
        }
        if (size.isPresent() && size.getAsLong() == 0) {
            checkAndCommit(0);
            return;
        }
        try {
            send(answer, plan(answer));
        } catch (IllegalArgumentException e) {
            fail(Failures.violation("begin put: " + e.getMessage()));
        }
    }

    private CompletableFuture<Optional<FileVersion>> current() {
        return context().coordinator().stat(request.file()).handle((status, failure) -> {
            if (failure == null) {
                return Optional.of(status.version());
            }
            CloudMwException cause = Failures.of(failure);
            if (cause.code() == ErrorCode.NOT_FOUND) {
                return Optional.empty();
            }
            throw new CompletionException(cause);
        });
    }

    /** The put was committed, but its client was interrupted before it learned so. */
    private void found(Optional<FileVersion> current) {
        if (current.isEmpty() || !current.get().id().equals(version)) {
            startOver("it was committed, and then removed or replaced");
            ask();
            return;
        }
        resumed = current.get().sizeBytes();
        tellResumed();
        committed(current.get());
    }

    private ManifestPlan plan(PutParameters answer) {
        return size.isPresent()
                ? new ManifestPlan(new ChunkCutter(size.getAsLong(), answer.chunkSizeBytes()), answer.leafSizeBytes())
                : ManifestPlan.longest(answer.chunkSizeBytes(), answer.leafSizeBytes());
    }

    private void send(PutParameters answer, ManifestPlan plan) {
        chunkCount = plan.cutter().count();
        StoredUpload stale = earlier;
        if (stale != null && !stale.canContinue(answer, plan)) {
            startOver(stale.bytes() > 0 ? "the upload was given up, or the volume was created again meanwhile" : "");
        }
        ChangedChunks changed = request.changed(chunkCount);
        toSend = changed.bytes(plan.cutter());
        BaseChunks base =
                request.edit().map(edit -> edit.base(context().coordinator())).orElse(BaseChunks.NONE);
        ManifestWriter writer =
                new ManifestWriter(context().coordinator(), version, plan, base, digest, serial(), this);
        manifest = writer;
        StoredUpload before = earlier;
        if (before == null) {
            journal(kept -> kept.begin(version, answer.volumeCreatedAtMillis(), plan));
        } else {
            resume(before, writer);
        }
        LongPredicate isStored = before == null ? index -> !changed.contains(index) : before::isStored;
        ChunkUploads started = new ChunkUploads(
                context(),
                serial(),
                request,
                answer,
                new ChunkUploads.Upload(version, plan, size.isEmpty(), isStored, Optional.empty()),
                this);
        uploads = started;
        started.start();
        writer.start();
    }

    /**
     * Begins anew: the chunks stored before belong to another version.
     *
     * @param why empty: nothing was stored before, and the listener is not called
     */
    private void startOver(String why) {
        earlier = null;
        version = VersionId.random();
        if (!why.isEmpty()) {
            tell(listener -> listener.begunAnew(why));
        }
    }

    private void resume(StoredUpload before, ManifestWriter writer) {
        owed.addAll(before.owed());
        stored = before.replicas();
        resumed = before.bytes();
        tellResumed();
        progress.resumed(resumed);
        tell(listener -> listener.reused(resumed));
        tellProgress();
        writer.resume(before.segments());
        before.chunks().values().forEach(writer::add);
    }

    private void tellResumed() {
        if (resumed > 0) {
            tell(listener -> listener.resumed(resumed));
        }
    }

    private void tellProgress() {
        stall.advanced();
        long total = request.edit().isPresent() ? toSend : size.orElse(-1);
        tell(listener -> listener.progressed(progress.storedBytes(), total));
    }

    /** Writes to the journal in order, if there is one. */
    private void journal(Consumer<PutJournal> what) {
        PutJournal kept = journal;
        if (kept != null) {
            files().execute(() -> what.accept(kept));
        }
    }

    private void tell(Consumer<TransferListener> what) {
        try {
            what.accept(request.listener());
        } catch (RuntimeException e) {
            log.warn("{} failed", TransferListener.class.getSimpleName(), e);
        }
    }

    // ---- the progress

    @Override
    public void sent(long chunk, long bytes) {
        if (progress.sent(chunk, bytes)) {
            stall.advanced();
            tell(listener -> listener.sent(progress.sentBytes()));
        }
    }

    @Override
    public void retrying(long chunk) {
        progress.again(chunk);
    }

    @Override
    public void ended(long sizeBytes) {
        PutParameters put = begun;
        ManifestWriter writer = manifest;
        if (put == null || writer == null) {
            throw new IllegalStateException("not begun");
        }
        size = OptionalLong.of(sizeBytes);
        if (sizeBytes == 0) {
            chunkCount = 0;
            checkAndCommit(0);
            return;
        }
        ManifestPlan known = plan(put);
        chunkCount = known.cutter().count();
        writer.shorten(known);
    }

    @Override
    public void placed(List<Store> named) {
        named.forEach(store -> stores.put(store.id(), store));
    }

    @Override
    public void stored(Chunk chunk, PlacedChunk placed, List<StoreId> durable) {
        if (isOver() || manifest == null) {
            return;
        }
        stored += durable.size();
        progress.stored(chunk.index(), chunk.range().length());
        tellProgress();
        share(placed.helper(), share -> share.stored(chunk.range().length()));
        for (StoreId asked : placed.writable()) {
            usage.merge(asked, StoreUsage.ofWrites(1, chunk.range().length()), StoreUsage::plus);
        }
        List<StoreId> late = placed.stores().stream()
                .filter(store -> !durable.contains(store))
                .toList();
        late.forEach(store -> owed.add(new ReplicaReport(chunk.id(), store, ReplicaState.OWED)));
        journal(kept -> kept.stored(chunk, late));
        try {
            WritePlan.checkOwed(request.file(), owed.size());
        } catch (CloudMwException e) {
            fail(e);
            return;
        }
        manifest.add(chunk);
    }

    @Override
    public void wasted(HelperId helper, long bytes) {
        share(helper, share -> share.failed(bytes));
    }

    private void share(HelperId helper, UnaryOperator<WriteShare> change) {
        helpers.put(helper, change.apply(helpers.getOrDefault(helper, WriteShare.NONE)));
    }

    @Override
    public void written(int segment, byte[] sha256) {
        stall.advanced();
        journal(kept -> kept.written(segment, sha256));
    }

    @Override
    public void written(int segments) {
        checkAndCommit(segments);
    }

    private void checkAndCommit(int segments) {
        if (isOver()) {
            return;
        }
        blocking(
                source,
                () -> {
                    request.source().checkUnchanged();
                    return segments;
                },
                this::commit);
    }

    private void commit(int segments) {
        PutParameters put = begun;
        if (put == null) {
            throw new IllegalStateException("not begun");
        }
        FileVersion committing = new FileVersion(
                request.file(),
                version,
                size.orElseThrow(),
                chunkCount,
                segments,
                put.leafSizeBytes(),
                0,
                digest.finish());
        askedToCommit = true;
        stall.advanced();
        stall.phase("the coordinator has not committed it yet");
        then(
                context()
                        .coordinator()
                        .commitPut(
                                committing.committed(0, put.chunkSizeBytes()),
                                put.expected(),
                                owed,
                                request.terms().claims(),
                                request.terms().attributes(),
                                request.edit().map(PreparedEdit::shared).orElse(List.of())),
                this::committed);
    }

    private void committed(FileVersion committed) {
        Duration took = elapsed();
        long writers =
                helpers.values().stream().filter(share -> share.chunks() > 0).count();
        long helperNanos = took.toNanos() * writers;
        TransferCost cost = new TransferCost(usage, context().pricing().bill(usage, stores.values(), helperNanos));
        journal(PutJournal::finish);
        succeed(new PutReceipt(committed, stored, owed.size(), resumed, helpers, took, cost));
    }

    @Override
    public void failed(CloudMwException cause) {
        fail(cause);
    }

    @Override
    protected void stop(ErrorCode why) {
        if (isRefusal(why)) {
            journal(PutJournal::finish);
        }
        stall.close();
        obstacles.close();
        if (uploads != null) {
            uploads.close();
        }
    }

    /**
     * Returns whether the coordinator would refuse the stored chunks again, so that resuming the put would always fail.
     */
    private boolean isRefusal(ErrorCode why) {
        return switch (why) {
            case VOLUME_NOT_FOUND, INVALID_ARGUMENT -> true;
            case QUORUM_NOT_MET -> askedToCommit;
            default -> false;
        };
    }

    /** Adds what a repeated put will find: a file that may exist, or chunks that are stored. */
    @Override
    public CloudMwException explained(CloudMwException cause) {
        if (askedToCommit && Failures.mayBeCommitted(cause.code())) {
            return Failures.uncertain(cause, version);
        }
        boolean canContinue = cause.code() == ErrorCode.CANCELLED && journal != null && progress.storedBytes() > 0;
        return canContinue ? Failures.explained(cause, "; the same put goes on where this one stopped") : cause;
    }

    @Override
    protected void free() {
        PutJournal kept = journal;
        if (kept != null) {
            kept.close();
        }
        request.source().close();
    }
}
