package io.cloudmw.helper.compete;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.race.BlockId;
import io.cloudmw.core.race.RacerId;

/** The destination of a transfer, which hears its events. Called on the transfer's executor. */
public interface Destination {
    void attempt(AttemptReport report);

    /** A racer has lost a block to {@code winner}. */
    void lost(BlockId block, RacerId racer, RacerId winner);

    /** A racer cannot deliver a block from any replica; {@code cause} is the last failure. */
    void forfeited(BlockId block, RacerId racer, CloudMwException cause);

    /** A replica is missing or corrupt. */
    void fault(ChunkId chunk, StoreId store, ErrorCode code);

    /** The transfer has ended as the destination wished; nothing follows. */
    void ended();

    /** A doubted block was checked; {@link #fault} was called before if its replica is bad. */
    void judged(BlockId block);

    /** The transfer has failed here; nothing follows. Not called when the destination ended it. */
    void failed(CloudMwException cause);
}
