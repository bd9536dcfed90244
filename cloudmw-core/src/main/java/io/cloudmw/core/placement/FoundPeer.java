package io.cloudmw.core.placement;

import io.cloudmw.core.model.PeerId;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.security.TransferToken;
import java.util.Set;

/**
 * A client that holds chunks of one version a reader wants.
 *
 * @param address {@code host:port} of its bulk plane
 * @param token lets the reader have them from this one
 * @param sharedLabels how many labels of its location, from the first on, the reader has too
 */
public record FoundPeer(PeerId id, String address, TransferToken token, Set<ChunkId> chunks, int sharedLabels) {
    public FoundPeer {
        chunks = Set.copyOf(chunks);
    }
}
