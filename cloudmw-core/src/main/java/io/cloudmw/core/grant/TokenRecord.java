package io.cloudmw.core.grant;

import io.cloudmw.core.security.AccessToken;
import java.util.OptionalLong;

/**
 * The record of a token in the catalog. The token itself is shown once, to whoever made it.
 *
 * @param sha256 of the token's secret, in hexadecimal digits
 * @param createdMillis when it was made
 * @param expiresMillis when it ends; empty: never
 */
public record TokenRecord(String sha256, long createdMillis, OptionalLong expiresMillis) {
    public TokenRecord {
        if (!sha256.matches("[0-9a-f]{64}")) {
            throw new IllegalArgumentException("token: its hash has another form (expected: 64 hexadecimal digits)");
        }
    }

    /** Its name, which is no secret. */
    public String id() {
        return AccessToken.idOf(sha256);
    }

    /** Returns whether it is good at this time. */
    public boolean isGoodAt(long nowMillis) {
        return expiresMillis.isEmpty() || nowMillis < expiresMillis.getAsLong();
    }
}
