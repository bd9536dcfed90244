package io.cloudmw.core.delivery;

import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.mode.IssueReason;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.race.Block;
import io.cloudmw.core.race.RacerId;

/**
 * The actions that {@link Delivery} orders. The delivery calls them in order, on the caller's thread, after it has
 * taken an event in whole; so an action may send the delivery another event.
 */
public interface DeliveryActions {
    /** Issues the block to its entrants. */
    void issue(Block block, IssueReason reason);

    /** Tells the block's entrants, as far as they can be reached, that the block is no longer wanted. */
    void withdraw(Block block);

    /** Tells the block's entrants, as far as they can be reached, that the block arrived. */
    void acknowledge(Block block);

    /**
     * Prepares a relay of a stream: it is the next after those before it, and gets the credit that they leave. None of
     * its bytes is handed on before it is accepted. Until then it may be refused or shortened, or another may come
     * before it.
     *
     * @param wanted as for {@link #accept}, as far as is known now
     */
    void prepare(long relay, Block block, ByteRange wanted);

    /**
     * Accepts the relay: leaves of the block follow in order, from its first.
     *
     * @param wanted the part of the block to hand on. Leaves before it have arrived by another relay and are dropped
     *     unseen; leaves after it are not handed on
     */
    void accept(long relay, Block block, ByteRange wanted);

    /**
     * Gives the end of the block to another racer: tells the entrants, and hands on nothing beyond {@code kept} of an
     * accepted or prepared relay.
     *
     * @param kept begins where the block does
     */
    void shorten(Block block, ByteRange kept);

    /**
     * Resets the relay, accepted or not: another racer delivers the block, the block is no longer wanted, or this relay
     * stalled or was corrupt. None of its later bytes may be handed on; events about it are ignored.
     */
    void refuse(long relay);

    /**
     * Stops waiting for a helper: closes what is open to it and tells the other helpers that it is gone.
     *
     * @param racer the first lane of the helper
     * @param code why
     */
    void abandon(RacerId racer, ErrorCode code);

    /**
     * Prepares the client's own racers and answers with {@link Delivery#localRacersReady}. Called at most once.
     *
     * @param spare how many racers to add, besides one for each replica
     */
    void raceDirectly(int spare);

    /** Ends the transfer: every planned byte was delivered exactly once. No action follows. */
    void complete();

    /** Fails the transfer: no racer could deliver any replica of this chunk. No action follows. */
    void fail(long chunkIndex, ErrorCode code);
}
