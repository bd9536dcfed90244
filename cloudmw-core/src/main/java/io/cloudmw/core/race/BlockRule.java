package io.cloudmw.core.race;

/** What the entrants of a block are to each other. */
public enum BlockRule {
    /** They race: all fetch, the first to hold the whole block has it, and relays what it holds. */
    RACE,
    /** There is one. It relays leaf by leaf while it fetches; what fails is the destination's to issue anew. */
    SOLE,
    /**
     * The block waits in the queue of each. The first copy to start has it, the others are dropped; then as {@link #SOLE}.
     * Who has a later copy starts it only when the earlier one has failed, or was left to it.
     */
    TIED
}
