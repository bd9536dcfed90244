package io.cloudmw.helper.remote;

import io.cloudmw.core.model.Urgency;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.security.TransferClaims;
import io.cloudmw.core.security.TransferRight;
import io.cloudmw.core.security.TransferToken;
import io.cloudmw.core.security.TransferTokens;
import java.util.Set;
import java.util.function.Supplier;

/**
 * The rights of one transfer at other helpers.
 *
 * @param token the token of the transfer's client
 * @param claims the token's claims
 * @param tokens issues tokens by which this helper passes on rights that it has verified
 * @param urgency the urgency, with the time that is left when another helper is asked
 */
public record RemoteRights(
        TransferToken token, TransferClaims claims, TransferTokens tokens, Supplier<Urgency> urgency) {
    /** The same rights, which end at the given time at the latest. */
    public RemoteRights until(long endMillis) {
        return new RemoteRights(
                token,
                new TransferClaims(
                        claims.rights(),
                        claims.file(),
                        claims.version(),
                        Math.min(endMillis, claims.expiresAtMillis()),
                        claims.holder()),
                tokens,
                urgency);
    }

    /**
     * A token to read a chunk for which this helper has verified the right. The chunk may belong to another version
     * that shares it; the token is for that version then, and has the holder of the client's token.
     */
    public TransferToken toRead(ChunkId chunk) {
        if (chunk.version().equals(claims.version())) {
            return token;
        }
        return tokens.issue(new TransferClaims(
                Set.of(TransferRight.READ), claims.file(), chunk.version(), claims.expiresAtMillis(), claims.holder()));
    }
}
