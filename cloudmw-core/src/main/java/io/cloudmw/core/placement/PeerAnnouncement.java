package io.cloudmw.core.placement;

import io.cloudmw.core.model.PeerId;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.fleet.Location;
import io.cloudmw.core.security.PeerKey;
import java.util.Set;

/**
 * What a client says of itself: that it serves, and what.
 *
 * @param address {@code host:port} of its bulk plane
 * @param key by which readers are vouched for to it
 * @param location where it runs
 * @param chunks that it holds whole; at most {@value #MAX_CHUNKS}
 */
public record PeerAnnouncement(PeerId peer, String address, PeerKey key, Location location, Set<ChunkId> chunks) {
    /** A client holds no more. */
    public static final int MAX_CHUNKS = 1024;

    public PeerAnnouncement {
        chunks = Set.copyOf(chunks);
        if (chunks.size() > MAX_CHUNKS) {
            throw new IllegalArgumentException(
                    "chunks: " + chunks.size() + " (expected: <= " + MAX_CHUNKS + ", of one peer)");
        }
    }
}
