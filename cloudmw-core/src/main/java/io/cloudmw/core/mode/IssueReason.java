package io.cloudmw.core.mode;

/** Why a block is issued. Whatever is not needed to get the bytes once is an extra, and the governor's to allow. */
public enum IssueReason {
    /** The plan's turn. */
    PLANNED(false),
    /** What was issued before failed. */
    RETRY(false),
    /** A second attempt at another store, because the first has not come as far as it should. */
    HEDGE(true),
    /** As a hedge, in a transfer of many blocks: the rest of a block, because its attempt fell behind its peers. */
    HAND_OVER(true),
    /** The second part of a block under way, for a racer that has nothing else to do. */
    STEAL(true),
    /**
     * A second attempt at what is under way, for a racer that has nothing else to do and nothing to steal; or, now and then,
     * at a slow store, to see whether it still is.
     */
    DUPLICATE(true);

    private final boolean extra;

    IssueReason(boolean extra) {
        this.extra = extra;
    }

    /** Whether it needs the governor's consent; such attempts should use connections that are open already. */
    public boolean isExtra() {
        return extra;
    }
}
