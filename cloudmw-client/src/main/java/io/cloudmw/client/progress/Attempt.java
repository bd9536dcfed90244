package io.cloudmw.client.progress;

import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.StoreId;
import java.util.Optional;

/**
 * An attempt of one racer at one block, as last reported.
 *
 * @param chunkIndex position of the chunk in the file
 * @param block number of the race within the transfer (the paper's round)
 * @param racer name of the helper; {@value #LOCAL} for an in-process racer of the client
 * @param number counts the racer's attempts at the block from 0
 * @param bytes fetched by this attempt so far
 * @param error the reason of a failure
 * @param kept whether the racer is a switch that had the whole block cached: no store was read
 */
public record Attempt(
        long chunkIndex,
        int block,
        String racer,
        StoreId store,
        int number,
        AttemptState state,
        long bytes,
        Optional<ErrorCode> error,
        boolean kept) {
    /** The name of the client's in-process racers. */
    public static final String LOCAL = "local";

    /** An attempt that reads its store. */
    public Attempt(
            long chunkIndex,
            int block,
            String racer,
            StoreId store,
            int number,
            AttemptState state,
            long bytes,
            Optional<ErrorCode> error) {
        this(chunkIndex, block, racer, store, number, state, bytes, error, false);
    }
}
