package io.cloudmw.core.race;

/** The rule that says which of a block's entrants fetch it. */
public enum BlockRule {
    /** All entrants fetch the block; the first to hold all of it relays it. */
    RACE,
    /** A single entrant relays the block leaf by leaf while it fetches. The destination issues a failed block anew. */
    SOLE,
    /**
     * The block waits in the queue of each entrant. The first racer to start its copy has the block and the others drop
     * theirs; then as {@link #SOLE}. The racer of a later copy starts it only when the earlier one failed or was left
     * to it.
     */
    TIED
}
