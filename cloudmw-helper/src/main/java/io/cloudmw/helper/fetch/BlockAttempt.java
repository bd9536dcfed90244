package io.cloudmw.helper.fetch;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.helper.block.FetchedBlock;

/** A running attempt to fetch one block from one replica. */
public interface BlockAttempt {
    /**
     * Cancels the attempt; the read from the store ends at once. The listener then hears {@link Listener#cancelled},
     * unless it has heard another end. Idempotent; never blocks.
     */
    void cancel();

    /** Fails the attempt if it still waits for a thread; returns whether it did. Never blocks. */
    boolean expire(CloudMwException cause);

    /** Bytes read from the store so far, including those of an incomplete leaf. */
    long bytesRead();

    /** Shortens the attempt: it finishes with the first {@code bytes} bytes of its block. Never blocks. */
    void shorten(long bytes);

    /**
     * The listener of an attempt, called on pool threads. The listener hears {@code turnCame} and {@code began} at most
     * once, any number of {@code progressed}, then exactly one of the other methods. After that it hears
     * {@code progressed} again when a reclaimed block is fetched again ({@link Reclaimer}).
     */
    interface Listener {
        /** The attempt's turn has come. Returns false when it is not wanted any more; the attempt is cancelled then. */
        default boolean turnCame() {
            return true;
        }

        /**
         * The store was asked. Leaves of {@code growing} may be sent as they arrive. The attempt closes {@code growing}
         * unless it finishes.
         */
        default void began(FetchedBlock growing) {}

        /** The first {@code bytes} bytes are here. They are verified, unless the destination verifies them. */
        void progressed(long bytes);

        /** The block, or the part it was shortened to, is here. The listener takes it over and closes it. */
        void finished(FetchedBlock fetched);

        void failed(CloudMwException cause, long bytes);

        /** This helper has no room for the block; another source would not help. */
        default void noRoom(CloudMwException cause, long bytes) {
            failed(cause, bytes);
        }

        /** The attempt was cancelled. */
        void cancelled(long bytes);
    }
}
