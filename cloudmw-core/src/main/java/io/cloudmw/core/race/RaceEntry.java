package io.cloudmw.core.race;

import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.RetryVerdict;
import org.jspecify.annotations.Nullable;

/** One local racer's part in one block's race. */
final class RaceEntry {
    enum State {
        /** Has an attempt to start. */
        WAITING,
        /** Would start its copy of a tied block, and has asked whoever comes first to leave it the block. */
        ASKING,
        /** An attempt is under way. */
        RACING,
        /** Holds the block and has claimed it. */
        HOLDING,
        /** Holds the block and relays it. */
        WON,
        /** Left the block to another. */
        LOST,
        /** Ran out of replicas. */
        FORFEITED
    }

    private static final int TRIES_AT_ONE_REPLICA = 2;

    final RacerId racer;
    final Block block;
    State state = State.WAITING;
    /** Whom it lost to; null unless LOST. */
    @Nullable
    RacerId winner;
    /** When it claimed the block; meaningless unless it {@link #claims}. */
    long claimedAtNanos;

    private final int[] tries;
    private int replica;
    private int started;

    RaceEntry(Entrant entrant, Block block) {
        this.racer = entrant.racer();
        this.block = block;
        this.replica = entrant.replica();
        this.tries = new int[block.replicas()];
    }

    /** Starts the next attempt. */
    RaceCommand start() {
        state = State.RACING;
        tries[replica]++;
        started++;
        return new RaceCommand.Start(attempt(), block, replica);
    }

    /** The latest attempt. */
    AttemptId attempt() {
        return new AttemptId(block.id(), racer, started - 1);
    }

    boolean isRacing(AttemptId attempt) {
        return state == State.RACING && attempt.equals(attempt());
    }

    /** Whether it is tied and another racer comes first. */
    boolean isSecondCopy() {
        return block.rule() == BlockRule.TIED
                && !block.entrants().get(0).racer().equals(racer);
    }

    /** Whether it waits for answers to its claim. */
    boolean claims() {
        return state == State.HOLDING || state == State.ASKING;
    }

    /** Whether it keeps a whole block's bytes. */
    boolean holds() {
        return state == State.HOLDING || state == State.WON;
    }

    /** After a failure: waits for its next try, or forfeits when no replica is left to try. */
    void failed(ErrorCode code) {
        if (block.isCutThrough()) {
            state = State.FORFEITED; // the destination has its first leaves, and chooses who brings the rest
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

    /** Leaves the block to {@code other}; gives what has to be dropped for it, if anything. */
    @Nullable
    RaceCommand lose(RacerId other) {
        RaceCommand drop = drop();
        state = State.LOST;
        winner = other;
        return drop;
    }

    /** What ends whatever this run still has; null when that is nothing. */
    @Nullable
    RaceCommand drop() {
        if (state == State.RACING) {
            return new RaceCommand.Cancel(attempt());
        }
        return holds() ? new RaceCommand.Discard(attempt()) : null;
    }
}
