package io.cloudmw.core.testing;

import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.race.AttemptId;
import io.cloudmw.core.race.Block;
import io.cloudmw.core.race.BlockId;
import io.cloudmw.core.race.RaceActions;
import io.cloudmw.core.race.RacerId;

/** An action of {@link RaceActions} as a value, so that a test can compare, delay and drop it. */
public sealed interface RaceCommand {
    record Start(AttemptId attempt, Block block, int replica) implements RaceCommand {}

    record Cancel(AttemptId attempt) implements RaceCommand {}

    record Shorten(AttemptId attempt, long length) implements RaceCommand {}

    record Discard(AttemptId attempt) implements RaceCommand {}

    record Claim(BlockId block, RacerId self, RacerId rival) implements RaceCommand {}

    record TellStarted(BlockId block, RacerId self, RacerId rival) implements RaceCommand {}

    record Yield(BlockId block, RacerId self, RacerId rival) implements RaceCommand {}

    record Forfeit(BlockId block, RacerId self, RacerId rival) implements RaceCommand {}

    record Deliver(BlockId block, AttemptId attempt) implements RaceCommand {}

    record ReportLost(BlockId block, RacerId self, RacerId winner) implements RaceCommand {}

    record ReportForfeited(BlockId block, RacerId self, ErrorCode code) implements RaceCommand {}
}
