package io.cloudmw.client.read.racer;

import io.cloudmw.client.progress.Attempt;
import io.cloudmw.client.read.relay.RelayReceiver;
import io.cloudmw.client.read.relay.RelaySource;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.race.BlockId;
import io.cloudmw.core.race.RacerId;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * A listener to the racers of one get, helpers and local ones. Called on the transfer's executor, except where a
 * method says otherwise.
 */
public interface RacerEvents {
    void attempted(RacerId racer, BlockId block, Attempt attempt);

    void waits(RacerId racer, BlockId block);

    /** The block is not issued to its helper yet, or is issued now. */
    void postponed(BlockId block, boolean postponed);

    void lost(RacerId racer, BlockId block, RacerId winner);

    void forfeited(RacerId racer, BlockId block, ErrorCode code);

    void faulted(ChunkId chunk, StoreId store, ErrorCode code);

    /**
     * A helper has checked the replica of a doubted block; if the replica is bad, {@link #faulted} was called before.
     */
    void checked(BlockId block);

    void gone(RacerId racer, CloudMwException why);

    /**
     * The local racers are ready.
     *
     * @param unreadable stores that they cannot read, each with the reason
     */
    void localRacersReady(List<RacerId> ranks, Map<StoreId, CloudMwException> unreadable);

    /** A helper was overloaded and should have room after this time. */
    void roomAfter(Duration pause);

    /** An in-process attempt failed; the reason may end up in the read's error message. */
    void localFailed(CloudMwException why);

    /** Offers a block; data flows through the relay returned. Any thread. */
    RelayReceiver offer(RacerId racer, BlockId block, StoreId store, RelaySource source);

    /** The index of the block's chunk; -1 when it is forgotten. */
    long chunkOf(BlockId block);
}
