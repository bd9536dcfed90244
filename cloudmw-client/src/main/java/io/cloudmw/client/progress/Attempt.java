package io.cloudmw.client.progress;

import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.StoreId;
import java.util.Optional;

/**
 * One try of one racer at one block, as last heard of.
 *
 * @param chunkIndex position of the chunk in the file
 * @param block number of the race within the transfer (the paper's round)
 * @param racer name of the helper; {@value #LOCAL} when the client raced by itself
 * @param number counts the racer's attempts at the block from 0
 * @param bytes fetched by this attempt so far
 * @param error why it failed
 * @param kept whether the racer is a switch that had all of it already: the store was asked for nothing
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
    /** The racer's name when no helper did it. */
    public static final String LOCAL = "local";

    /** One whose store is asked. */
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
