package io.cloudmw.core.hedge;

import io.cloudmw.core.model.StoreId;

/**
 * What is known of the stores' speed when a transfer decides whom to ask and how long to wait. Filled by who measures;
 * never blocks; called on the transfer's thread.
 */
@FunctionalInterface
public interface SpeedEstimates {
    /** Nothing is known: a transfer then learns from its own attempts alone. */
    SpeedEstimates UNKNOWN = (store, helper, sizeBytes) -> SpeedEstimate.UNKNOWN;

    /**
     * What one attempt may expect.
     *
     * @param helper rank of the helper that reads; {@link #CLIENT} when the client reads by itself
     * @param sizeBytes how much the attempt asks for
     */
    SpeedEstimate expected(StoreId store, int helper, long sizeBytes);

    /** The client's own "rank". */
    int CLIENT = -1;
}
