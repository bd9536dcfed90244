package io.cloudmw.core.testing;

import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.race.AttemptId;
import io.cloudmw.core.race.Block;
import java.util.ArrayDeque;
import java.util.Deque;

/** A relay: a stream of leaves, each sent when the destination granted credit for it. */
final class SimulatedRelay {
    /** The faults of a relay. */
    enum Fate {
        SOUND,
        BREAKS,
        STALLS,
        CORRUPTS
    }

    final long number;
    final SimulatedRacer sender;
    final AttemptId attempt;
    final Block block;
    final Fate fate;
    /** The leaf at which the fate strikes. */
    final int fateLeaf;
    /** Leaves sent so far. */
    int sent;
    /** Leaves taken so far. */
    int taken;

    boolean accepted;
    /** Credit is given before it is accepted. */
    boolean prepared;
    /** Leaves that came before it was accepted. */
    final Deque<Long> early = new ArrayDeque<>();
    /** The part of the block to hand on. */
    ByteRange wanted;
    /** Refused, broken or finished: nothing counts any more. */
    boolean closed;

    SimulatedRelay(long number, SimulatedRacer sender, AttemptId attempt, Block block, Fate fate, int fateLeaf) {
        this.number = number;
        this.sender = sender;
        this.attempt = attempt;
        this.block = block;
        this.fate = fate;
        this.fateLeaf = fateLeaf;
        this.wanted = block.range();
    }

    void shorten(long end) {
        wanted = new ByteRange(wanted.offset(), Math.max(0, end - wanted.offset()));
    }

    /** Returns whether the next leaf to arrive is to be handed on; earlier ones have arrived otherwise. */
    boolean isNextWanted() {
        return (long) (firstLeaf() + taken) * SimulationSettings.LEAF_BYTES >= wanted.offset();
    }

    /** Returns whether every wanted leaf has arrived. */
    boolean isThrough() {
        return (long) (firstLeaf() + taken) * SimulationSettings.LEAF_BYTES >= wanted.end();
    }

    /** Returns whether all of the block has arrived. */
    boolean isAllHere() {
        return (long) (taken + early.size()) * SimulationSettings.LEAF_BYTES
                >= block.range().length();
    }

    /** The block's first leaf within its chunk. */
    int firstLeaf() {
        return (int) (block.range().offset() / SimulationSettings.LEAF_BYTES);
    }
}
