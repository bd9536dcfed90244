package io.cloudmw.core.security;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.chunk.ChunkId;
import java.util.Optional;
import java.util.Set;

/**
 * The claims of a token: the rights of its bearer.
 *
 * @param expiresAtMillis not valid from this moment on
 * @param holder the process that may show the token; empty: any bearer
 */
public record TransferClaims(
        Set<TransferRight> rights,
        FilePath file,
        VersionId version,
        long expiresAtMillis,
        Optional<TokenHolder> holder) {
    public TransferClaims {
        rights = Set.copyOf(rights);
    }

    /** Claims of a token that any bearer may show. */
    public TransferClaims(Set<TransferRight> rights, FilePath file, VersionId version, long expiresAtMillis) {
        this(rights, file, version, expiresAtMillis, Optional.empty());
    }

    /** The same claims, to be shown by this process; empty: by any bearer. */
    TransferClaims boundTo(Optional<TokenHolder> process) {
        return new TransferClaims(rights, file, version, expiresAtMillis, process);
    }

    /**
     * The client that counts for fair shares and limits: the holder, who proved it by a certificate, also where helpers
     * pass the token on. Otherwise it is the connection.
     *
     * @param connection by which the token came
     */
    public String client(String connection) {
        return holder.map(TokenHolder::identity).orElse(connection);
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
