package io.cloudmw.core.testing.fleet;

/** The model of the stores of a simulated fleet. */
public interface StoreModel {
    /** Begins an attempt at one replica. */
    Reading open(int store);

    /** The bytes of one attempt. */
    interface Reading {
        /** Runs {@code arrived} when the next {@code bytes} bytes have arrived; not after {@link #close}. */
        void next(long bytes, Runnable arrived);

        /** The attempt is over. */
        void close();
    }
}
