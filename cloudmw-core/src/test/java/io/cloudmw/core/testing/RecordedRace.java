package io.cloudmw.core.testing;

import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.race.AttemptId;
import io.cloudmw.core.race.Block;
import io.cloudmw.core.race.BlockId;
import io.cloudmw.core.race.Race;
import io.cloudmw.core.race.RaceActions;
import io.cloudmw.core.race.RacePolicy;
import io.cloudmw.core.race.RacerId;
import io.cloudmw.core.race.RivalNotice;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Function;

/** A {@link Race} that takes events as values and returns the actions it orders as values. */
public final class RecordedRace {
    private final List<RaceCommand> commands = new ArrayList<>();
    private final Race race;

    public RecordedRace(RacePolicy policy, Set<RacerId> local) {
        this(actions -> new Race(policy, local, actions));
    }

    public RecordedRace(Function<RaceActions, Race> race) {
        this.race = race.apply(new Recorder(commands));
    }

    /** Takes an event and returns the actions ordered, in their order. */
    public List<RaceCommand> on(RaceEvent event, long nowNanos) {
        commands.clear();
        event.tell(race, nowNanos);
        return List.copyOf(commands);
    }

    public OptionalLong wakeAtNanos() {
        return race.wakeAtNanos();
    }

    public int remembered() {
        return race.remembered();
    }

    private record Recorder(List<RaceCommand> commands) implements RaceActions {
        @Override
        public void start(AttemptId attempt, Block block, int replica) {
            commands.add(new RaceCommand.Start(attempt, block, replica));
        }

        @Override
        public void cancel(AttemptId attempt) {
            commands.add(new RaceCommand.Cancel(attempt));
        }

        @Override
        public void shorten(AttemptId attempt, long length) {
            commands.add(new RaceCommand.Shorten(attempt, length));
        }

        @Override
        public void discard(AttemptId attempt) {
            commands.add(new RaceCommand.Discard(attempt));
        }

        @Override
        public void deliver(AttemptId attempt) {
            commands.add(new RaceCommand.Deliver(attempt.block(), attempt));
        }

        @Override
        public void tell(RacerId rival, RivalNotice notice, BlockId block, RacerId self) {
            commands.add(
                    switch (notice) {
                        case CLAIM -> new RaceCommand.Claim(block, self, rival);
                        case STARTED -> new RaceCommand.TellStarted(block, self, rival);
                        case YIELD -> new RaceCommand.Yield(block, self, rival);
                        case FORFEIT -> new RaceCommand.Forfeit(block, self, rival);
                    });
        }

        @Override
        public void reportLost(BlockId block, RacerId self, RacerId winner) {
            commands.add(new RaceCommand.ReportLost(block, self, winner));
        }

        @Override
        public void reportForfeited(BlockId block, RacerId self, ErrorCode code) {
            commands.add(new RaceCommand.ReportForfeited(block, self, code));
        }
    }
}
