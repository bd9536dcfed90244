package io.cloudmw.helper.compete;

import io.cloudmw.core.race.RacerId;

/** The opener of links to rivals. Safe for any thread; never blocks. */
@FunctionalInterface
public interface RivalConnector {
    /**
     * Opens the link to a rival and introduces this helper. The listener hears of a failure later.
     *
     * @param rival a helper of {@code transfer}
     */
    RivalLink connect(TransferSpec transfer, RacerId rival, RivalLink.Listener listener);
}
