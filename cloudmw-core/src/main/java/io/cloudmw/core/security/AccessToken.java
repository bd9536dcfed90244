package io.cloudmw.core.security;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.HexFormat;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A token by which a client shows for whom it acts. Its text is {@code cloudmw1.ID.SECRET.AUTHORITY}: a name that may be
 * shown, 256 random bits, and the fingerprint of the authority that signs coordinators' certificates, so that the secret
 * is sent to no other process. Immutable; never printed.
 */
public final class AccessToken {
    /** The longest text. */
    public static final int MAX_CHARACTERS = 256;

    private static final int ID_BYTES = 8;
    private static final int SECRET_BYTES = 32;
    private static final Pattern FORM =
            Pattern.compile("cloudmw1\\.([0-9a-f]{16})\\.([A-Za-z0-9_-]{43})\\.([0-9a-f]{64})");

    private final String id;
    private final String secret;
    private final String authority;

    private AccessToken(String id, String secret, String authority) {
        this.id = id;
        this.secret = secret;
        this.authority = authority;
    }

    /**
     * Draws a token.
     *
     * @param authority the fingerprint of the authority's key, 64 hexadecimal digits
     */
    public static AccessToken random(String authority) {
        SecureRandom random = new SecureRandom();
        byte[] id = new byte[ID_BYTES];
        byte[] secret = new byte[SECRET_BYTES];
        random.nextBytes(id);
        random.nextBytes(secret);
        return new AccessToken(
                HexFormat.of().formatHex(id),
                Base64.getUrlEncoder().withoutPadding().encodeToString(secret),
                authority);
    }

    /**
     * Parses a token's text; white space around it does not count.
     *
     * @throws IllegalArgumentException when it is none; the message does not have the text
     */
    public static AccessToken parse(String text) {
        Matcher parts = FORM.matcher(text.strip());
        if (!parts.matches()) {
            throw new IllegalArgumentException("token: " + text.strip().length()
                    + " characters of another form (expected: cloudmw1.ID.SECRET.AUTHORITY)");
        }
        return new AccessToken(parts.group(1), parts.group(2), parts.group(3));
    }

    /** Its name, which is no secret. */
    public String id() {
        return id;
    }

    /** The fingerprint of the authority that signs coordinators' certificates. */
    public String authority() {
        return authority;
    }

    /** Its text, to be kept secret. */
    public String text() {
        return "cloudmw1." + id + "." + secret + "." + authority;
    }

    /** The SHA-256 of its secret, which a coordinator keeps. The secret is random, so no salt is needed. */
    public byte[] hash() {
        try {
            return MessageDigest.getInstance("SHA-256").digest(secret.getBytes(StandardCharsets.US_ASCII));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java runtime has SHA-256", e);
        }
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof AccessToken that
                && id.equals(that.id)
                && MessageDigest.isEqual(hash(), that.hash())
                && authority.equals(that.authority);
    }

    @Override
    public int hashCode() {
        return id.hashCode();
    }

    @Override
    public String toString() {
        return "AccessToken[" + id + "]";
    }
}
