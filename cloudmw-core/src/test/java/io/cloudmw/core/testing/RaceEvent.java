package io.cloudmw.core.testing;

import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.race.AttemptId;
import io.cloudmw.core.race.Block;
import io.cloudmw.core.race.BlockId;
import io.cloudmw.core.race.Race;
import io.cloudmw.core.race.RacerId;
import io.cloudmw.core.race.RivalNotice;

/** An event of a {@link Race} as a value, so that a test can delay, drop and inspect it. */
public sealed interface RaceEvent {
    /** Calls the race's method for this event. */
    void tell(Race race, long nowNanos);

    record Issued(Block block) implements RaceEvent {
        @Override
        public void tell(Race race, long nowNanos) {
            race.issued(block, nowNanos);
        }
    }

    record Withdrawn(BlockId block) implements RaceEvent {
        @Override
        public void tell(Race race, long nowNanos) {
            race.withdrawn(block, nowNanos);
        }
    }

    record Shortened(BlockId block, long length) implements RaceEvent {
        @Override
        public void tell(Race race, long nowNanos) {
            race.shortened(block, length, nowNanos);
        }
    }

    record Delivered(BlockId block) implements RaceEvent {
        @Override
        public void tell(Race race, long nowNanos) {
            race.delivered(block, nowNanos);
        }
    }

    record Finished(AttemptId attempt) implements RaceEvent {
        @Override
        public void tell(Race race, long nowNanos) {
            race.finished(attempt, nowNanos);
        }
    }

    record Failed(AttemptId attempt, ErrorCode code) implements RaceEvent {
        @Override
        public void tell(Race race, long nowNanos) {
            race.failed(attempt, code, nowNanos);
        }
    }

    record Cancelled(AttemptId attempt) implements RaceEvent {
        @Override
        public void tell(Race race, long nowNanos) {
            race.cancelled(attempt, nowNanos);
        }
    }

    record RivalClaimed(RacerId rival, BlockId block) implements RaceEvent {
        @Override
        public void tell(Race race, long nowNanos) {
            race.rivalSaid(rival, RivalNotice.CLAIM, block, nowNanos);
        }
    }

    record RivalStarted(RacerId rival, BlockId block) implements RaceEvent {
        @Override
        public void tell(Race race, long nowNanos) {
            race.rivalSaid(rival, RivalNotice.STARTED, block, nowNanos);
        }
    }

    record RivalYielded(RacerId rival, BlockId block) implements RaceEvent {
        @Override
        public void tell(Race race, long nowNanos) {
            race.rivalSaid(rival, RivalNotice.YIELD, block, nowNanos);
        }
    }

    record RivalForfeited(RacerId rival, BlockId block) implements RaceEvent {
        @Override
        public void tell(Race race, long nowNanos) {
            race.rivalSaid(rival, RivalNotice.FORFEIT, block, nowNanos);
        }
    }

    record RivalGone(RacerId rival) implements RaceEvent {
        @Override
        public void tell(Race race, long nowNanos) {
            race.rivalGone(rival, nowNanos);
        }
    }

    record TimePassed() implements RaceEvent {
        @Override
        public void tell(Race race, long nowNanos) {
            race.timePassed(nowNanos);
        }
    }
}
