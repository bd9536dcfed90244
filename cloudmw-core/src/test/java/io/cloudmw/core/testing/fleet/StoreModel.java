package io.cloudmw.core.testing.fleet;

/** How the stores of a simulated fleet behave. */
public interface StoreModel {
    /** One attempt at one replica begins. */
    Reading open(int store);

    /** One attempt's bytes. */
    interface Reading {
        /** Has {@code arrived} run when the next {@code bytes} bytes are there; not after {@link #close}. */
        void next(long bytes, Runnable arrived);

        /** The attempt is over. */
        void close();
    }
}
