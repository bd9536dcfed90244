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
import io.cloudmw.core.store.LeafVerifier;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.List;

/** Reads chunks from whichever store has a copy that is right. No byte is passed on before its SHA-256 is verified. */
final class ChunkCopies {
    /** A chunk is read in ranges of about so many bytes. */
    static final int WINDOW_BYTES = 4 << 20;

    private final GivenStores stores;

    ChunkCopies(GivenStores stores) {
        this.stores = stores;
    }

    /** The range of a chunk that begins at a leaf. */
    static ByteRange window(Chunk chunk, long offset) {
        int leaves = Math.max(1, WINDOW_BYTES / chunk.leafSizeBytes());
        long end = Math.min(chunk.range().length(), offset + (long) leaves * chunk.leafSizeBytes());
        return new ByteRange(offset, end - offset);
    }

    /**
     * A range, as {@link #window} gives it, of the first copy where it is right.
     *
     * @throws CloudMwException {@code REPLICA_MISSING} or what else was wrong with the last one, naming the chunk
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
                "chunk=" + chunk.id() + ": no store has a copy that is right: " + String.join("; ", refused));
    }

    private static byte[] read(ChunkStore store, Chunk chunk, ByteRange window) throws CloudMwException {
        byte[] bytes = new byte[Math.toIntExact(window.length())];
        int[] crc32c = Leaves.slice(chunk.leaves().crc32c(), window, chunk.leafSizeBytes());
        LeafRange wanted = new LeafRange(chunk.id(), window, chunk.leafSizeBytes(), crc32c);
        new LeafVerifier(store, wanted).run(LeafTarget.memory(ByteBuffer.wrap(bytes)), progress -> {});
        MessageDigest sha256 = Sha256.begin();
        int first = Math.toIntExact(window.offset() / chunk.leafSizeBytes());
        for (int leaf = 0; leaf < wanted.leaves(); leaf++) {
            sha256.update(bytes, Math.toIntExact(wanted.offset(leaf)), wanted.length(leaf));
            if (!chunk.leaves().matches(first + leaf, sha256.digest())) {
                throw new CloudMwException(
                        ErrorCode.REPLICA_CORRUPT,
                        "chunk=" + chunk.id() + " store=" + store.id() + " leaf=" + (first + leaf)
                                + ": its SHA-256 is wrong");
            }
        }
        return bytes;
    }

    /** Whether a store's copy is right throughout; it is read. */
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
