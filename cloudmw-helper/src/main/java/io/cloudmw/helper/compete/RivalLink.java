package io.cloudmw.helper.compete;

import io.cloudmw.core.error.CloudMwException;

/** The link to one rival of one transfer. Used by one thread at a time. */
public interface RivalLink {
    /** Sends in order; never blocks. A message to a broken link is dropped, and the listener hears of the end. */
    void send(RivalMessage message);

    /** Closes the link in order. Idempotent. */
    void close();

    /** The receiver of the rival's messages, called in order, on any thread. */
    interface Listener {
        /** A message came. The listener runs {@code handled} when it has handled it, which requests the next one. */
        void received(RivalMessage message, Runnable handled);

        /** The link has ended. Called at most once. */
        void ended(CloudMwException cause);
    }
}
