package io.cloudmw.client.read.trace;

import io.cloudmw.client.context.ClientContext;
import io.cloudmw.client.progress.Attempt;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.mode.IssueReason;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.placement.ReadPlan;
import io.cloudmw.core.race.Block;
import io.cloudmw.core.race.BlockId;
import io.cloudmw.core.race.RacerId;
import io.cloudmw.core.recording.RecordedRead;
import io.cloudmw.core.thread.SerialExecutor;
import io.cloudmw.core.trace.TraceParent;
import io.opentelemetry.context.Context;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The observation of one read. It follows the attempts where the read's plan asks for a record of them, and where
 * OpenTelemetry records the read. Otherwise every method returns at once. Confined to the transfer.
 */
public final class ReadTrace {
    private final ClientContext context;
    private final SerialExecutor serial;
    private final LongSupplier elapsedNanos;
    private @Nullable AttemptTimeline timeline;
    private final ReadSpans spans;
    private @Nullable ReadReporter reporter;

    /**
     * Begins the read's span; its parent is the span that is current on this thread.
     *
     * @param serial the executor that owns the read's state
     */
    public ReadTrace(ClientContext context, SerialExecutor serial, FilePath file) {
        this.context = context;
        this.serial = serial;
        long began = context.ticker().nanos();
        elapsedNanos = () -> context.ticker().nanos() - began;
        spans = new ReadSpans(context.reads().tracer(), Context.current(), file);
    }

    /** The read has its first plan. */
    public void planned(ReadPlan plan, long wantedBytes) {
        List<AttemptListener> listeners = new ArrayList<>();
        if (plan.record().isPresent()) {
            reporter = new ReadReporter(context, serial, plan.record().get(), wantedBytes, elapsedNanos);
            listeners.add(reporter);
        }
        spans.planned(plan.version().id(), plan.mode());
        if (spans.isRecording()) {
            listeners.add(spans);
        }
        if (!listeners.isEmpty()) {
            timeline = new AttemptTimeline(elapsedNanos, listeners);
        }
    }

    /** The read begins to follow a plan, perhaps again. */
    public void planBegan() {
        if (timeline != null) {
            timeline.planBegan();
        }
    }

    /**
     * A block is issued to its entrants.
     *
     * @param replicas the stores of the chunk's replicas
     * @param names the names of racers
     */
    public void issued(Block block, IssueReason reason, List<StoreId> replicas, Function<RacerId, String> names) {
        if (timeline != null && !timeline.issued(block, reason, replicas, names) && reporter != null) {
            reporter.omit(block.entrants().size());
        }
    }

    /** The span that helpers get as the parent of theirs, for a block that is issued to these racers of a helper. */
    public Optional<TraceParent> span(BlockId block, Collection<RacerId> racers) {
        return timeline == null ? Optional.empty() : timeline.span(block, racers);
    }

    /** A racer reports an attempt. */
    public void attempted(RacerId racer, Attempt attempt) {
        if (timeline != null) {
            timeline.attempted(racer, attempt);
        }
    }

    /** The destination has taken bytes of the block from the racer. */
    public void won(RacerId racer, BlockId block, long bytes) {
        if (timeline != null) {
            timeline.won(racer, block, bytes);
        }
    }

    /** The block is no longer wanted, or delivered. */
    public void dropped(Block block) {
        if (timeline != null) {
            timeline.dropped(block);
        }
    }

    /** Only the block's first {@code length} bytes are wanted from now on. */
    public void shortened(Block block, long length) {
        if (timeline != null) {
            timeline.shortened(block, length);
        }
    }

    /** The racer knows that another one has the block. */
    public void lost(RacerId racer, BlockId block) {
        if (timeline != null) {
            timeline.skipped(racer, block);
        }
    }

    /** The racer cannot deliver the block. */
    public void forfeited(RacerId racer, BlockId block, ErrorCode why) {
        if (timeline != null) {
            timeline.forfeited(racer, block, why);
        }
    }

    /** Nothing more comes from the racer. */
    public void racerGone(RacerId racer, ErrorCode why) {
        if (timeline != null) {
            timeline.racerGone(racer, why);
        }
    }

    /** Every wanted byte of the chunk has arrived. */
    public void chunkDone(long chunk) {
        if (timeline != null) {
            timeline.chunkDone(chunk);
            spans.chunkDone(chunk, elapsedNanos.getAsLong());
        }
    }

    /** The read has delivered everything: so many bytes. */
    public void delivered(long bytes) {
        ended(RecordedRead.State.DELIVERED, "");
        spans.delivered(bytes, elapsedNanos.getAsLong());
    }

    /** The read has failed, or was cancelled. */
    public void failed(CloudMwException cause) {
        ended(RecordedRead.State.FAILED, cause.code() + ": " + cause.getMessage());
        spans.failed(cause, elapsedNanos.getAsLong());
    }

    private void ended(RecordedRead.State how, String failure) {
        if (timeline != null) {
            timeline.endAll();
        }
        if (reporter != null) {
            reporter.ended(how, failure);
        }
    }
}
