package io.cloudmw.client.read.relay;

import io.cloudmw.core.model.chunk.Chunk;

/**
 * The leaves that a prepared or accepted relay must bring: a part of one chunk that starts and ends at leaves.
 *
 * @param from the offset of the first leaf in the chunk, in bytes
 * @param length the length of all leaves, in bytes
 * @param wantedFrom the offset in the chunk from which leaves are handed on; earlier ones are dropped
 */
record ExpectedLeaves(Chunk chunk, long from, long length, long wantedFrom) {
    /** Returns whether the leaf at this offset from the first is to be handed on. */
    boolean wants(long offset) {
        return from + offset >= wantedFrom && offset < length;
    }
}
