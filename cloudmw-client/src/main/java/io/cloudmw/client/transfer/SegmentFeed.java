package io.cloudmw.client.transfer;

import io.cloudmw.client.rpc.CoordinatorClient;
import io.cloudmw.client.rpc.PlannedSegment;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.FileVersion;
import io.cloudmw.core.placement.PlannedChunk;
import io.cloudmw.core.placement.ReadPlan;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The chunks of a get in order, a segment at a time: the next is asked for when few are left. Confined to the
 * transfer.
 */
final class SegmentFeed {
    /** A chunk and which segment of the manifest describes it. */
    record Item(PlannedChunk chunk, int segment) {}

    private static final int LOW_WATER = 8;

    private final CoordinatorClient coordinator;
    private final ReadPlan plan;
    private final FileVersion version;
    private final ByteRange wanted;
    private final Executor owner;
    private final Runnable arrived;
    private final Consumer<Throwable> failed;
    private final Queue<Item> queue = new ArrayDeque<>();
    private @Nullable CompletableFuture<PlannedSegment> asked;
    private int nextSegment;
    private long nextOffset;
    private boolean closed;

    /**
     * @param owner the transfer's executor
     * @param arrived called there when {@link #poll} may give more
     * @param failed called there once, when a segment cannot be had
     */
    SegmentFeed(
            CoordinatorClient coordinator,
            ReadPlan plan,
            ByteRange wanted,
            Executor owner,
            Runnable arrived,
            Consumer<Throwable> failed) {
        this.coordinator = coordinator;
        this.plan = plan;
        this.version = plan.version();
        this.wanted = wanted;
        this.owner = owner;
        this.arrived = arrived;
        this.failed = failed;
    }

    /** The next chunk that holds wanted bytes; null when none is here now. */
    @Nullable
    Item poll() {
        Item item = queue.poll();
        if (queue.size() < LOW_WATER) {
            ask();
        }
        return item;
    }

    /** Whether {@link #poll} will never give another. */
    boolean isEnded() {
        return queue.isEmpty() && asked == null && isLastAsked();
    }

    private boolean isLastAsked() {
        return wanted.isEmpty() || nextSegment >= version.segmentCount() || nextOffset >= wanted.end();
    }

    private void ask() {
        if (asked != null || closed || isLastAsked()) {
            return;
        }
        CompletableFuture<PlannedSegment> call = coordinator.segment(plan, nextSegment++);
        asked = call;
        var unused = call.whenComplete((segment, failure) -> owner.execute(() -> answered(segment, failure)));
    }

    private void answered(@Nullable PlannedSegment segment, @Nullable Throwable failure) {
        asked = null;
        if (closed) {
            return;
        }
        if (segment == null) {
            closed = true;
            failed.accept(failure == null ? new IllegalStateException("no segment and no failure") : failure);
            return;
        }
        try {
            for (PlannedChunk chunk : segment.chunks()) {
                add(chunk, segment.index());
            }
        } catch (CloudMwException e) {
            closed = true;
            failed.accept(e);
            return;
        }
        if (segment.index() == 0) {
            skipSegments();
        }
        arrived.run();
    }

    /** Every segment but the last describes as many bytes as the first. */
    private void skipSegments() {
        long perSegment = nextOffset;
        long skip = perSegment == 0 ? 0 : Math.min(wanted.offset() / perSegment, version.segmentCount() - 1L);
        if (skip > 1) {
            nextSegment = Math.toIntExact(skip);
            nextOffset = skip * perSegment;
        }
    }

    private void add(PlannedChunk chunk, int segment) throws CloudMwException {
        ByteRange range = chunk.chunk().range();
        if (range.offset() != nextOffset || range.isEmpty()) {
            throw Failures.violation(
                    "manifest of " + version.id() + ": chunk at " + range + " (expected: at " + nextOffset + ")");
        }
        nextOffset = range.end();
        if (range.offset() < wanted.end() && range.end() > wanted.offset()) {
            queue.add(new Item(chunk, segment));
        }
    }

    /** Asks for nothing more. */
    void close() {
        closed = true;
        queue.clear();
        if (asked != null) {
            asked.cancel(true);
        }
    }
}
