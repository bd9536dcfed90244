package io.cloudmw.core.race;

import io.cloudmw.core.error.ErrorCode;

/** What can happen at a racer. */
public sealed interface RaceEvent {
    /** Hands the event to {@link Race}'s inside; nobody else calls this. */
    void tell(RaceInput input);

    /** The destination wants this block. Blocks are issued to a racer in the order of their ids. */
    record Issued(Block block) implements RaceEvent {
        @Override
        public void tell(RaceInput input) {
            input.issued(block);
        }
    }

    /** The destination no longer wants this block. */
    record Withdrawn(BlockId block) implements RaceEvent {
        @Override
        public void tell(RaceInput input) {
            input.over(block);
        }
    }

    /** The destination wants only the first {@code length} bytes of this block. */
    record Shortened(BlockId block, long length) implements RaceEvent {
        @Override
        public void tell(RaceInput input) {
            input.shortened(block, length);
        }
    }

    /** The destination has this block whole and verified. */
    record Delivered(BlockId block) implements RaceEvent {
        @Override
        public void tell(RaceInput input) {
            input.over(block);
        }
    }

    /** An own attempt has fetched {@code bytes} so far. */
    record Progressed(AttemptId attempt, long bytes) implements RaceEvent {
        @Override
        public void tell(RaceInput input) {
            input.progressed(attempt, bytes);
        }
    }

    /** An own attempt holds the whole block, verified. */
    record Finished(AttemptId attempt) implements RaceEvent {
        @Override
        public void tell(RaceInput input) {
            input.finished(attempt);
        }
    }

    /** An own attempt failed. */
    record Failed(AttemptId attempt, ErrorCode code) implements RaceEvent {
        @Override
        public void tell(RaceInput input) {
            input.failed(attempt, code);
        }
    }

    /** An own attempt has stopped because it was told to. */
    record Cancelled(AttemptId attempt, long bytes) implements RaceEvent {
        @Override
        public void tell(RaceInput input) {
            input.cancelled(attempt);
        }
    }

    /** A peer's completion notice: it holds the whole block. Of a tied one: it would start it now. */
    record PeerClaimed(RacerId peer, BlockId block) implements RaceEvent {
        @Override
        public void tell(RaceInput input) {
            input.peerClaimed(peer, block);
        }
    }

    /** A peer has started a tied block: it is the peer's now. */
    record PeerStarted(RacerId peer, BlockId block) implements RaceEvent {
        @Override
        public void tell(RaceInput input) {
            input.peerStarted(peer, block);
        }
    }

    /** A peer answered this racer's claim: it will not deliver the block, nor start it. */
    record PeerYielded(RacerId peer, BlockId block) implements RaceEvent {
        @Override
        public void tell(RaceInput input) {
            input.peerOut(peer, block);
        }
    }

    /** A peer has run out of replicas for the block. */
    record PeerForfeited(RacerId peer, BlockId block) implements RaceEvent {
        @Override
        public void tell(RaceInput input) {
            input.peerOut(peer, block);
        }
    }

    /** A peer can no longer be heard: it counts as having yielded everything, for good. */
    record PeerGone(RacerId peer) implements RaceEvent {
        @Override
        public void tell(RaceInput input) {
            input.peerGone(peer);
        }
    }

    /** Nothing but the passing of time. */
    record TimePassed() implements RaceEvent {
        @Override
        public void tell(RaceInput input) {
            input.timePassed();
        }
    }
}
