package io.cloudmw.helper.compete;

import io.cloudmw.core.race.BlockId;
import io.cloudmw.core.race.RacerId;

/** What a racer tells the other helpers about a block. */
public record PeerMessage(Kind kind, BlockId block, RacerId racer) {
    /** What is said. */
    public enum Kind {
        /** The sender holds the whole verified block. */
        CLAIM,
        /** The sender has started a tied block. */
        STARTED,
        /** The sender has cancelled its own attempt and will not deliver. */
        YIELD,
        /** The sender has run out of replicas. */
        FORFEIT
    }
}
