package io.cloudmw.core.hedge;

import io.cloudmw.core.model.StoreId;

/**
 * The source of the stores' usual speeds, read when a transfer chooses a replica and decides how long to wait.
 * Implementations never block; they are called on the transfer's thread.
 */
@FunctionalInterface
public interface SpeedEstimates {
    /** No speed is known: a transfer then learns from its own attempts alone. */
    SpeedEstimates UNKNOWN = (store, helper, sizeBytes) -> SpeedEstimate.UNKNOWN;

    /** The rank that stands for the client where a helper's is expected. */
    int CLIENT = -1;

    /**
     * The speed one attempt may expect.
     *
     * @param helper rank of the helper that reads; {@link #CLIENT} when the client reads by itself
     * @param sizeBytes how much the attempt asks for
     */
    SpeedEstimate expected(StoreId store, int helper, long sizeBytes);

    /**
     * The speed that this reader itself has measured so far; unknown where it has not.
     *
     * @param helper as for {@link #expected}
     * @param sizeBytes as for {@link #expected}
     */
    default SpeedEstimate measured(StoreId store, int helper, long sizeBytes) {
        return expected(store, helper, sizeBytes);
    }
}
