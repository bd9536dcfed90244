package io.cloudmw.client.read.trace;

import io.cloudmw.client.progress.Attempt;
import io.cloudmw.client.progress.AttemptState;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.mode.IssueReason;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.race.AttemptId;
import io.cloudmw.core.race.Block;
import io.cloudmw.core.race.BlockId;
import io.cloudmw.core.race.Entrant;
import io.cloudmw.core.race.RacerId;
import io.cloudmw.core.recording.RecordedAttempt.State;
import io.cloudmw.core.trace.TraceParent;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The attempts of one read from their issue to their end, put together from what the delivery orders and what racers
 * report. At most {@value #MAX_OPEN} attempts are followed at once; further ones are left out. Confined to the transfer.
 */
final class AttemptTimeline {
    /** The most attempts that are followed at once. */
    static final int MAX_OPEN = 2048;

    private final LongSupplier elapsedNanos;
    private final List<AttemptListener> listeners;
    private final Map<AttemptId, TimedAttempt> open = new LinkedHashMap<>();
    /** The attempts of chunks that have attempts under way. */
    private final Map<Long, ChunkAttempts> chunks = new HashMap<>();
    /** The number of the first block of the present plan, which counts its blocks from 0. */
    private int firstBlock;

    private int nextBlock;

    /** The attempts at one chunk. */
    private static final class ChunkAttempts {
        private final List<TimedAttempt> attempts = new ArrayList<>();
        private int settled;
        private boolean done;
    }

    /** @param elapsedNanos the time since the read began */
    AttemptTimeline(LongSupplier elapsedNanos, List<AttemptListener> listeners) {
        this.elapsedNanos = elapsedNanos;
        this.listeners = List.copyOf(listeners);
    }

    /** Begins another plan, after the end of everything that was under way. */
    void planBegan() {
        endAll();
        firstBlock = nextBlock;
    }

    /** Returns false when there are too many attempts to follow this block's. */
    boolean issued(Block block, IssueReason reason, List<StoreId> replicas, Function<RacerId, String> names) {
        nextBlock = Math.max(nextBlock, firstBlock + block.id().value() + 1);
        if (open.size() + block.entrants().size() > MAX_OPEN) {
            return false;
        }
        for (Entrant entrant : block.entrants()) {
            add(
                    new AttemptId(block.id(), entrant.racer(), 0),
                    new TimedAttempt(
                            new TimedAttempt.Identity(
                                    block.chunkIndex(),
                                    firstBlock + block.id().value(),
                                    names.apply(entrant.racer()),
                                    0),
                            block.range(),
                            replicas.get(entrant.replica()),
                            reason,
                            elapsedNanos.getAsLong()));
        }
        return true;
    }

    private void add(AttemptId id, TimedAttempt attempt) {
        open.put(id, attempt);
        chunks.computeIfAbsent(attempt.chunk(), absent -> new ChunkAttempts())
                .attempts
                .add(attempt);
        listeners.forEach(listener -> listener.opened(attempt));
    }

    /** The span of the first attempt of one of these racers at the block. */
    Optional<TraceParent> span(BlockId block, Collection<RacerId> racers) {
        return racers.stream()
                .map(racer -> open.get(new AttemptId(block, racer, 0)))
                .filter(Objects::nonNull)
                .findFirst()
                .flatMap(attempt -> TraceParent.of(attempt.span()));
    }

    /** Takes a racer's report. */
    void attempted(RacerId racer, Attempt report) {
        AttemptId id = new AttemptId(new BlockId(report.block()), racer, report.number());
        TimedAttempt attempt = open.get(id);
        if (attempt == null) {
            TimedAttempt earlier = latest(new BlockId(report.block()), racer);
            boolean neverBegan = report.state() == AttemptState.CANCELLED && report.bytes() == 0;
            if (earlier == null || neverBegan || open.size() >= MAX_OPEN) {
                return;
            }
            attempt = earlier.next(report.number(), report.store(), elapsedNanos.getAsLong());
            add(id, attempt);
        }
        attempt.reported(report, elapsedNanos.getAsLong());
        changed(id, attempt);
    }

    void won(RacerId racer, BlockId block, long bytes) {
        TimedAttempt attempt = latest(block, racer);
        if (attempt != null) {
            attempt.won(bytes, elapsedNanos.getAsLong());
            listeners.forEach(listener -> listener.changed(attempt));
        }
    }

    /** The racer's last attempt at the block. */
    private @Nullable TimedAttempt latest(BlockId block, RacerId racer) {
        TimedAttempt latest = null;
        for (int number = 0; ; number++) {
            TimedAttempt attempt = open.get(new AttemptId(block, racer, number));
            if (attempt == null) {
                return latest;
            }
            latest = attempt;
        }
    }

    /** The block is no longer wanted, or delivered: racers that have not begun will not. */
    void dropped(Block block) {
        block.entrants().forEach(entrant -> skipped(entrant.racer(), block.id()));
    }

    /** The racer leaves the block to others. */
    void skipped(RacerId racer, BlockId block) {
        end(
                id -> id.block().equals(block) && id.racer().equals(racer),
                TimedAttempt::isQueued,
                attempt -> attempt.end(State.CANCELLED, elapsedNanos.getAsLong()));
    }

    void forfeited(RacerId racer, BlockId block, ErrorCode why) {
        end(
                id -> id.block().equals(block) && id.racer().equals(racer),
                attempt -> !attempt.isOver(),
                attempt -> attempt.fails(why, elapsedNanos.getAsLong()));
    }

    void racerGone(RacerId racer, ErrorCode why) {
        end(
                id -> id.racer().equals(racer),
                attempt -> !attempt.isOver(),
                attempt -> attempt.fails(why, elapsedNanos.getAsLong()));
    }

    /** Only the block's first {@code length} bytes are wanted from now on. */
    void shortened(Block block, long length) {
        for (Map.Entry<AttemptId, TimedAttempt> entry : open.entrySet()) {
            if (entry.getKey().block().equals(block.id())) {
                entry.getValue().shorten(length);
                listeners.forEach(listener -> listener.changed(entry.getValue()));
            }
        }
    }

    /** Every wanted byte of the chunk has arrived. */
    void chunkDone(long chunk) {
        ChunkAttempts of = chunks.get(chunk);
        if (of != null) {
            of.done = true;
            for (Map.Entry<AttemptId, TimedAttempt> entry : List.copyOf(open.entrySet())) {
                if (entry.getValue().chunk() == chunk) {
                    settleIfOver(entry.getKey(), entry.getValue());
                }
            }
        }
    }

    /** Ends and settles everything that is under way. */
    void endAll() {
        chunks.values().forEach(chunk -> chunk.done = true);
        for (Map.Entry<AttemptId, TimedAttempt> entry : List.copyOf(open.entrySet())) {
            TimedAttempt attempt = entry.getValue();
            if (!attempt.isOver()) {
                attempt.endUnreported(elapsedNanos.getAsLong());
                listeners.forEach(listener -> listener.changed(attempt));
            }
            settleIfOver(entry.getKey(), attempt);
        }
    }

    /** An operation on an attempt. */
    private interface Ending {
        void end(TimedAttempt attempt);
    }

    private void end(Predicate<AttemptId> ids, Predicate<TimedAttempt> which, Ending ending) {
        for (Map.Entry<AttemptId, TimedAttempt> entry : List.copyOf(open.entrySet())) {
            if (ids.test(entry.getKey()) && which.test(entry.getValue())) {
                ending.end(entry.getValue());
                changed(entry.getKey(), entry.getValue());
            }
        }
    }

    private void changed(AttemptId id, TimedAttempt attempt) {
        listeners.forEach(listener -> listener.changed(attempt));
        settleIfOver(id, attempt);
    }

    private void settleIfOver(AttemptId id, TimedAttempt attempt) {
        ChunkAttempts chunk = chunks.get(attempt.chunk());
        if (chunk == null || !chunk.done || !attempt.isOver() || open.remove(id) == null) {
            return;
        }
        if (attempt.wonBytes() == 0) {
            chunk.attempts.stream()
                    .filter(other -> other.wonBytes() > 0 && other.overlaps(attempt))
                    .findFirst()
                    .ifPresent(attempt::wonBy);
        }
        listeners.forEach(listener -> listener.settled(attempt));
        chunk.settled++;
        if (chunk.settled == chunk.attempts.size()) {
            chunks.remove(attempt.chunk());
        }
    }
}
