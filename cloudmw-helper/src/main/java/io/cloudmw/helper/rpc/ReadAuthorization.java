package io.cloudmw.helper.rpc;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.race.IssuedBlock;
import io.cloudmw.core.security.TokenBearer;
import io.cloudmw.core.security.TransferClaims;
import io.cloudmw.core.security.TransferRight;
import io.cloudmw.core.security.TransferTokens;
import io.cloudmw.helper.block.WantedBlock;

/** The authorization of clients to read. */
final class ReadAuthorization {
    private ReadAuthorization() {}

    /**
     * Verifies a token with the right to read.
     *
     * @return the token's claims
     * @throws CloudMwException {@code UNAUTHENTICATED} when the token is not valid, or has no right to read
     */
    static TransferClaims ofReader(TransferTokens tokens, byte[] token, TokenBearer bearer) throws CloudMwException {
        TransferClaims claims = tokens.verify(token, bearer);
        if (!claims.rights().contains(TransferRight.READ)) {
            throw new CloudMwException(
                    ErrorCode.UNAUTHENTICATED, "token: no right to read (expected: a token of a read)");
        }
        return claims;
    }

    /**
     * Verifies that a client may read a block. A chunk that the file's version shares with an older one comes with a
     * token of its own.
     *
     * @param claims the claims of the transfer's token
     * @throws CloudMwException {@code UNAUTHENTICATED} when the client may not read the chunk
     */
    static WantedBlock checked(TransferTokens tokens, TransferClaims claims, IssuedBlock issued, TokenBearer bearer)
            throws CloudMwException {
        TransferClaims allowed = claims;
        if (issued.token().isPresent()) {
            allowed = tokens.verify(issued.token().get().bytes(), bearer);
        } else {
            tokens.requireNotRevoked(claims);
        }
        allowed.require(TransferRight.READ, issued.chunk());
        return WantedBlock.of(issued, allowed.expiresAtMillis());
    }
}
