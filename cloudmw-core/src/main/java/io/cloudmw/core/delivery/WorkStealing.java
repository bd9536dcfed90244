package io.cloudmw.core.delivery;

import io.cloudmw.core.hedge.StealSize;
import io.cloudmw.core.mode.IssueReason;
import io.cloudmw.core.mode.ModePolicy;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.race.BlockRule;
import io.cloudmw.core.race.Entrant;
import io.cloudmw.core.race.RacerId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Work stealing by idle lanes: they take over unstarted blocks, split blocks under way, or try them a second time. */
final class WorkStealing {
    /** An attempt that would take this many times longer than another is as good as stuck. */
    private static final double FAR_BEHIND = 4;

    private final DeliveryState state;
    private final Dispatcher dispatcher;
    private final ModePolicy.Extras extras;

    WorkStealing(DeliveryState state, Dispatcher dispatcher) {
        this.state = state;
        this.dispatcher = dispatcher;
        this.extras = state.mode().extras();
    }

    /** Gives idle lanes work, unless the destination is busy until then with what was fetched already. */
    void stealForIdleLanes() {
        LiveRacers racers = state.racers();
        List<RacerId> idle = racers.thieves(state.directUse()).stream()
                .filter(worker -> racers.load(worker) == 0 && !racers.isSilent(worker))
                .toList();
        double backlog = idle.isEmpty() ? 0 : state.backlogNanos();
        BlockProgress victim = idle.isEmpty() ? null : endsLast(backlog);
        for (RacerId worker : idle) {
            if (victim == null) {
                return;
            }
            if (racers.mayWork(worker) && steal(worker, victim)) {
                victim = endsLast(backlog);
            }
        }
    }

    /** The block that ends last of those that can be stolen, if that is not before {@code backlogNanos}. */
    private @Nullable BlockProgress endsLast(double backlogNanos) {
        BlockProgress last = null;
        double latest = backlogNanos;
        for (BlockProgress block : state.blocks()) {
            double left = leftNanos(block, state);
            if (left > latest && isStealable(block)) {
                last = block;
                latest = left;
            }
        }
        return last;
    }

    /** Returns whether the block is queued, or has run long enough to be judged, and was not just spared. */
    private boolean isStealable(BlockProgress block) {
        long seenNanos = block.attempt().isBegun()
                ? block.attempt().flowingNanos(state.now())
                : state.now() - block.issuedAtNanos();
        boolean canTell = isQueued(block) || seenNanos >= extras.floorNanos();
        return canTell && block.range().isIssuedOnce() && state.now() - block.quietUntilNanos() >= 0;
    }

    /**
     * Returns whether the block was not started: its helper reports that it waits, or its turn has come in none of its
     * lanes.
     */
    private boolean isQueued(BlockProgress block) {
        if (block.attempt().isBegun()) {
            return false;
        }
        if (block.isWaitingForRoom() && block.entrants().isOneLeft()) {
            return true;
        }
        for (Entrant entrant : block.block().entrants()) {
            if (!isBehindAnother(block, entrant.racer())) {
                return false;
            }
        }
        return true;
    }

    /**
     * Returns whether the lane fetches another block, and goes on for longer than a report of its end takes. The first
     * block in a lane may have started long before that is heard here.
     */
    private boolean isBehindAnother(BlockProgress block, RacerId racer) {
        BlockProgress head = state.racers().head(racer);
        return head != null
                && head != block
                && head.attempt().isBegun()
                && leftNanos(head, state) - (state.now() - head.attempt().movedAtNanos()) > extras.floorNanos();
    }

    /** Steals from the block; false when that is not worth it, and nothing changed. */
    private boolean steal(RacerId thief, BlockProgress victim) {
        Entrant other = dispatcher.best(thief, victim.range(), victim.store());
        Entrant entrant = other == null || isAway(other, victim) ? dispatcher.best(thief, victim.range(), null) : other;
        return entrant != null && !isAway(entrant, victim) && steal(victim, entrant, leftNanos(victim, state));
    }

    private boolean isAway(Entrant thief, BlockProgress victim) {
        return state.isAway(victim.chunk().store(thief.replica()));
    }

    private boolean steal(BlockProgress victim, Entrant thief, double leftNanos) {
        int helper = state.racers().helperOf(thief.racer());
        StoreId store = victim.chunk().store(thief.replica());
        long bytes = victim.unfetchedBytes();
        double rate = state.speeds().bytesPerNano(store, helper, bytes);
        double first = state.speeds().firstByteNanos(store, helper, bytes);
        double alone = first + bytes / rate;
        if (isQueued(victim)) {
            boolean isWorthwhile = !victim.reason().isExtra() && leftNanos - alone > StealSize.WORTHWHILE * leftNanos;
            if (isWorthwhile) {
                state.changeHands(victim, thief); // nothing is asked for twice
            }
            return isWorthwhile;
        }
        long floor = extras.floorNanos();
        long tail = tailBytes(victim, (long) StealSize.bytes((double) bytes, leftNanos, first, rate, (double) floor));
        if (tail > 0 && maySplit(victim)) {
            split(victim, thief, tail, leftNanos > FAR_BEHIND * alone);
            return true;
        }
        if (leftNanos > 2 * alone + floor) {
            duplicate(victim, thief, leftNanos > FAR_BEHIND * alone);
            return true;
        }
        return false;
    }

    /** A stream hands on an accepted relay leaf by leaf, and cannot take any of it back. */
    private boolean maySplit(BlockProgress block) {
        OfferedRelay relay = block.relay();
        return !state.policy().inOrder() || relay == null || !relay.isAccepted();
    }

    /** The bytes at the block's end that can be split off: whole leaves; the one being fetched and the next stay. */
    private static long tailBytes(BlockProgress block, long wanted) {
        ByteRange missing = block.range().missing();
        long leaf = block.chunk().plan().leafSizeBytes();
        long earliest = missing.end() - Math.min(wanted, block.unfetchedBytes());
        long edge = Math.max((earliest + leaf - 1) / leaf * leaf, missing.offset() / leaf * leaf + 2 * leaf);
        return missing.end() - edge;
    }

    private void split(BlockProgress victim, Entrant thief, long tailBytes, boolean isFarBehind) {
        if (!mayBeExtra(victim, thief, victim.chunk().plan().leafSizeBytes(), isFarBehind)) {
            return;
        }
        WantedRange tail = state.split(victim, tailBytes);
        BlockProgress stolen = state.issue(tail, List.of(thief), BlockRule.SOLE, IssueReason.STEAL, 0);
        stolen.makesUpFor(0, state.usual(victim).bytesPerSecond());
    }

    private void duplicate(BlockProgress victim, Entrant thief, boolean isFarBehind) {
        long bytes = victim.range().missing().length();
        if (mayBeExtra(victim, thief, bytes, isFarBehind)) {
            state.issue(victim.range(), List.of(thief), BlockRule.SOLE, IssueReason.DUPLICATE, bytes);
        }
    }

    /** An attempt far behind may have the part of the budget kept for late ones; any other only what is to spare. */
    private boolean mayBeExtra(BlockProgress late, Entrant thief, long bytes, boolean isFarBehind) {
        StoreId other = late.chunk().store(thief.replica());
        boolean isAllowed = isFarBehind
                ? state.budget().spend(late.store(), other, bytes)
                : state.budget().spendSpare(late.store(), other, bytes);
        if (!isAllowed) {
            late.quietUntil(state.now() + extras.floorNanos());
        }
        return isAllowed;
    }

    // ---- time left

    /**
     * The time for which the block's racer will go on fetching at its present rate; 0: it is through, or it is too
     * soon to tell.
     */
    static double leftNanos(BlockProgress block, DeliveryState state) {
        long bytes = block.unfetchedBytes();
        if (block.attempt().isFetched() || bytes == 0) {
            return 0;
        }
        double rate = block.attempt().rate(state.now());
        if (rate > 0) {
            return (double) bytes / rate;
        }
        if (block.attempt().isBegun()) {
            return 0; // too soon to tell
        }
        int helper = state.racers().helperOf(block.holder().racer());
        double usual = bytes / state.speeds().bytesPerNano(block.store(), helper, bytes);
        return state.speeds().firstByteNanos(block.store(), helper, bytes) + usual + leftAheadNanos(block, state);
    }

    /** Like {@link #leftNanos} for a block being fetched; where it is too soon to tell, at its usual rate. */
    static double expectedLeftNanos(BlockProgress block, DeliveryState state) {
        long bytes = block.unfetchedBytes();
        if (block.attempt().isFetched() || block.attempt().rate(state.now()) > 0) {
            return leftNanos(block, state);
        }
        int helper = state.racers().helperOf(block.holder().racer());
        return bytes / state.speeds().bytesPerNano(block.store(), helper, bytes);
    }

    /** The time for which the lane of a queued block fetches what is ahead of it. */
    private static double leftAheadNanos(BlockProgress queued, DeliveryState state) {
        BlockProgress head = state.racers().head(queued.holder().racer());
        return head == null || !head.attempt().isBegun() ? 0 : leftNanos(head, state);
    }
}
