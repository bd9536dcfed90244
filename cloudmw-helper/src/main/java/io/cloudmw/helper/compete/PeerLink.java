package io.cloudmw.helper.compete;

import io.cloudmw.core.error.CloudMwException;

/** The way to one peer of one transfer. Used by one thread at a time. */
public interface PeerLink {
    /** Sends in order; never blocks. What cannot be sent any more is dropped: the listener hears of the end. */
    void send(PeerMessage message);

    /** Says goodbye. Idempotent. */
    void close();

    /** Told what comes from the peer, in order, on any thread. */
    interface Listener {
        /** {@code handled} must be run when the message was dealt with: it lets the next one come. */
        void received(PeerMessage message, Runnable handled);

        /** Nothing more comes or goes. Called at most once. */
        void ended(CloudMwException cause);
    }
}
