package io.cloudmw.core.race;

import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.RetryVerdict;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The entry of one local racer in the race for one block: its state and its attempts so far. */
final class RaceEntry {
    private enum State {
        /** Has an attempt to start. */
        WAITING,
        /** Has a second copy of a tied block, and has asked the racer of the first copy to leave it the block. */
        ASKING,
        /** An attempt is under way. */
        RACING,
        /** Holds the block and has claimed it. */
        HOLDING,
        /** Holds the block and relays it. */
        WON,
        /** Left the block to another racer. */
        LOST,
        /** Ran out of replicas. */
        FORFEITED
    }

    private static final int TRIES_AT_ONE_REPLICA = 2;

    private final RacerId racer;
    private final Block block;
    private final int[] tries;
    private State state = State.WAITING;
    /** Null unless the state is LOST. */
    private @Nullable RacerId winner;
    /** Meaningful while {@link #claims}. */
    private long claimedAtNanos;

    private int replica;
    private int started;

    RaceEntry(Entrant entrant, Block block) {
        this.racer = entrant.racer();
        this.block = block;
        this.replica = entrant.replica();
        this.tries = new int[block.replicas()];
    }

    RacerId racer() {
        return racer;
    }

    Block block() {
        return block;
    }

    /** The replica that the next attempt reads, or the current one. */
    int replica() {
        return replica;
    }

    /** The racer this entry lost to; null: it has not lost. */
    @Nullable
    RacerId winner() {
        return winner;
    }

    long claimedAtNanos() {
        return claimedAtNanos;
    }

    /** The latest attempt. */
    AttemptId attempt() {
        return new AttemptId(block.id(), racer, started - 1);
    }

    // ---- states

    boolean isWaiting() {
        return state == State.WAITING;
    }

    boolean isAsking() {
        return state == State.ASKING;
    }

    boolean isRacing() {
        return state == State.RACING;
    }

    boolean isRacing(AttemptId attempt) {
        return isRacing() && attempt.equals(attempt());
    }

    boolean isForfeited() {
        return state == State.FORFEITED;
    }

    boolean hasWon() {
        return state == State.WON;
    }

    /** Returns whether the entry waits for answers to its claim. */
    boolean claims() {
        return state == State.HOLDING || state == State.ASKING;
    }

    /** Returns whether the entry keeps a whole block's bytes. */
    boolean holds() {
        return state == State.HOLDING || state == State.WON;
    }

    /** Returns whether an attempt is under way or has brought the block. */
    boolean isBegun() {
        return isRacing() || holds();
    }

    /** Returns whether the block is tied and another racer has its first copy. */
    boolean isSecondCopy() {
        return block.rule() == BlockRule.TIED
                && !block.entrants().get(0).racer().equals(racer);
    }

    // ---- moves

    /** Begins the next attempt. */
    void start() {
        state = State.RACING;
        tries[replica]++;
        started++;
    }

    /** Claims a tied block before starting it. */
    void ask(long nowNanos) {
        state = State.ASKING;
        claimedAtNanos = nowNanos;
    }

    /** The attempt has the whole block, which the entry now claims. */
    void hold(long nowNanos) {
        state = State.HOLDING;
        claimedAtNanos = nowNanos;
    }

    /** Ends the claim in this entry's favour: a held block is won, a tied one may be started. */
    void settle() {
        state = state == State.ASKING ? State.WAITING : State.WON;
    }

    /** The attempt at a cut-through block is complete: no racer contests it. */
    void win() {
        state = State.WON;
    }

    /** Chooses the replica of the next attempt after a failure, or forfeits when none is left. */
    void fail(ErrorCode code) {
        if (block.isCutThrough()) {
            state = State.FORFEITED; // the destination has its first leaves, and chooses the racer for the rest
            return;
        }
        state = State.WAITING;
        if (code.verdict() == RetryVerdict.SAME_REPLICA && tries[replica] < TRIES_AT_ONE_REPLICA) {
            return;
        }
        for (int step = 1; step < tries.length; step++) {
            int next = (replica + step) % tries.length;
            if (tries[next] == 0 && !block.barred().contains(next)) {
                replica = next;
                return;
            }
        }
        state = State.FORFEITED;
    }

    /** Leaves the block to {@code other} and gives the order to drop what this entry has; null: it has nothing. */
    @Nullable
    Consumer<RaceActions> lose(RacerId other) {
        Consumer<RaceActions> drop = drop();
        state = State.LOST;
        winner = other;
        return drop;
    }

    /** The order to drop what this entry has; null: it has nothing. */
    @Nullable
    Consumer<RaceActions> drop() {
        if (!isBegun()) {
            return null;
        }
        AttemptId attempt = attempt();
        return isRacing() ? actions -> actions.cancel(attempt) : actions -> actions.discard(attempt);
    }
}
