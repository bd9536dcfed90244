package io.cloudmw.core.race;

import io.cloudmw.core.error.ErrorCode;

/**
 * The actions that {@link Race} orders. The race calls them in order, on the caller's thread, after it has taken an
 * event in whole; so an action may send the race another event.
 */
public interface RaceActions {
    /** Starts fetching the block from its {@code replica}-th replica. */
    void start(AttemptId attempt, Block block, int replica);

    /** Stops the attempt, drops what it fetched and answers with {@link Race#cancelled}. */
    void cancel(AttemptId attempt);

    /** Ends the attempt as finished when it has the block's first {@code length} bytes, or has more already. */
    void shorten(AttemptId attempt, long length);

    /** Drops what the finished attempt holds: another racer won, or the destination has the block. */
    void discard(AttemptId attempt);

    /**
     * Relays the attempt to the destination.
     *
     * <p>The attempt of a raced block has won and holds all of it. The attempt of a cut-through block has just started.
     * Its relay is offered when the first leaf is verified, sends leaf by leaf, and ends when the attempt fails. Bytes
     * that were not relayed are kept until the attempt is discarded or cancelled.
     */
    void deliver(AttemptId attempt);

    /** Sends {@code rival} a notice about the block from the local racer {@code self}. */
    void tell(RacerId rival, RivalNotice notice, BlockId block, RacerId self);

    /** Tells the destination that, as far as {@code self} knows, {@code winner} has won the block. */
    void reportLost(BlockId block, RacerId self, RacerId winner);

    /**
     * Tells the destination that {@code self} has run out of replicas for the block.
     *
     * @param code of the last failure
     */
    void reportForfeited(BlockId block, RacerId self, ErrorCode code);
}
