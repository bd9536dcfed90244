package io.cloudmw.helper.fetch;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.helper.block.FetchedBlock;

/** One try at one replica, under way. */
public interface BlockAttempt {
    /**
     * Stops it now: the transfer from the store ends where it is. The listener then hears
     * {@link Listener#cancelled}, unless it has already heard how the attempt ended. Idempotent; never blocks.
     */
    void cancel();

    /** Fails it with {@code cause} if it still waits for a thread, and says whether it does. Never blocks. */
    boolean expire(CloudMwException cause);

    /** Bytes that came from the store so far, those of a leaf that is not whole included. */
    long bytesRead();

    /** It is through, and has finished, when it has the first {@code bytes} bytes of its block. Never blocks. */
    void shorten(long bytes);

    /**
     * Told what becomes of an attempt, on pool threads: that its turn came and that it began, once at most, any number of
     * {@code progressed}, then exactly one of the others. Of what was given up and comes again ({@link Reclaimer}) it is told
     * {@code progressed} after that.
     */
    interface Listener {
        /** Its turn has come, and somebody is asked now, unless this says that it is not wanted any more: then it is cancelled. */
        default boolean turnCame() {
            return true;
        }

        /**
         * The store is asked, bytes are about to come. What is available of {@code growing} may be sent as it comes; it is
         * closed with the attempt unless that finishes.
         */
        default void began(FetchedBlock growing) {}

        /** {@code bytes} are fetched so far, and verified unless that is the destination's to do. */
        void progressed(long bytes);

        /** The whole block, or what it was shortened to, is here. The listener takes it over and closes it. */
        void finished(FetchedBlock fetched);

        void failed(CloudMwException cause, long bytes);

        /** The same, for want of room here: whoever else is asked would be asked in vain. */
        default void noRoom(CloudMwException cause, long bytes) {
            failed(cause, bytes);
        }

        /** It stopped because it was told to. */
        void cancelled(long bytes);
    }
}
