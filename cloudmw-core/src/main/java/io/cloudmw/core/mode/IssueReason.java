package io.cloudmw.core.mode;

/** The reason for issuing a block. A block that is not needed to get the bytes once is an extra. */
public enum IssueReason {
    /** The block is next in the plan. */
    PLANNED(false),
    /** An earlier block for the same range failed. */
    RETRY(false),
    /** A second attempt at another store, because the first is late. */
    HEDGE(true),
    /** A hedge in a transfer of many blocks: the rest of a block whose attempt fell behind the others. */
    HAND_OVER(true),
    /** The end of a block under way, for an idle racer. */
    STEAL(true),
    /**
     * A second attempt at a block under way, for an idle racer that has nothing to steal. Also an occasional attempt
     * at a slow store, to see whether it has recovered.
     */
    DUPLICATE(true);

    private final boolean extra;

    IssueReason(boolean extra) {
        this.extra = extra;
    }

    /**
     * Returns whether the redundancy budget must allow it. Such attempts should use connections that are open already.
     */
    public boolean isExtra() {
        return extra;
    }
}
