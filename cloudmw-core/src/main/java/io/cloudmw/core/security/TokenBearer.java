package io.cloudmw.core.security;

import java.util.Optional;

/**
 * The process that shows a token.
 *
 * @param identity the one in its certificate; empty: it has no certificate
 * @param passesOn whether it may show tokens of others: a helper, which has verified them and passes them on
 */
public record TokenBearer(Optional<String> identity, boolean passesOn) {
    /** A bearer that may show any token. */
    public static final TokenBearer TRUSTED = new TokenBearer(Optional.empty(), true);

    /** A bearer in plain text, whose tokens are bound to nobody. */
    public static final TokenBearer UNKNOWN = new TokenBearer(Optional.empty(), false);
}
