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
 * A token by which a client shows for whom it acts. Its text is {@code cloudmw1:SUBJECT:SECRET:AUTHORITY}: 256 random
 * bits between the subject's name and the fingerprint of the authority that signs coordinators' certificates, so that the
 * secret is sent to no other process. Immutable; never printed.
 */
public final class AccessToken {
    /** The longest text. */
    public static final int MAX_CHARACTERS = 256;

    /** The digits of the hash that name a token. */
    private static final int ID_DIGITS = 16;

    private static final int SECRET_BYTES = 32;
    private static final Pattern FORM =
            Pattern.compile("cloudmw1:([A-Za-z0-9._@+-]{1,128}):([A-Za-z0-9_-]{43}):([0-9a-f]{64})");

    private final String subject;
    private final String secret;
    private final String authority;

    private AccessToken(String subject, String secret, String authority) {
        this.subject = subject;
        this.secret = secret;
        this.authority = authority;
    }

    /**
     * Draws a token.
     *
     * @param subject for whom its bearer acts
     * @param authority the fingerprint of the authority's key, 64 hexadecimal digits
     */
    public static AccessToken random(String subject, String authority) {
        SecureRandom random = new SecureRandom();
        byte[] secret = new byte[SECRET_BYTES];
        random.nextBytes(secret);
        return new AccessToken(subject, Base64.getUrlEncoder().withoutPadding().encodeToString(secret), authority);
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
                    + " characters of another form (expected: cloudmw1:SUBJECT:SECRET:AUTHORITY)");
        }
        return new AccessToken(parts.group(1), parts.group(2), parts.group(3));
    }

    /** The subject for whom its bearer acts. */
    public String subject() {
        return subject;
    }

    /** Its name, which is no secret. */
    public String id() {
        return idOf(sha256());
    }

    /** Returns the name of the token whose secret has this SHA-256, in hexadecimal digits. */
    public static String idOf(String sha256) {
        return sha256.substring(0, ID_DIGITS);
    }

    /** The fingerprint of the authority that signs coordinators' certificates. */
    public String authority() {
        return authority;
    }

    /** The same token for a cluster whose authority was replaced. */
    public AccessToken withAuthority(String fingerprint) {
        return new AccessToken(subject, secret, fingerprint);
    }

    /** Returns whether it has the same subject and secret, whatever authority it names. */
    public boolean isSameSecret(AccessToken other) {
        return subject.equals(other.subject) && MessageDigest.isEqual(hash(), other.hash());
    }

    /** Its text, to be kept secret. */
    public String text() {
        return "cloudmw1:" + subject + ":" + secret + ":" + authority;
    }

    /**
     * The SHA-256 of its secret in hexadecimal digits, which a coordinator keeps. The secret is random, so no salt is
     * needed.
     */
    public String sha256() {
        return HexFormat.of().formatHex(hash());
    }

    private byte[] hash() {
        try {
            return MessageDigest.getInstance("SHA-256").digest(secret.getBytes(StandardCharsets.US_ASCII));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java runtime has SHA-256", e);
        }
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof AccessToken that && isSameSecret(that) && authority.equals(that.authority);
    }

    @Override
    public int hashCode() {
        return subject.hashCode();
    }

    @Override
    public String toString() {
        return "AccessToken[" + subject + ", " + id() + "]";
    }
}
