package io.cloudmw.client.write;

import io.cloudmw.client.context.ClientContext;
import io.cloudmw.client.context.ClientThreads;
import io.cloudmw.client.context.CreditPool;
import io.cloudmw.client.context.Failures;
import io.cloudmw.client.context.RetryLimits;
import io.cloudmw.client.progress.PutDelay;
import io.cloudmw.client.rpc.coordinator.PutParameters;
import io.cloudmw.core.chunk.ChunkCutter;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.RetryVerdict;
import io.cloudmw.core.manifest.ManifestPlan;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.Chunk;
import io.cloudmw.core.model.HelperAddress;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.Store;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.placement.PlacedChunk;
import io.cloudmw.core.placement.StoreStatus;
import io.cloudmw.core.placement.WritePlan;
import io.cloudmw.core.security.TransferToken;
import io.cloudmw.core.thread.SerialExecutor;
import io.cloudmw.core.thread.Threads;
import io.cloudmw.core.wire.BulkRequest;
import io.cloudmw.core.wire.WriteTargets;
import io.cloudmw.core.wire.WriteTrouble;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/**
 * The uploads of one put's chunks: it asks in batches for placements, and keeps a few chunks in flight.
 *
 * <p>A chunk whose helper failed is placed again without that helper, a bounded number of times. A chunk whose
 * helper had no room, or could not reach its disks, is placed again more often, with growing pauses, and the helper
 * is not avoided. A store that refuses a chunk for good gets nothing more of this put, and the chunk is placed again
 * at once while other stores can take it. Placements made before a failure are renewed before their chunks are sent.
 * Confined to the transfer.
 */
final class ChunkUploads {
    /**
     * What is to be stored.
     *
     * @param openEnded whether the source may end before the plan does
     * @param isStored chunks that an earlier put stored already, by index
     */
    record Upload(VersionId version, ManifestPlan plan, boolean openEnded, LongPredicate isStored) {}

    /** Told on the transfer's executor. */
    interface Outcome {
        /** So many bytes more of a chunk were sent. */
        void sent(long chunk, long bytes);

        /** A chunk is to be sent again. */
        void again(long chunk);

        /** An upload to this helper failed, after so many bytes were sent. */
        void wasted(HelperId helper, long bytes);

        /** Stores that chunks are placed in from now on. */
        void placed(List<Store> stores);

        /** A source of unknown length turned out to have so many bytes; told once. */
        void ended(long sizeBytes);

        /** A chunk is stored: it is durable in these of the stores it was placed in, and owed to the others. */
        void stored(Chunk chunk, PlacedChunk placed, List<StoreId> durable);

        void failed(CloudMwException cause);
    }

    private static final int CHUNKS_IN_FLIGHT = 3;
    private static final int BATCH = 64;
    private static final int MAX_TRIES = 6;
    private static final int MAX_REFUSING = 1000;
    private static final long WINDOW_BYTES = 1 << 20;

    /** One chunk being stored. */
    private static final class Job {
        final ByteRange range;
        final PutSource.Part part;
        final long index;
        ChunkUpload.Read read;

        @Nullable
        ChunkUpload upload;

        @Nullable
        CompletableFuture<Void> admission;

        @Nullable
        Future<?> pause;

        /** Times that it could not be taken for now. */
        int refusals;

        /** Times that it failed otherwise. */
        int failures;

        /** Stores that refused this chunk for good. */
        final Set<StoreId> refusing = new HashSet<>();

        /** Why they did, the last time. */
        Optional<CloudMwException> refusal = Optional.empty();

        /** Why it was not stored the last time; empty: it was not tried yet. */
        Optional<CloudMwException> setback = Optional.empty();

        /** Where it is on its way to, if it is. */
        @Nullable
        PlacedChunk placed;

        @Nullable
        HelperAddress helper;

        @Nullable
        TransferToken token;

        @Nullable
        CompletableFuture<?> question;

        /** Obstacles that its helper has named, to the chunk that was sent. */
        List<WriteTrouble> troubles = List.of();

        /** Bytes sent in this try. */
        long sent;

        Job(long index, ByteRange range, PutSource.Part part, int leaves) {
            this.index = index;
            this.range = range;
            this.part = part;
            read = ChunkUpload.Read.nothing(leaves);
        }
    }

    /**
     * Where a chunk goes, with what its helper must know.
     *
     * @param setbacks those there had been when it was asked for
     */
    private record Placed(PlacedChunk chunk, WritePlan plan, int setbacks) {}

    private final ClientContext context;
    private final SerialExecutor serial;
    private final PutRequest request;
    private final VersionId version;
    private final PutParameters begun;
    private final LongPredicate isStored;
    private final Outcome outcome;
    private final SerialExecutor sourceLane;
    private final Queue<Placed> placements = new ArrayDeque<>();
    private final Set<Job> jobs = new HashSet<>();
    private final Set<HelperId> avoid = new HashSet<>();

    /** Stores that refused a chunk of this put for good. */
    private final Set<StoreId> refusing = new HashSet<>();

    private @Nullable CompletableFuture<WritePlan> asked;
    /** Of a source of unknown length the longest there may be, until it ends. */
    private ManifestPlan plan;

    private boolean openEnded;
    private long nextToPlace;
    private int taking;
    /** Chunks that could not be stored where they were placed: the coordinator may know by now where they can. */
    private int setbacks;

    /** The coordinator has placed some. */
    private boolean underWay;

    /** Times that it could not place those that come next; since it last could. */
    private int refusals;

    /** Until it is asked again. */
    private @Nullable Future<?> pause;

    /** Why those that come next could not be placed, as long as they are not. */
    private Optional<CloudMwException> setback = Optional.empty();

    private boolean closed;

    ChunkUploads(
            ClientContext context,
            SerialExecutor serial,
            PutRequest request,
            PutParameters begun,
            Upload upload,
            Outcome outcome) {
        this.context = context;
        this.serial = serial;
        this.request = request;
        this.version = upload.version();
        this.plan = upload.plan();
        this.openEnded = upload.openEnded();
        this.isStored = upload.isStored();
        this.begun = begun;
        this.outcome = outcome;
        ClientThreads threads = context.threads();
        sourceLane = new SerialExecutor(
                request.source().isStream() ? threads.sources() : threads.files(),
                defect -> serial.execute(() -> outcome.failed(Failures.of(defect))));
    }

    void start() {
        fill();
    }

    private void fill() {
        while (!closed && jobs.size() + taking < CHUNKS_IN_FLIGHT && !placements.isEmpty()) {
            take(placements.remove());
        }
        while (nextToPlace < count() && isStored.test(nextToPlace)) {
            nextToPlace++;
        }
        long first = nextToPlace;
        if (!closed && placements.isEmpty() && asked == null && pause == null && first < count()) {
            int batch = (int) Math.min(BATCH, count() - first);
            CompletableFuture<WritePlan> call = context.coordinator()
                    .placeChunks(
                            request.file(),
                            version,
                            first,
                            batch,
                            avoid,
                            refusing,
                            openEnded ? Optional.empty() : Optional.of(plan.cutter()));
            int before = setbacks;
            asked = call;
            nextToPlace += batch;
            var unused = call.whenComplete((answer, failure) -> serial.execute(() -> {
                asked = null;
                if (closed || first >= count()) {
                    return; // it is over, or the source ended before these
                }
                if (answer == null) {
                    notPlaced(first, Failures.of(failure == null ? new IllegalStateException("no plan") : failure));
                    return;
                }
                underWay = true;
                refusals = 0;
                setback = Optional.empty();
                outcome.placed(answer.stores().stream().map(StoreStatus::store).toList());
                answer.placements().forEach(chunk -> placements.add(new Placed(chunk, answer, before)));
                fill();
            }));
        }
    }

    /** As with a chunk that is placed anew; but a put that begins is refused at once. */
    private void notPlaced(long first, CloudMwException cause) {
        if (!underWay || !mayBeEnoughLater(cause, ++refusals)) {
            outcome.failed(cause);
            return;
        }
        setback = Optional.of(cause);
        nextToPlace = first;
        Runnable again = () -> serial.execute(() -> {
            pause = null;
            fill();
        });
        pause = later(refusals, cause, again);
    }

    /** Too few stores now may be enough in a moment: a helper that was started again brings its disks back. */
    private static boolean mayBeEnoughLater(CloudMwException cause, int times) {
        return cause.code() == ErrorCode.QUORUM_NOT_MET && times < RetryLimits.MAX_REFUSALS;
    }

    /**
     * The reasons of a wait: of each chunk under way, or of those that come next.
     *
     * @param obstacles is asked where stores are waited for
     */
    List<PutDelay.Reason> reasons(StoreObstacles obstacles) {
        List<PutDelay.Reason> reasons = new ArrayList<>();
        setback.ifPresent(cause -> reasons.add(failed(cause)));
        jobs.stream()
                .sorted(Comparator.comparingLong(job -> job.index))
                .map(job -> reason(job, obstacles))
                .forEach(reasons::add);
        if (reasons.isEmpty() && asked != null) {
            reasons.add(
                    PutDelay.Reason.of(PutDelay.Kind.COORDINATOR, "the coordinator has not said yet where chunks go"));
        }
        if (reasons.isEmpty() && taking > 0) {
            reasons.add(PutDelay.Reason.of(PutDelay.Kind.SOURCE, "the source has not given more bytes yet"));
        }
        return reasons;
    }

    private PutDelay.Reason reason(Job job, StoreObstacles obstacles) {
        PlacedChunk placed = job.placed;
        if (placed == null) {
            return job.setback
                    .map(ChunkUploads::failed)
                    .orElseGet(() -> PutDelay.Reason.of(
                            PutDelay.Kind.MEMORY, "other puts of this client have the memory for bytes on their way"));
        }
        boolean allSent = job.sent == job.range.length();
        obstacles.ask();
        if (allSent) {
            askHelper(job, placed);
        }
        String text = allSent
                ? "helper " + placed.helper() + " has not stored what it was sent yet, in "
                        + obstacles.text(placed.writable(), job.troubles)
                : "helper " + placed.helper() + (job.sent == 0 ? " takes nothing yet" : " takes no more for now");
        return new PutDelay.Reason(
                allSent ? PutDelay.Kind.STORES : PutDelay.Kind.HELPER,
                job.troubles.stream()
                        .map(WriteTrouble::code)
                        .findFirst()
                        .or(() -> job.setback.map(CloudMwException::code)),
                Optional.of(placed.helper()),
                placed.writable(),
                text
                        + job.setback
                                .map(cause -> " (before: " + cause.getMessage() + ")")
                                .orElse(""));
    }

    /** Asks what is in the way of a chunk that was sent, once at a time; an older helper does not know. */
    private void askHelper(Job job, PlacedChunk placed) {
        HelperAddress helper = job.helper;
        TransferToken token = job.token;
        if (helper == null || token == null || (job.question != null && !job.question.isDone())) {
            return;
        }
        CompletableFuture<List<WriteTrouble>> question = context.links().get().troubles(helper, placed.chunk(), token);
        job.question = question;
        var unused = question.whenComplete((answer, failure) -> serial.execute(() -> {
            if (answer != null && placed.equals(job.placed)) {
                job.troubles = answer;
            }
        }));
    }

    private static PutDelay.Reason failed(CloudMwException cause) {
        return new PutDelay.Reason(
                PutDelay.Kind.RETRY,
                Optional.of(cause.code()),
                Optional.empty(),
                List.of(),
                String.valueOf(cause.getMessage()));
    }

    private @Nullable Future<?> later(int times, CloudMwException cause, Runnable step) {
        Future<?> due = Threads.later(
                        context.threads().timer(), RetryLimits.pauseNanos(times, cause, Long.MAX_VALUE), step)
                .orElse(null);
        if (due == null) {
            outcome.failed(Failures.clientClosed());
        }
        return due;
    }

    private long count() {
        return plan.cutter().count();
    }

    /** Gets hold of the chunk's bytes, which may block, and sends it. */
    private void take(Placed placed) {
        long index = placed.chunk().chunk().index();
        if (index >= count() || isStored.test(index)) {
            return; // the source ended before it, or it is there
        }
        taking++;
        ByteRange range = plan.cutter().range(index);
        sourceLane.execute(() -> {
            try {
                PutSource.Part part = request.source().part(range);
                serial.execute(() -> taken(placed, index, range, part));
            } catch (CloudMwException e) {
                serial.execute(() -> outcome.failed(e));
            }
        });
    }

    private void taken(Placed placed, long index, ByteRange range, PutSource.Part part) {
        taking--;
        if (closed) {
            part.close();
            return;
        }
        ByteRange found = new ByteRange(range.offset(), part.length());
        if (!found.isEmpty()) {
            Job job = new Job(index, found, part, Chunk.leafCount(found.length(), begun.leafSizeBytes()));
            jobs.add(job);
            if (placed.setbacks() == setbacks) {
                send(job, placed);
            } else {
                placeAnew(job);
            }
        } else {
            part.close();
        }
        if (openEnded && (found.length() < range.length() || index == count() - 1)) {
            end(found.end());
        }
    }

    /** Whether there is more where the longest file there may be ends, the source's last check finds out. */
    private void end(long sizeBytes) {
        openEnded = false;
        plan = new ManifestPlan(new ChunkCutter(sizeBytes, plan.cutter().chunkSizeBytes()), plan.leafSizeBytes());
        outcome.ended(sizeBytes);
    }

    /** Waits for its share of memory, then sends. */
    private void send(Job job, Placed placed) {
        BulkRequest.Write write;
        HelperAddress helper;
        try {
            helper = helper(placed);
            write = write(job, placed);
        } catch (IllegalArgumentException e) {
            outcome.failed(Failures.violation("placement of chunk " + job.index + ": " + e.getMessage()));
            return;
        }
        CreditPool memory = context.writeCredit();
        long window = Math.min(
                memory.capacity(), Math.max(begun.leafSizeBytes(), Math.min(job.range.length(), WINDOW_BYTES)));
        CompletableFuture<Void> admission = memory.reserve(window);
        job.admission = admission;
        var unused = admission.thenRun(() -> serial.execute(() -> {
            job.admission = null;
            if (closed) {
                memory.giveBack(window);
                finish(job);
            } else {
                upload(job, placed.chunk(), helper, write, window);
            }
        }));
    }

    private BulkRequest.Write write(Job job, Placed placed) {
        return new BulkRequest.Write(
                placed.plan().token(),
                placed.chunk().chunk(),
                job.range.length(),
                begun.leafSizeBytes(),
                new WriteTargets(
                        stores(placed), placed.plan().helpers(), placed.chunk().carriers()),
                begun.writeQuorum(),
                request.file(),
                version);
    }

    /** Its window goes back when it has ended, or at once when it cannot even begin. */
    private void upload(Job job, PlacedChunk placed, HelperAddress helper, BulkRequest.Write write, long window) {
        ChunkUpload upload;
        boolean begun = false;
        try {
            upload = new ChunkUpload(
                    write,
                    job.part,
                    job.read,
                    context.links().get().allocator(),
                    context.threads().files(),
                    window,
                    bytes -> serial.execute(() -> sent(job, bytes)));
            begun = true;
        } finally {
            if (!begun) {
                context.writeCredit().giveBack(window);
            }
        }
        job.upload = upload;
        job.placed = placed;
        job.helper = helper;
        job.token = write.token();
        var unusedResult = upload.result()
                .whenComplete((stored, failure) -> serial.execute(() -> {
                    context.writeCredit().giveBack(window);
                    job.upload = null;
                    if (stored != null) {
                        stored(job, placed, stored);
                    } else if (failure != null) {
                        retry(job, helper.id(), upload, Failures.of(failure));
                    }
                }));
        var unusedLease = context.links().get().lease(helper).whenComplete((lease, failure) -> {
            if (lease != null) {
                upload.start(lease);
            } else if (failure != null) {
                upload.result().completeExceptionally(failure);
            }
        });
    }

    private void sent(Job job, int bytes) {
        job.sent += bytes;
        outcome.sent(job.index, bytes);
    }

    private static HelperAddress helper(Placed placed) {
        return placed.plan().helpers().stream()
                .filter(helper -> helper.id().equals(placed.chunk().helper()))
                .findFirst()
                .orElseThrow(() ->
                        new IllegalArgumentException("helper " + placed.chunk().helper() + " has no address"));
    }

    /** Those that can take the chunk now. */
    private static List<Store> stores(Placed placed) {
        return placed.chunk().writable().stream()
                .map(id -> placed.plan().stores().stream()
                        .map(StoreStatus::store)
                        .filter(store -> store.id().equals(id))
                        .findFirst()
                        .orElseThrow(() -> new IllegalArgumentException("store " + id + " is not described")))
                .toList();
    }

    private void stored(Job job, PlacedChunk placed, ChunkUpload.Stored stored) {
        finish(job);
        if (closed) {
            return;
        }
        Chunk chunk = new Chunk(
                job.index, placed.chunk(), job.range, begun.leafSizeBytes(), stored.leaves(), placed.stores());
        outcome.stored(chunk, placed, stored.result().stored());
        fill();
    }

    private void retry(Job job, HelperId helper, ChunkUpload upload, CloudMwException cause) {
        if (closed) {
            finish(job);
            return;
        }
        outcome.again(job.index);
        job.placed = null;
        job.troubles = List.of();
        job.sent = 0;
        job.setback = Optional.of(cause);
        outcome.wasted(helper, upload.sent());
        if (refusedAnew(job, cause)) {
            job.read = upload.read();
            setbacks++;
            placeAnew(job);
            return;
        }
        boolean noRoom = cause.code() == ErrorCode.OVERLOADED;
        boolean refused = noRoom || cause.retryAfter().isPresent();
        int times = refused ? ++job.refusals : ++job.failures;
        boolean hopeless = cause.isForGood()
                || switch (cause.code()) {
                    case LOCAL_IO, INVALID_ARGUMENT, VERSION_UNSUPPORTED, CANCELLED -> true;
                    default -> times >= (refused ? RetryLimits.MAX_REFUSALS : MAX_TRIES);
                };
        if (hopeless) {
            finish(job);
            outcome.failed(cause.code() == ErrorCode.LOCAL_IO ? cause : gaveUp(job, helper, cause));
            return;
        }
        job.read = upload.read();
        if (!refused) {
            avoid.add(helper);
        }
        if (!noRoom) {
            setbacks++;
        }
        placeLater(job, times, cause);
    }

    /** Returns whether a store refused this chunk for good that had not before: a placement without it helps. */
    private boolean refusedAnew(Job job, CloudMwException cause) {
        List<StoreId> stores = cause.refusing().stream().map(StoreId::new).toList();
        if (stores.isEmpty() || job.refusing.size() >= MAX_REFUSING) {
            return false;
        }
        refusing.addAll(stores);
        job.refusal = Optional.of(cause);
        return job.refusing.addAll(stores);
    }

    private void placeLater(Job job, int times, CloudMwException cause) {
        job.pause = later(times, cause, () -> serial.execute(() -> placeAnew(job)));
    }

    private CloudMwException noOtherStore(Job job, CloudMwException refusal, CloudMwException cause) {
        return new CloudMwException(
                refusal.code(),
                RetryVerdict.NEVER,
                request.file() + ": chunk " + job.index + " could not be stored: " + refusal.getMessage()
                        + "; no other stores can take it: " + cause.getMessage(),
                cause);
    }

    private CloudMwException gaveUp(Job job, HelperId helper, CloudMwException cause) {
        int tries = job.refusals + job.failures;
        String often = tries == 1 ? " through helper " : " in " + tries + " tries; the last, through helper ";
        return new CloudMwException(
                cause.code(),
                cause.verdict(),
                request.file() + ": chunk " + job.index + " could not be stored" + often + helper + ": "
                        + cause.getMessage(),
                cause);
    }

    private void placeAnew(Job job) {
        if (closed) {
            return;
        }
        var unused = context.coordinator()
                .placeChunks(request.file(), version, job.index, 1, avoid, refusing, Optional.of(cutterOf(job)))
                .whenComplete((answer, failure) -> serial.execute(() -> {
                    if (closed) {
                        return;
                    }
                    if (answer == null) {
                        notPlaced(job, Failures.of(failure == null ? new IllegalStateException("no plan") : failure));
                    } else if (answer.placements().isEmpty()) {
                        outcome.failed(Failures.violation("no placement for chunk " + job.index));
                    } else {
                        send(job, new Placed(answer.placements().get(0), answer, setbacks));
                    }
                }));
    }

    /** Cuts as this chunk is cut: of a stream that has not ended, as if it were the last one. */
    private ChunkCutter cutterOf(Job job) {
        return openEnded ? new ChunkCutter(job.range.end(), plan.cutter().chunkSizeBytes()) : plan.cutter();
    }

    private void notPlaced(Job job, CloudMwException cause) {
        if (mayBeEnoughLater(cause, ++job.refusals)) {
            job.setback = Optional.of(cause);
            placeLater(job, job.refusals, cause);
            return;
        }
        Optional<CloudMwException> refusal = job.refusal;
        outcome.failed(
                refusal.isPresent() && cause.verdict() == RetryVerdict.NEVER
                        ? noOtherStore(job, refusal.get(), cause)
                        : cause);
    }

    private void finish(Job job) {
        if (jobs.remove(job)) {
            context.threads().files().execute(job.part::close);
        }
    }

    /** Stops everything that is on its way. Idempotent. */
    void close() {
        closed = true;
        if (asked != null) {
            asked.cancel(true);
        }
        if (pause != null) {
            pause.cancel(false);
        }
        for (Job job : List.copyOf(jobs)) {
            if (job.pause != null) {
                job.pause.cancel(false);
            }
            ChunkUpload upload = job.upload;
            CompletableFuture<Void> admission = job.admission;
            if (upload != null) {
                upload.cancel();
            } else if (admission == null || admission.cancel(false)) {
                finish(job);
            } // otherwise it was admitted just now and finishes when it sees that this is closed
        }
    }
}
