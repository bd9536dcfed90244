package io.cloudmw.helper.compete;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.ChunkId;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.race.BlockId;
import io.cloudmw.core.race.RacerId;

/** Who asked, as the transfer sees it. Called on the transfer's executor. */
public interface Destination {
    void attempt(AttemptReport report);

    /** {@code winner} has won the block in this racer's eyes. */
    void lost(BlockId block, RacerId racer, RacerId winner);

    /** This racer cannot deliver the block from any replica; {@code cause} is the last failure. */
    void forfeited(BlockId block, RacerId racer, CloudMwException cause);

    /** A replica is missing or corrupt. */
    void fault(ChunkId chunk, StoreId store, ErrorCode code);

    /** Everything was said, as the destination has wished; nothing follows. */
    void ended();

    /** Answers the destination's doubt of a block; if its replica is bad, {@link #fault} was called before. */
    void judged(BlockId block);

    /** The transfer cannot go on here; nothing follows. Not called when the destination itself ended it. */
    void failed(CloudMwException cause);
}
