package io.cloudmw.helper.remote;

import io.cloudmw.core.model.ChunkId;
import io.cloudmw.core.model.Urgency;
import io.cloudmw.core.security.TransferClaims;
import io.cloudmw.core.security.TransferRight;
import io.cloudmw.core.security.TransferToken;
import io.cloudmw.core.security.TransferTokens;
import java.util.Set;
import java.util.function.Supplier;

/**
 * What one transfer may do at peers.
 *
 * @param token of who asked for the transfer
 * @param claims what it allows
 * @param tokens by which this helper vouches, to its peers, for what it was shown itself
 * @param urgency how urgent it is to them, with what is left of its time when they are asked
 */
public record RemoteRights(
        TransferToken token, TransferClaims claims, TransferTokens tokens, Supplier<Urgency> urgency) {
    /** The same, for somebody who may do it no longer than that. */
    public RemoteRights until(long endMillis) {
        return new RemoteRights(
                token,
                new TransferClaims(
                        claims.rights(),
                        claims.file(),
                        claims.version(),
                        Math.min(endMillis, claims.expiresAtMillis())),
                tokens,
                urgency);
    }

    /**
     * A token to read this chunk, whose right to be read was checked here: of a chunk that the transfer's version shares with
     * another, one for that version.
     */
    public TransferToken toRead(ChunkId chunk) {
        if (chunk.version().equals(claims.version())) {
            return token;
        }
        return tokens.issue(new TransferClaims(
                Set.of(TransferRight.READ), claims.file(), chunk.version(), claims.expiresAtMillis()));
    }
}
