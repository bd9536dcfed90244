package io.cloudmw.core.race;

import java.util.List;
import java.util.OptionalLong;
import java.util.Set;

/** The racer's side of the competition. */
@SuppressWarnings("DoNotCallSuggester") // until it is written
public final class Race {
    /**
     * @param local the racers this instance decides for: a helper's own rank, or every rank when a client races
     *     in-process. Claims between local racers are settled inside and give no commands
     */
    public Race(RacePolicy policy, Set<RacerId> local) {
        throw new UnsupportedOperationException();
    }

    /** Takes one event and says what to do. Events about blocks or attempts that are over are ignored. */
    public List<RaceCommand> on(RaceEvent event, long nowNanos) {
        throw new UnsupportedOperationException();
    }

    /** When {@link RaceEvent.TimePassed} should next be sent, on the same clock; empty: not needed. */
    public OptionalLong wakeAtNanos() {
        throw new UnsupportedOperationException();
    }
}
