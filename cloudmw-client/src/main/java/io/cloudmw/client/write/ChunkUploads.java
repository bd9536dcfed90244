package io.cloudmw.client.write;

import io.cloudmw.client.context.ClientContext;
import io.cloudmw.client.context.ClientThreads;
import io.cloudmw.client.context.CreditPool;
import io.cloudmw.client.context.Failures;
import io.cloudmw.client.context.RetryLimits;
import io.cloudmw.client.progress.PutDelay;
import io.cloudmw.client.rpc.coordinator.PutParameters;
import io.cloudmw.core.bulk.message.BulkRequest;
import io.cloudmw.core.bulk.message.WriteTargets;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.RetryVerdict;
import io.cloudmw.core.manifest.ManifestPlan;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.placement.PlacedChunk;
import io.cloudmw.core.placement.WritePlan;
import io.cloudmw.core.thread.SerialExecutor;
import io.cloudmw.core.thread.Threads;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongPredicate;

/**
 * The uploads of one put's chunks: it asks in batches for placements, and keeps a few chunks in flight.
 *
 * <p>A chunk whose helper failed is placed again without that helper, a bounded number of times. A chunk whose
 * helper had no room, or could not reach its disks, is placed again more often, with growing pauses, and the helper
 * is not avoided. A store that refuses a chunk for good gets nothing more of this put, and the chunk is placed again
 * at once while other stores can take it. Placements made before a failure are renewed before their chunks are sent.
 * Confined to the transfer.
 */
public final class ChunkUploads {
    /**
     * The version whose chunks are to be stored.
     *
     * @param openEnded whether the source may end before the plan does
     * @param isStored chunks that an earlier put stored already, by index
     * @param placed the placement of the first chunk, if it is known
     */
    public record Upload(
            VersionId version,
            ManifestPlan plan,
            boolean openEnded,
            LongPredicate isStored,
            Optional<WritePlan> placed) {}

    /** Called on the transfer's executor. */
    public interface Outcome {
        /** More bytes of a chunk were sent. */
        void sent(long chunk, long bytes);

        /** A chunk is to be sent again. */
        void retrying(long chunk);

        /** An upload to this helper failed, after so many bytes were sent. */
        void wasted(HelperId helper, long bytes);

        /** Chunks are placed in these stores from now on. */
        void placed(List<Store> stores);

        /** A source of unknown length has ended; called once. */
        void ended(long sizeBytes);

        /** A chunk is stored: it is durable in these of the stores it was placed in, and owed to the others. */
        void stored(Chunk chunk, PlacedChunk placed, List<StoreId> durable);

        void failed(CloudMwException cause);
    }

    private static final int CHUNKS_IN_FLIGHT = 3;
    private static final int MAX_TRIES = 6;
    private static final long WINDOW_BYTES = 1 << 20;

    private final ClientContext context;
    private final SerialExecutor serial;
    private final PutRequest request;
    private final PutParameters begun;
    private final LongPredicate isStored;
    private final Outcome outcome;
    private final SerialExecutor sourceLane;
    private final UploadLayout layout;
    private final ChunkPlacer placer;
    private final PlacementQueue placements;
    private final Set<ChunkJob> jobs = new HashSet<>();
    /** Chunks whose bytes the source is asked for. */
    private int taking;

    private boolean closed;

    public ChunkUploads(
            ClientContext context,
            SerialExecutor serial,
            PutRequest request,
            PutParameters begun,
            Upload upload,
            Outcome outcome) {
        this.context = context;
        this.serial = serial;
        this.request = request;
        this.isStored = upload.isStored();
        this.begun = begun;
        this.outcome = outcome;
        layout = new UploadLayout(upload.plan(), upload.openEnded());
        placer = new ChunkPlacer(context.coordinator(), request.file(), upload.version(), upload.placed());
        placements = new PlacementQueue(context, serial, placer, layout, isStored, new Placements());
        ClientThreads threads = context.threads();
        sourceLane = new SerialExecutor(
                request.source().isStream() ? threads.sources() : threads.files(),
                defect -> serial.execute(() -> outcome.failed(Failures.of(defect))));
    }

    private final class Placements implements PlacementQueue.Listener {
        @Override
        public void placed(List<Store> stores) {
            outcome.placed(stores);
        }

        @Override
        public void refillDue() {
            fill();
        }

        @Override
        public void failed(CloudMwException cause) {
            outcome.failed(cause);
        }
    }

    public void start() {
        fill();
    }

    private void fill() {
        while (!closed && jobs.size() + taking < CHUNKS_IN_FLIGHT) {
            ChunkPlacer.Placement next = placements.poll();
            if (next == null) {
                break;
            }
            take(next);
        }
        placements.refill();
    }

    /**
     * The reasons of a wait: of each chunk under way, or of those that come next.
     *
     * @param obstacles is asked where stores are waited for
     */
    List<PutDelay.Reason> reasons(StoreObstacles obstacles) {
        List<PutDelay.Reason> reasons = new ArrayList<>();
        placements.setback().ifPresent(cause -> reasons.add(ChunkJob.reason(cause)));
        jobs.stream()
                .sorted(Comparator.comparingLong(ChunkJob::index))
                .map(job -> job.reason(obstacles, context, serial))
                .forEach(reasons::add);
        if (reasons.isEmpty() && placements.isAsking()) {
            reasons.add(
                    PutDelay.Reason.of(PutDelay.Kind.COORDINATOR, "the coordinator has not said yet where chunks go"));
        }
        if (reasons.isEmpty() && taking > 0) {
            reasons.add(PutDelay.Reason.of(PutDelay.Kind.SOURCE, "the source has not given more bytes yet"));
        }
        return reasons;
    }

    /** Asks the source for the chunk's bytes, which may block, and sends them. */
    private void take(ChunkPlacer.Placement placement) {
        long index = placement.chunk().chunk().index();
        if (index >= layout.count() || isStored.test(index)) {
            return; // the source ended before this chunk, or an earlier put stored it
        }
        taking++;
        ByteRange range = layout.range(index);
        sourceLane.execute(() -> {
            try {
                PutSource.Part part = request.source().part(range);
                serial.execute(() -> taken(placement, index, range, part));
            } catch (CloudMwException e) {
                serial.execute(() -> outcome.failed(e));
            }
        });
    }

    private void taken(ChunkPlacer.Placement placement, long index, ByteRange range, PutSource.Part part) {
        taking--;
        if (closed) {
            part.close();
            return;
        }
        ByteRange found = new ByteRange(range.offset(), part.length());
        if (!found.isEmpty()) {
            ChunkJob job = new ChunkJob(index, found, part, Chunk.leafCount(found.length(), begun.leafSizeBytes()));
            jobs.add(job);
            if (placer.isCurrent(placement)) {
                send(job, placement);
            } else {
                placeAgain(job);
            }
        } else {
            part.close();
        }
        if (layout.isOpenEnded() && (found.length() < range.length() || index == layout.count() - 1)) {
            // Where the longest file there may be ends, the source's last check finds out whether more follows.
            layout.end(found.end());
            outcome.ended(found.end());
        }
    }

    /** Waits for its share of memory, then sends. */
    private void send(ChunkJob job, ChunkPlacer.Placement placement) {
        BulkRequest.Write write;
        HelperAddress helper;
        try {
            helper = placement.helper();
            write = write(job, placement);
        } catch (IllegalArgumentException e) {
            outcome.failed(Failures.violation("placement of chunk " + job.index() + ": " + e.getMessage()));
            return;
        }
        CreditPool memory = context.writeCredit();
        long window = Math.min(
                memory.capacity(),
                Math.max(begun.leafSizeBytes(), Math.min(job.range().length(), WINDOW_BYTES)));
        CompletableFuture<Void> admission = memory.reserve(window);
        job.admission = admission;
        var unused = admission.thenRun(() -> serial.execute(() -> {
            job.admission = null;
            if (closed) {
                memory.giveBack(window);
                finish(job);
            } else {
                upload(job, placement.chunk(), helper, write, window);
            }
        }));
    }

    private BulkRequest.Write write(ChunkJob job, ChunkPlacer.Placement placement) {
        return new BulkRequest.Write(
                placement.plan().token(),
                placement.chunk().chunk(),
                job.range().length(),
                begun.leafSizeBytes(),
                new WriteTargets(
                        placement.stores(),
                        placement.plan().helpers(),
                        placement.chunk().carriers()),
                begun.writeQuorum(),
                request.file(),
                placer.version());
    }

    /** Gives the window back when the upload has ended, or at once when it cannot even begin. */
    private void upload(ChunkJob job, PlacedChunk placed, HelperAddress helper, BulkRequest.Write write, long window) {
        ChunkUpload upload;
        boolean made = false;
        try {
            upload = new ChunkUpload(
                    write,
                    job.part(),
                    job.read(),
                    context.links().get().allocator(),
                    context.threads().files(),
                    window,
                    bytes -> serial.execute(() -> sent(job, bytes)));
            made = true;
        } finally {
            if (!made) {
                context.writeCredit().giveBack(window);
            }
        }
        job.upload = upload;
        job.begin(placed, helper, write.token());
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

    private void sent(ChunkJob job, int bytes) {
        job.sent(bytes);
        outcome.sent(job.index(), bytes);
    }

    private void stored(ChunkJob job, PlacedChunk placed, ChunkUpload.Stored stored) {
        finish(job);
        if (closed) {
            return;
        }
        Chunk chunk = new Chunk(
                job.index(), placed.chunk(), job.range(), begun.leafSizeBytes(), stored.leaves(), placed.stores());
        outcome.stored(chunk, placed, stored.result().stored());
        fill();
    }

    private void retry(ChunkJob job, HelperId helper, ChunkUpload upload, CloudMwException cause) {
        if (closed) {
            finish(job);
            return;
        }
        outcome.retrying(job.index());
        job.fail(cause);
        outcome.wasted(helper, upload.sent());
        List<StoreId> refusing = job.refuse(cause);
        if (!refusing.isEmpty()) {
            placer.refuse(refusing);
            job.read(upload.read());
            placer.addSetback();
            placeAgain(job);
            return;
        }
        boolean noRoom = cause.code() == ErrorCode.OVERLOADED;
        boolean refused = noRoom || cause.retryAfter().isPresent();
        int times = refused ? job.addRefusal() : job.addFailure();
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
        job.read(upload.read());
        if (!refused) {
            placer.avoid(helper);
        }
        if (!noRoom) {
            placer.addSetback();
        }
        placeLater(job, times, cause);
    }

    private void placeLater(ChunkJob job, int times, CloudMwException cause) {
        long nanos = RetryLimits.pauseNanos(times, cause, Long.MAX_VALUE);
        job.pause = Threads.later(context.threads().timer(), nanos, () -> serial.execute(() -> placeAgain(job)))
                .orElse(null);
        if (job.pause == null) {
            outcome.failed(Failures.clientClosed());
        }
    }

    private CloudMwException noOtherStore(ChunkJob job, CloudMwException refusal, CloudMwException cause) {
        return new CloudMwException(
                refusal.code(),
                RetryVerdict.NEVER,
                request.file() + ": chunk " + job.index() + " could not be stored: " + refusal.getMessage()
                        + "; no other stores can take it: " + cause.getMessage(),
                cause);
    }

    private CloudMwException gaveUp(ChunkJob job, HelperId helper, CloudMwException cause) {
        int tries = job.tries();
        String often = tries == 1 ? " through helper " : " in " + tries + " tries; the last, through helper ";
        return new CloudMwException(
                cause.code(),
                cause.verdict(),
                request.file() + ": chunk " + job.index() + " could not be stored" + often + helper + ": "
                        + cause.getMessage(),
                cause);
    }

    private void placeAgain(ChunkJob job) {
        if (closed) {
            return;
        }
        var unused = placer.place(job.index(), 1, Optional.of(layout.cutterOf(job.range())))
                .whenComplete((answer, failure) -> serial.execute(() -> {
                    if (closed) {
                        return;
                    }
                    if (answer == null) {
                        notPlaced(job, Failures.of(failure == null ? new IllegalStateException("no plan") : failure));
                    } else if (answer.placements().isEmpty()) {
                        outcome.failed(Failures.violation("no placement for chunk " + job.index()));
                    } else {
                        send(job, new ChunkPlacer.Placement(answer.placements().get(0), answer, placer.setbacks()));
                    }
                }));
    }

    private void notPlaced(ChunkJob job, CloudMwException cause) {
        int refusals = job.addRefusal();
        if (ChunkPlacer.mayBeEnoughLater(cause, refusals)) {
            job.notPlaced(cause);
            placeLater(job, refusals, cause);
            return;
        }
        Optional<CloudMwException> refusal = job.refusal();
        outcome.failed(
                refusal.isPresent() && cause.verdict() == RetryVerdict.NEVER
                        ? noOtherStore(job, refusal.get(), cause)
                        : cause);
    }

    private void finish(ChunkJob job) {
        if (jobs.remove(job)) {
            context.threads().files().execute(job.part()::close);
        }
    }

    /** Stops every upload. Idempotent. */
    public void close() {
        closed = true;
        placements.close();
        for (ChunkJob job : List.copyOf(jobs)) {
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
