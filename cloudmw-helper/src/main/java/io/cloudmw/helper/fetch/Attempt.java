package io.cloudmw.helper.fetch;

import io.cloudmw.core.error.CloudMwException;

/** One try at one replica, under way. */
public interface Attempt {
    /**
     * Stops it now: the transfer from the store ends where it is. The listener then hears
     * {@link Listener#cancelled}, unless it has already heard how the attempt ended. Idempotent; never blocks.
     */
    void cancel();

    /**
     * Told what becomes of an attempt, on pool threads: any number of {@code progressed}, then exactly one of the
     * others.
     */
    interface Listener {
        /** {@code bytes} are fetched and verified so far. */
        void progressed(long bytes);

        /** The whole block is here. The listener takes it over and closes it. */
        void finished(FetchedBlock fetched);

        void failed(CloudMwException cause, long bytes);

        /** It stopped because it was told to. */
        void cancelled(long bytes);
    }
}
