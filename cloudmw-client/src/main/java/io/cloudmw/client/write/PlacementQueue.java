package io.cloudmw.client.write;

import io.cloudmw.client.context.ClientContext;
import io.cloudmw.client.context.Failures;
import io.cloudmw.client.context.RetryLimits;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.placement.WritePlan;
import io.cloudmw.core.status.StoreStatus;
import io.cloudmw.core.thread.SerialExecutor;
import io.cloudmw.core.thread.Threads;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/** The queue of placements for a put's next chunks, refilled in batches. Confined to the transfer. */
final class PlacementQueue {
    /** Called on the transfer's executor. */
    interface Listener {
        /** Placements arrived, in these stores. */
        void placed(List<Store> stores);

        /** Another refill may be due. */
        void refillDue();

        void failed(CloudMwException cause);
    }

    private static final int BATCH = 64;

    private final ClientContext context;
    private final SerialExecutor serial;
    private final ChunkPlacer placer;
    private final UploadLayout layout;
    private final LongPredicate isStored;
    private final Listener listener;
    private final Queue<ChunkPlacer.Placement> placements = new ArrayDeque<>();
    private @Nullable CompletableFuture<WritePlan> call;
    private @Nullable Future<?> pause;
    private long next;

    /** The coordinator has placed some chunks of this put. */
    private boolean placedOnce;

    /** Refusals in a row. */
    private int refusals;

    /** The failure of the last call; empty when it succeeded. */
    private Optional<CloudMwException> setback = Optional.empty();

    private boolean closed;

    /** @param isStored chunks that need no placement, by index */
    PlacementQueue(
            ClientContext context,
            SerialExecutor serial,
            ChunkPlacer placer,
            UploadLayout layout,
            LongPredicate isStored,
            Listener listener) {
        this.context = context;
        this.serial = serial;
        this.placer = placer;
        this.layout = layout;
        this.isStored = isStored;
        this.listener = listener;
    }

    /** The next placement; null when there is none now. */
    ChunkPlacer.@Nullable Placement poll() {
        return placements.poll();
    }

    /** Returns whether a placement call is under way. */
    boolean isAsking() {
        return call != null;
    }

    /** The reason why the next chunks could not be placed; empty when they could. */
    Optional<CloudMwException> setback() {
        return setback;
    }

    /** Asks for the next batch if the queue is empty and chunks are left. */
    void refill() {
        while (next < layout.count() && isStored.test(next)) {
            next++;
        }
        long first = next;
        if (closed || !placements.isEmpty() || call != null || pause != null || first >= layout.count()) {
            return;
        }
        int batch = (int) Math.min(BATCH, layout.count() - first);
        int setbacks = placer.setbacks();
        CompletableFuture<WritePlan> asked = placer.place(first, batch, layout.cutter());
        call = asked;
        next += batch;
        var unused = asked.whenComplete(
                (answer, failure) -> serial.execute(() -> answered(first, setbacks, answer, failure)));
    }

    private void answered(long first, int setbacks, @Nullable WritePlan answer, @Nullable Throwable failure) {
        call = null;
        if (closed || first >= layout.count()) {
            return; // the put is over, or the source ended before these chunks
        }
        if (answer == null) {
            refused(first, Failures.of(failure == null ? new IllegalStateException("no plan") : failure));
            return;
        }
        placedOnce = true;
        refusals = 0;
        setback = Optional.empty();
        listener.placed(answer.stores().stream().map(StoreStatus::store).toList());
        answer.placements().forEach(chunk -> placements.add(new ChunkPlacer.Placement(chunk, answer, setbacks)));
        listener.refillDue();
    }

    /** Retries later; but a put that was given no placement yet fails at once. */
    private void refused(long first, CloudMwException cause) {
        if (!placedOnce || !ChunkPlacer.mayBeEnoughLater(cause, ++refusals)) {
            listener.failed(cause);
            return;
        }
        setback = Optional.of(cause);
        next = first;
        Runnable again = () -> serial.execute(() -> {
            pause = null;
            listener.refillDue();
        });
        long nanos = RetryLimits.pauseNanos(refusals, cause, Long.MAX_VALUE);
        pause = Threads.later(context.threads().timer(), nanos, again).orElse(null);
        if (pause == null) {
            listener.failed(Failures.clientClosed());
        }
    }

    /** Idempotent. */
    void close() {
        closed = true;
        if (call != null) {
            call.cancel(true);
        }
        if (pause != null) {
            pause.cancel(false);
        }
    }
}
