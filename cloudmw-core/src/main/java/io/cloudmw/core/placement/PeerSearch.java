package io.cloudmw.core.placement;

import io.cloudmw.core.model.PeerId;
import io.cloudmw.core.model.fleet.Location;
import io.cloudmw.core.security.TransferToken;
import java.util.List;
import java.util.Optional;

/**
 * A reader's search for peers that hold chunks.
 *
 * @param wanted chunks it may read, by their tokens
 * @param reader where it runs
 * @param self its own id, if it serves too: the result leaves it out
 */
public record PeerSearch(List<WantedChunks> wanted, Location reader, Optional<PeerId> self) {
    /** The most chunks of one search. */
    public static final int MAX_CHUNKS = 1024;

    /**
     * Chunks of one version.
     *
     * @param token lets its bearer read them
     * @param indexes of their ids
     */
    public record WantedChunks(TransferToken token, List<Long> indexes) {
        public WantedChunks {
            indexes = List.copyOf(indexes);
        }
    }

    public PeerSearch {
        wanted = List.copyOf(wanted);
        int chunks = wanted.stream().mapToInt(some -> some.indexes().size()).sum();
        if (chunks > MAX_CHUNKS) {
            throw new IllegalArgumentException(
                    "chunks: " + chunks + " (expected: <= " + MAX_CHUNKS + ", looked for at once)");
        }
    }
}
