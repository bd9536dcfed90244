package io.cloudmw.core.delivery;

import io.cloudmw.core.hedge.RedundancyBudget;
import io.cloudmw.core.hedge.SpeedEstimate;
import io.cloudmw.core.mode.ModePolicy;
import java.util.OptionalLong;

/**
 * The detector of late and slow attempts: it measures them by what is usual at their stores and tells the budget. The
 * percentile that is late is {@link io.cloudmw.core.hedge.LateThreshold}.
 */
final class LatenessDetector {
    /** Helpers report this soon that a block waits for room. */
    private static final long REPORTED_WITHIN_NANOS = 200_000_000;
    /** Until its turn, a relay of a stream is known by reports alone, which come this often or more. */
    private static final long REPORTED_NANOS = 2_500_000_000L;
    /** A relay is not slow when it is at most this many times slower than the destination's relays usually are. */
    private static final double BEHIND_RELAYS = 4;

    private final DeliveryState state;
    private final ModePolicy.Extras extras;

    LatenessDetector(DeliveryState state) {
        this.state = state;
        this.extras = state.mode().extras();
    }

    /** The time that a first byte may take at the block's store. */
    long delayNanos(BlockProgress block) {
        return delayNanos(state.usual(block));
    }

    /** The time that a first byte may take where this speed is usual. */
    long delayNanos(SpeedEstimate usual) {
        double late = state.speeds().lateFirstByteNanos(usual);
        return late == 0 ? extras.capNanos() : extras.within(late);
    }

    /**
     * The time after its turn for which a block may go unreported: as long as its first byte and the report of it may
     * take. Never less than a helper without room for the block takes to say so.
     */
    long unheardNanos(BlockProgress block) {
        double report = state.speeds()
                .lateReportNanos(state.racers().helperOf(block.holder().racer()));
        if (report == 0) {
            return extras.capNanos(); // no helper has reported yet: this process may be the one that is cut off
        }
        long firstByte = extras.delayNanos(delayNanos(block) * state.budget().patience());
        return Math.min(extras.capNanos(), Math.max(REPORTED_WITHIN_NANOS, firstByte + (long) report));
    }

    /** Returns whether a block that takes too long is to have a second attempt. */
    boolean mayBeLate(BlockProgress block) {
        OfferedRelay relay = block.relay();
        boolean isWithheld = relay != null && relay.isWithheld();
        return extras.hedges() && !isWithheld && block.range().isIssuedOnce();
    }

    /**
     * The time when a block that is being fetched is late: its first byte or its next leaf has not come, or its bytes
     * come too slowly.
     */
    OptionalLong lateAtNanos(BlockProgress block) {
        AttemptProgress attempt = block.attempt();
        double patience = state.budget().patience();
        SpeedEstimate usual = state.usual(block);
        long delay = delayNanos(usual);
        if (attempt.bytes() == 0) {
            return OptionalLong.of(attempt.startedAtNanos() + extras.delayNanos(delay * patience));
        }
        double slow = usual.slowBytesPerSecond() / 1e9;
        long gap = gapNanos(block, delay, slow);
        long gapAt = attempt.movedAtNanos() + (long) (gap * patience);
        if (slow == 0 || !state.throughput().isBehindOthers(attempt.rate(state.now()))) {
            return OptionalLong.of(gapAt);
        }
        long next = attempt.bytes() + block.chunk().plan().leafSizeBytes();
        long lineAt = attempt.startedAtNanos() + delay + (long) (next / slow * patience);
        return OptionalLong.of(Math.min(lineAt, gapAt));
    }

    /** The time that the next leaf may take: no less than the relays of this destination take, whatever limits them. */
    private long gapNanos(BlockProgress block, long delay, double slow) {
        double leaf = slow == 0 ? 0 : block.chunk().plan().leafSizeBytes() / slow;
        double gap = Math.max((double) delay, Math.min(leaf, (double) extras.capNanos()));
        OfferedRelay relay = block.relay();
        if (relay == null || !relay.isAccepted()) {
            return Math.max((long) gap, REPORTED_NANOS);
        }
        double moving = state.throughput().movingRelays();
        return (long) Math.max(gap, BEHIND_RELAYS * state.paceNanos() * moving);
    }

    /** Notes that an attempt's first bytes came at {@code atNanos}. */
    void answered(BlockProgress block, long atNanos) {
        long took = atNanos - block.attempt().startedAtNanos();
        int helper = state.racers().helperOf(block.holder().racer());
        state.speeds().firstByte(block.store(), helper, took);
        tellAnswered(block, took);
        if (took > lateAfterNanos(block)) {
            judge(block, true);
        }
    }

    /**
     * The delay after which a first byte is late. At a store of which too little is known, the one of the late
     * attempt.
     */
    private long lateAfterNanos(BlockProgress block) {
        boolean isKnown = state.usual(block).lateFirstByteNanos() > 0;
        return isKnown || block.madeUpForAfterNanos() == 0 ? delayNanos(block) : block.madeUpForAfterNanos();
    }

    /** Notes that an attempt had brought its block at {@code atNanos}. */
    void fetched(BlockProgress block, long atNanos) {
        judge(block, isSlow(block, atNanos));
    }

    /** Returns whether bytes come at less than half of the usual rate: as bad as late, however soon the first came. */
    private boolean isSlow(BlockProgress block, long atNanos) {
        double known = state.usual(block).bytesPerSecond();
        double usual = known > 0 ? known : block.madeUpForBytesPerSecond();
        double rate = block.attempt().rate(atNanos) * 1e9;
        return rate > 0 && rate * RedundancyBudget.MEDIAN_MOVED < usual;
    }

    /** Notes that an attempt is about to be withdrawn because another brings its block: it was late if it was slow. */
    void cut(BlockProgress block) {
        AttemptProgress attempt = block.attempt();
        boolean isWaiting = attempt.isBegun() && attempt.bytes() == 0;
        boolean hasWaitedLong = isWaiting && state.now() - attempt.startedAtNanos() > lateAfterNanos(block);
        if (hasWaitedLong || isSlow(block, state.now())) {
            judge(block, true);
        }
    }

    /** Notes that an attempt has brought nothing, and should have. */
    void unanswered(BlockProgress block) {
        if (block.attempt().bytes() == 0) {
            tellAnswered(block, state.now() - block.attempt().startedAtNanos());
        }
    }

    private void tellAnswered(BlockProgress block, long firstByteNanos) {
        if (extras.hedges() && !block.attempt().isKept()) {
            state.budget().answered(block.store(), firstByteNanos);
        }
    }

    /** Tells the budget about an attempt, once: that it was late at some point, or in the end whether it was slow. */
    void judge(BlockProgress block, boolean late) {
        if (extras.hedges() && !block.isJudged() && !block.attempt().isKept()) {
            block.markJudged();
            state.budget().judged(block.store(), late);
        }
    }
}
