package io.cloudmw.core.security;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.chunk.ChunkId;
import java.util.Set;

/**
 * The claims of a token: the rights of its bearer.
 *
 * @param expiresAtMillis not valid from this moment on
 */
public record TransferClaims(Set<TransferRight> rights, FilePath file, VersionId version, long expiresAtMillis) {
    public TransferClaims {
        rights = Set.copyOf(rights);
    }

    /**
     * Checks that the token carries the right, for the version that the chunk is of. Every process that serves a chunk
     * calls it.
     *
     * @throws CloudMwException {@code UNAUTHENTICATED} when it does not
     */
    public void require(TransferRight right, ChunkId chunk) throws CloudMwException {
        if (!rights.contains(right)) {
            throw new CloudMwException(
                    ErrorCode.UNAUTHENTICATED,
                    "token: no right to " + right + " chunk " + chunk + " (has: " + rights + ")");
        }
        if (!chunk.version().equals(version)) {
            throw new CloudMwException(
                    ErrorCode.UNAUTHENTICATED, "token: for version " + version + ", not for chunk " + chunk);
        }
    }
}
