package io.cloudmw.helper.upkeep;

import io.cloudmw.core.chunk.Sha256;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.store.LeafTarget;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.MessageDigest;

/** A target that passes leaves on after it has verified their SHA-256, since upkeep has no destination that would. */
final class VerifyingLeafTarget implements LeafTarget {
    private final Chunk chunk;
    private final LeafTarget target;
    private final MessageDigest sha256 = Sha256.begin();

    VerifyingLeafTarget(Chunk chunk, LeafTarget target) {
        this.chunk = chunk;
        this.target = target;
    }

    @Override
    public ByteBuffer buffer(long offset, int length) {
        return target.buffer(offset, length);
    }

    @Override
    public void verified(long offset, ByteBuffer leaf) throws IOException {
        int index = (int) (offset / chunk.leafSizeBytes());
        sha256.update(leaf.duplicate());
        if (!chunk.leaves().matches(index, sha256.digest())) {
            throw new CloudMwException(
                    ErrorCode.REPLICA_CORRUPT,
                    "chunk=" + chunk.id() + " leaf=" + index + ": its SHA-256 differs from the manifest's");
        }
        target.verified(offset, leaf);
    }
}
