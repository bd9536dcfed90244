package io.cloudmw.core.delivery;

import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.mode.IssueReason;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.race.Block;
import io.cloudmw.core.race.RacerId;

/** What the destination must do; in the order given. */
public sealed interface DeliveryCommand {
    /** Issue the block to its entrants. */
    record Issue(Block block, IssueReason reason) implements DeliveryCommand {}

    /** Tell the block's entrants (those that can still be reached) that it is no longer wanted. */
    record Withdraw(Block block) implements DeliveryCommand {}

    /** Tell the block's entrants (those that can still be reached) that it arrived. */
    record Acknowledge(Block block) implements DeliveryCommand {}

    /**
     * The relay is the next of a stream after those before it: what they leave of the credit is for it. Nothing of it is handed
     * on before it is accepted; until then it may still be refused, shortened, or another may come before it.
     *
     * @param wanted as of {@link Accept}, as far as is known now
     */
    record Prepare(long relay, Block block, ByteRange wanted) implements DeliveryCommand {}

    /**
     * Take the relay: leaves of the block follow in order, from its first.
     *
     * @param wanted the part of the block to hand on; leaves before it, which have arrived by another way meanwhile, are
     *     dropped unseen, and nothing after it is
     */
    record Accept(long relay, Block block, ByteRange wanted) implements DeliveryCommand {}

    /**
     * The end of the block is another's now. Tell the entrants, and hand on nothing beyond {@code kept} of its relay, if
     * that was accepted or prepared.
     *
     * @param kept begins where the block does
     */
    record Shorten(Block block, ByteRange kept) implements DeliveryCommand {}

    /**
     * Reset the relay, accepted or not: the block is being delivered by another, is no longer wanted, or this relay
     * stalled or was corrupt. Nothing it sends after this may be handed on; events about it are ignored.
     */
    record Refuse(long relay) implements DeliveryCommand {}

    /**
     * Stop waiting for this helper: close what is open to it and tell the other helpers it is gone.
     *
     * @param racer the first lane of the helper
     * @param code why
     */
    record Abandon(RacerId racer, ErrorCode code) implements DeliveryCommand {}

    /**
     * Make the client's own racers ready, then say {@link DeliveryEvent.LocalRacersReady}. Given at most once.
     *
     * @param spare how many there should be for extras, besides one for each replica
     */
    record RaceLocally(int spare) implements DeliveryCommand {}

    /** Every planned byte was delivered exactly once. Nothing follows. */
    record Complete() implements DeliveryCommand {}

    /** The transfer cannot end: no replica of this chunk could be delivered by anyone. Nothing follows. */
    record Fail(long chunkIndex, ErrorCode code) implements DeliveryCommand {}
}
