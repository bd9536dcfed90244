package io.cloudmw.core.testing;

import java.util.List;
import java.util.OptionalLong;
import java.util.function.Predicate;

/** The machine that the simulation drives at a racer: {@link RecordedRace}, or a broken one that the invariants must catch. */
public interface RacerMachine {
    List<RaceCommand> on(RaceEvent event, long nowNanos);

    OptionalLong wakeAtNanos();

    int remembered();

    /** The machine of the real race. */
    static RacerMachine of(RecordedRace race) {
        return broken(race, event -> true, command -> true);
    }

    /** The machine of the real race, without the events and commands that are filtered out. */
    static RacerMachine broken(RecordedRace race, Predicate<RaceEvent> heard, Predicate<RaceCommand> said) {
        return new RacerMachine() {
            @Override
            public List<RaceCommand> on(RaceEvent event, long nowNanos) {
                return heard.test(event)
                        ? race.on(event, nowNanos).stream().filter(said).toList()
                        : List.of();
            }

            @Override
            public OptionalLong wakeAtNanos() {
                return race.wakeAtNanos();
            }

            @Override
            public int remembered() {
                return race.remembered();
            }
        };
    }
}
