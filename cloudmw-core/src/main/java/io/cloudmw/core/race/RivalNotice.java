package io.cloudmw.core.race;

/** A message about one block from one racer to a rival: another racer that was issued the same block. */
public enum RivalNotice {
    /** The sender holds the whole block. For a tied block: the sender is idle and starts it unless the rival has. */
    CLAIM,
    /** The sender has started this tied block, so the block is the sender's. */
    STARTED,
    /** The answer to a claim: the sender will neither deliver nor start the block. */
    YIELD,
    /** The sender has run out of replicas for the block. */
    FORFEIT
}
