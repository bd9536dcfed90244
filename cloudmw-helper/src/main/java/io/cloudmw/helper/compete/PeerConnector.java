package io.cloudmw.helper.compete;

import io.cloudmw.core.race.RacerId;

/** Opens ways to peers. Safe for any thread; never blocks. */
@FunctionalInterface
public interface PeerConnector {
    /**
     * Opens the way to a peer and introduces this racer. A failure is told to the listener, later.
     *
     * @param peer a racer of {@code transfer}
     */
    PeerLink connect(TransferSpec transfer, RacerId peer, PeerLink.Listener listener);
}
