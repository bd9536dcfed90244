package io.cloudmw.core.delivery;

import io.cloudmw.core.race.RacerId;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/** The progress of the attempt at a cut-through block: its racer, the bytes fetched so far and their recent rate. */
final class AttemptProgress {
    private enum Stage {
        /** No attempt is known, or it fetches. */
        OPEN,
        /** The racer has fetched the whole block. */
        FETCHED,
        /** The racer held the block before it was asked: how soon it comes says nothing about a store. */
        KEPT
    }

    private record Sample(long atNanos, long bytes) {}

    private static final int SAMPLES = 8;

    private final Deque<Sample> samples = new ArrayDeque<>(SAMPLES);
    private @Nullable RacerId runner;
    private Stage stage = Stage.OPEN;
    private long startedAtNanos;
    private long movedAtNanos;
    private long bytes;

    /** The racer that runs the attempt; null: the block waits in a queue. */
    @Nullable
    RacerId runner() {
        return runner;
    }

    boolean isBegun() {
        return runner != null;
    }

    boolean isFetching() {
        return isBegun() && !isFetched();
    }

    boolean isFetched() {
        return stage != Stage.OPEN;
    }

    boolean isKept() {
        return stage == Stage.KEPT;
    }

    long startedAtNanos() {
        return startedAtNanos;
    }

    /** The time when more bytes came than before, the attempt started, or waiting for it began anew. */
    long movedAtNanos() {
        return movedAtNanos;
    }

    /** Bytes fetched of the block, as far as reported. */
    long bytes() {
        return bytes;
    }

    /** A racer starts the attempt; what another one did before counts no more. */
    void started(RacerId racer, long nowNanos) {
        runner = racer;
        startedAtNanos = nowNanos;
        movedAtNanos = nowNanos;
        stage = Stage.OPEN;
        bytes = 0;
        samples.clear();
    }

    /** The racer that ran the attempt has left it. */
    void runnerLeft() {
        runner = null;
    }

    void fetched() {
        stage = Stage.FETCHED;
    }

    void kept() {
        stage = Stage.KEPT;
    }

    /** Begins waiting for more bytes anew. */
    void moved(long nowNanos) {
        movedAtNanos = nowNanos;
    }

    /** Notes how many bytes there are now; true when these are the first. */
    boolean reached(long now, long nowNanos) {
        if (now <= bytes) {
            return false;
        }
        boolean first = bytes == 0;
        bytes = now;
        movedAtNanos = nowNanos;
        if (samples.size() == SAMPLES) {
            samples.remove();
        }
        samples.add(new Sample(nowNanos, now));
        return first;
    }

    /** The recent rate in bytes per nanosecond, silence included, the wait for the first byte not; 0: not known yet. */
    double rate(long nowNanos) {
        Sample oldest = samples.peek();
        if (oldest == null || nowNanos - oldest.atNanos <= 0) {
            return 0;
        }
        return (double) (bytes - oldest.bytes) / (nowNanos - oldest.atNanos);
    }

    /** The time for which bytes have been arriving. */
    long flowingNanos(long nowNanos) {
        Sample oldest = samples.peek();
        return oldest == null ? 0 : nowNanos - oldest.atNanos;
    }
}
