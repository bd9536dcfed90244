package io.cloudmw.client.rpc.link;

import io.cloudmw.client.progress.AttemptState;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.race.BlockId;
import io.cloudmw.core.race.RacerId;
import java.util.Optional;

/**
 * A listener to the events of one transfer at one helper. Called on the client's event threads, one event at a time;
 * must not block.
 */
public interface TransferEvents {
    /**
     * The progress of one attempt.
     *
     * @param number counts the racer's attempts at the block from 0
     * @param error the reason of a failure
     */
    record Report(int number, StoreId store, AttemptState state, long bytes, Optional<ErrorCode> error) {}

    void attempted(RacerId racer, BlockId block, Report report);

    /** The racer's attempt waits for room at the helper, to be started or to be relayed. Repeated while it waits. */
    void waits(RacerId racer, BlockId block);

    void lost(RacerId racer, BlockId block, RacerId winner);

    /** The racer cannot deliver the block from any replica it can reach; {@code cause} is the last failure. */
    void forfeited(RacerId racer, BlockId block, CloudMwException cause);

    void faulted(ChunkId chunk, StoreId store, ErrorCode code);

    /**
     * The helper has checked the replica of a doubted block; if the replica is bad, {@link #faulted} was called before.
     */
    void checked(BlockId block);

    /** The helper cannot be reached or has ended the transfer; nothing follows. */
    void gone(CloudMwException why);
}
