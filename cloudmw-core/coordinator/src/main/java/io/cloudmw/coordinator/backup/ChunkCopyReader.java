package io.cloudmw.coordinator.backup;

import io.cloudmw.core.chunk.Leaves;
import io.cloudmw.core.chunk.Sha256;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.store.ChunkStore;
import io.cloudmw.core.store.LeafRange;
import io.cloudmw.core.store.LeafTarget;
import io.cloudmw.core.store.StoreLeafVerifier;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.List;

/**
 * A reader of chunks from any store with a right copy. Every byte is verified by SHA-256 before it is returned.
 * Confined to one thread.
 */
final class ChunkCopyReader {
    /** The approximate size of the ranges in which a chunk is read. */
    static final int WINDOW_BYTES = 4 << 20;

    private final RecoveryStores stores;

    ChunkCopyReader(RecoveryStores stores) {
        this.stores = stores;
    }

    /** Returns the range of a chunk that begins at a leaf. */
    static ByteRange window(Chunk chunk, long offset) {
        int leaves = Math.max(1, WINDOW_BYTES / chunk.leafSizeBytes());
        long end = Math.min(chunk.range().length(), offset + (long) leaves * chunk.leafSizeBytes());
        return new ByteRange(offset, end - offset);
    }

    /**
     * Returns a range, as {@link #window} gives it, of the first copy that is right there.
     *
     * @throws CloudMwException {@code REPLICA_MISSING}, or the error of the last copy, naming the chunk
     */
    byte[] read(Chunk chunk, ByteRange window) throws CloudMwException {
        List<String> refused = new ArrayList<>();
        for (ChunkStore store : stores.all()) {
            try {
                return read(store, chunk, window);
            } catch (CloudMwException e) {
                refused.add(e.getMessage());
            }
        }
        throw new CloudMwException(
                ErrorCode.REPLICA_MISSING,
                "chunk=" + chunk.id() + ": no store has a valid copy: " + String.join("; ", refused));
    }

    private static byte[] read(ChunkStore store, Chunk chunk, ByteRange window) throws CloudMwException {
        byte[] bytes = new byte[Math.toIntExact(window.length())];
        int[] crc32c = Leaves.slice(chunk.leaves().crc32c(), window, chunk.leafSizeBytes());
        LeafRange wanted = new LeafRange(chunk.id(), window, chunk.leafSizeBytes(), crc32c);
        new StoreLeafVerifier(store, wanted).run(LeafTarget.memory(ByteBuffer.wrap(bytes)), progress -> {});
        MessageDigest sha256 = Sha256.begin();
        int first = Math.toIntExact(window.offset() / chunk.leafSizeBytes());
        for (int leaf = 0; leaf < wanted.leaves(); leaf++) {
            sha256.update(bytes, Math.toIntExact(wanted.offset(leaf)), wanted.length(leaf));
            if (!chunk.leaves().matches(first + leaf, sha256.digest())) {
                throw new CloudMwException(
                        ErrorCode.REPLICA_CORRUPT,
                        "chunk=" + chunk.id() + " store=" + store.id() + " leaf=" + (first + leaf)
                                + ": the SHA-256 does not match");
            }
        }
        return bytes;
    }

    /** Reads a store's copy and returns whether all of it is right. */
    static boolean isRight(ChunkStore store, Chunk chunk) {
        try {
            long offset = 0;
            while (offset < chunk.range().length()) {
                ByteRange window = window(chunk, offset);
                read(store, chunk, window);
                offset = window.end();
            }
            return true;
        } catch (CloudMwException e) {
            return false;
        }
    }
}
