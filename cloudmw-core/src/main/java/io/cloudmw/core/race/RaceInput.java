package io.cloudmw.core.race;

import io.cloudmw.core.error.ErrorCode;

/** The events of {@link RaceEvent} as calls: what Java 17 has instead of an exhaustive switch. */
interface RaceInput {
    void issued(Block block);

    void over(BlockId block);

    void shortened(BlockId block, long length);

    void progressed(AttemptId attempt, long bytes);

    void finished(AttemptId attempt);

    void failed(AttemptId attempt, ErrorCode code);

    void cancelled(AttemptId attempt);

    void peerClaimed(RacerId peer, BlockId block);

    void peerStarted(RacerId peer, BlockId block);

    void peerOut(RacerId peer, BlockId block);

    void peerGone(RacerId peer);

    void timePassed();
}
