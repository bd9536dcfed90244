package io.cloudmw.core.race;

import io.cloudmw.core.error.ErrorCode;

/** What a racer must do; in the order given. */
public sealed interface RaceCommand {
    /** Start fetching the block from its {@code replica}-th replica. */
    record Start(AttemptId attempt, Block block, int replica) implements RaceCommand {}

    /** Stop this attempt now and drop what it fetched; answer with {@code Cancelled}. */
    record Cancel(AttemptId attempt) implements RaceCommand {}

    /** End this attempt as finished when it has the block's first {@code length} bytes, or has more already. */
    record Shorten(AttemptId attempt, long length) implements RaceCommand {}

    /** Drop what this finished attempt holds: another racer won, or the destination has the block. */
    record Discard(AttemptId attempt) implements RaceCommand {}

    /**
     * Tell {@code peer} that {@code self} holds the whole block. Of a tied one, which nobody holds: that {@code self} has
     * nothing else to do, and starts it if {@code peer} leaves it.
     */
    record Claim(BlockId block, RacerId self, RacerId peer) implements RaceCommand {}

    /** Tell {@code peer} that {@code self} has started this tied block. */
    record TellStarted(BlockId block, RacerId self, RacerId peer) implements RaceCommand {}

    /** Answer {@code peer}'s claim: {@code self} will not deliver the block, nor start it. */
    record Yield(BlockId block, RacerId self, RacerId peer) implements RaceCommand {}

    /** Tell {@code peer} that {@code self} has run out of replicas. */
    record Forfeit(BlockId block, RacerId self, RacerId peer) implements RaceCommand {}

    /**
     * Relay the attempt to the destination: what it holds, because it won, or, of a block that is cut through and just
     * started, what it fetches, leaf by leaf, offered when the first leaf is verified. What was not relayed is kept until
     * the attempt is discarded or cancelled. When a cut-through attempt fails its relay ends with it.
     */
    record Deliver(BlockId block, AttemptId attempt) implements RaceCommand {}

    /** Tell the destination that {@code winner} has won the block, in {@code self}'s eyes. */
    record ReportLost(BlockId block, RacerId self, RacerId winner) implements RaceCommand {}

    /** Tell the destination that {@code self} has run out of replicas; {@code code} is the last failure. */
    record ReportForfeited(BlockId block, RacerId self, ErrorCode code) implements RaceCommand {}
}
