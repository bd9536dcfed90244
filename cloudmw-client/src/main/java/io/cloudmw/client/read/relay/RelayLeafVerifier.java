package io.cloudmw.client.read.relay;

import io.cloudmw.core.chunk.Sha256;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.chunk.Chunk;
import java.nio.ByteBuffer;
import java.security.MessageDigest;

/**
 * The verifier of the leaves that one relay brings, at their destination: the SHA-256 of each wanted leaf must be the
 * manifest's. {@link io.cloudmw.core.store.StoreLeafVerifier} verified their CRC32C where the store was read. Confined
 * to the relay's lane; keeps no buffer.
 */
final class RelayLeafVerifier {
    private final StoreId store;
    private final RelayListener target;
    private final MessageDigest sha256 = Sha256.begin();

    /** The bytes that were verified, or are not wanted. */
    private long passedBytes;

    private boolean failed;

    /** @param target told of every verified leaf */
    RelayLeafVerifier(StoreId store, RelayListener target) {
        this.store = store;
        this.target = target;
    }

    /**
     * Verifies the relay's next leaf.
     *
     * @param expected the leaves that the relay must bring by now; they may become fewer from call to call
     * @return true when the leaf may be handed on, if it is wanted; false when it comes after a leaf that failed, or
     *     after the end of a relay that was shortened
     * @throws CloudMwException {@code REPLICA_CORRUPT} naming chunk, store and leaf; {@code PROTOCOL_VIOLATION} when
     *     the bytes are no whole leaf
     */
    boolean verify(ExpectedLeaves expected, ByteBuffer leaf) throws CloudMwException {
        if (failed || passedBytes >= expected.length()) {
            return false;
        }
        failed = true;
        pass(expected, leaf);
        failed = false;
        return true;
    }

    private void pass(ExpectedLeaves expected, ByteBuffer leaf) throws CloudMwException {
        Chunk chunk = expected.chunk();
        long offset = passedBytes;
        int length = leaf.remaining();
        long due = Math.min(chunk.leafSizeBytes(), expected.length() - offset);
        if (length != due) {
            throw new CloudMwException(
                    ErrorCode.PROTOCOL_VIOLATION,
                    "chunk=" + chunk.id() + ": frame of " + length + " bytes (expected: a leaf of " + due + ")");
        }
        // Leaves that are not wanted now never will be: a relay only gets shorter.
        if (expected.wants(offset)) {
            long at = expected.from() + offset;
            verify(chunk, Math.toIntExact(at / chunk.leafSizeBytes()), leaf);
            target.verified(chunk, at, leaf);
        }
        passedBytes = offset + length;
    }

    private void verify(Chunk chunk, int leaf, ByteBuffer leafBytes) throws CloudMwException {
        sha256.update(leafBytes.duplicate());
        if (!chunk.leaves().matches(leaf, sha256.digest())) {
            throw new CloudMwException(
                    ErrorCode.REPLICA_CORRUPT,
                    "chunk=" + chunk.id() + " store=" + store + " leaf=" + leaf + ": SHA-256 does not match");
        }
    }
}
