package io.cloudmw.client.read;

import io.cloudmw.client.context.PeerServing;
import io.cloudmw.client.peer.server.PeerChunkCache;
import io.cloudmw.core.model.chunk.Chunk;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The chunks of one read that this client keeps while it reads them, to serve them to other clients. Safe for any
 * thread.
 */
final class ServedChunks {
    private final PeerServing peers;
    private final Map<Long, PeerChunkCache.Growing> growing = new ConcurrentHashMap<>();

    ServedChunks(PeerServing peers) {
        this.peers = peers;
    }

    /** Begins to keep a chunk, where this client serves others and has room for it. */
    void begin(Chunk chunk) {
        peers.node().flatMap(node -> node.chunks().begin(chunk)).ifPresent(begun -> growing.put(chunk.index(), begun));
    }

    /** Keeps a verified leaf. */
    void keep(Chunk chunk, long offset, ByteBuffer leaf) {
        PeerChunkCache.Growing kept = growing.get(chunk.index());
        if (kept != null) {
            kept.keep(offset, leaf);
        }
    }

    /** Every wanted byte of the chunk has arrived. */
    void finish(Chunk chunk) {
        PeerChunkCache.Growing whole = growing.remove(chunk.index());
        if (whole != null) {
            whole.close();
        }
    }

    /** Idempotent. */
    void close() {
        growing.values().forEach(PeerChunkCache.Growing::close);
    }
}
