package io.cloudmw.helper.compete;

import io.cloudmw.core.race.BlockId;

/** What racers tell each other about a block. */
public record PeerMessage(Kind kind, BlockId block) {
    /** What is said. */
    public enum Kind {
        /** The sender holds the whole verified block. */
        CLAIM,
        /** The sender has cancelled its own attempt and will not deliver. */
        YIELD,
        /** The sender has run out of replicas. */
        FORFEIT
    }
}
