package io.cloudmw.helper.rpc;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.security.TransferClaims;
import io.cloudmw.core.security.TransferRight;
import io.cloudmw.core.security.TransferTokens;
import io.cloudmw.core.wire.IssuedBlock;
import io.cloudmw.helper.block.WantedBlock;

/** What tokens let clients read. */
final class ReadAuthorization {
    private ReadAuthorization() {}

    /**
     * What a token that lets its bearer read allows.
     *
     * @throws CloudMwException {@code UNAUTHENTICATED}
     */
    static TransferClaims ofReader(TransferTokens tokens, byte[] token) throws CloudMwException {
        TransferClaims claims = tokens.verify(token);
        if (!claims.rights().contains(TransferRight.READ)) {
            throw new CloudMwException(ErrorCode.UNAUTHENTICATED, "token: no right to read");
        }
        return claims;
    }

    /**
     * A block its client may read. A chunk that the file's version shares with the one that wrote it comes with a token of its
     * own.
     *
     * @param claims of the transfer's token
     * @throws CloudMwException {@code UNAUTHENTICATED} when he may not
     */
    static WantedBlock checked(TransferTokens tokens, TransferClaims claims, IssuedBlock issued)
            throws CloudMwException {
        TransferClaims allowed =
                issued.token().isPresent() ? tokens.verify(issued.token().get().bytes()) : claims;
        allowed.require(TransferRight.READ, issued.chunk());
        return WantedBlock.of(issued, allowed.expiresAtMillis());
    }
}
