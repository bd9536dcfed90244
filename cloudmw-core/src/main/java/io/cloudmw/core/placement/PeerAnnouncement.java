package io.cloudmw.core.placement;

import io.cloudmw.core.model.PeerId;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.fleet.Location;
import io.cloudmw.core.security.PeerKey;
import java.util.Set;

/**
 * A client's announcement that it serves chunks, and which.
 *
 * @param address {@code host:port} of its bulk plane
 * @param key the coordinator signs readers' tokens with it
 * @param location where it runs
 * @param chunks the chunks it holds whole; at most {@value #MAX_CHUNKS}
 */
public record PeerAnnouncement(PeerId peer, String address, PeerKey key, Location location, Set<ChunkId> chunks) {
    /** The most chunks that a client holds. */
    public static final int MAX_CHUNKS = 1024;

    public PeerAnnouncement {
        chunks = Set.copyOf(chunks);
        if (chunks.size() > MAX_CHUNKS) {
            throw new IllegalArgumentException(
                    "chunks: " + chunks.size() + " (expected: <= " + MAX_CHUNKS + ", of one peer)");
        }
    }
}
