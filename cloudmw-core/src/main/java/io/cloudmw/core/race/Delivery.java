package io.cloudmw.core.race;

import java.util.List;
import java.util.OptionalLong;
import java.util.Set;

/** The destination's side of the competition. */
@SuppressWarnings("DoNotCallSuggester") // until it is written
public final class Delivery {
    /** @param racers the helpers that can be reached; may be empty */
    public Delivery(DeliveryPolicy policy, Set<RacerId> racers) {
        throw new UnsupportedOperationException();
    }

    /** Takes one event and says what to do. Events about what is over are ignored. */
    public List<DeliveryCommand> on(DeliveryEvent event, long nowNanos) {
        throw new UnsupportedOperationException();
    }

    /** Whether more chunks should be planned now (back-pressure for the reader of the manifest). */
    public boolean wantsPlan() {
        throw new UnsupportedOperationException();
    }

    /** When {@link DeliveryEvent.TimePassed} should next be sent; empty: not needed. */
    public OptionalLong wakeAtNanos() {
        throw new UnsupportedOperationException();
    }
}
