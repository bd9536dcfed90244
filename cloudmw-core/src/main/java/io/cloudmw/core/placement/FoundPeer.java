package io.cloudmw.core.placement;

import io.cloudmw.core.model.PeerId;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.security.TransferToken;
import java.util.Set;

/**
 * A client that holds chunks of one version a reader wants.
 *
 * @param address {@code host:port} of its bulk plane
 * @param token lets the reader read them from this peer
 * @param sharedLabels the number of leading labels that its location shares with the reader's
 */
public record FoundPeer(PeerId id, String address, TransferToken token, Set<ChunkId> chunks, int sharedLabels) {
    public FoundPeer {
        chunks = Set.copyOf(chunks);
    }
}
