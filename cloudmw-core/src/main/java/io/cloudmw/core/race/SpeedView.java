package io.cloudmw.core.race;

import io.cloudmw.core.model.StoreId;

/**
 * What is known of the stores' speed when a transfer decides whom to ask and how long to wait. Filled by who measures;
 * never blocks; called on the transfer's thread.
 */
@FunctionalInterface
public interface SpeedView {
    /** Nothing is known: a transfer then learns from its own attempts alone. */
    SpeedView UNKNOWN = (store, helper, sizeBytes) -> Speed.UNKNOWN;

    /**
     * What one attempt may expect.
     *
     * @param helper rank of the helper that reads; {@link #CLIENT} when the client reads by itself
     * @param sizeBytes how much the attempt asks for
     */
    Speed expected(StoreId store, int helper, long sizeBytes);

    /** The client's own "rank". */
    int CLIENT = -1;
}
