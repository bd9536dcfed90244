package io.cloudmw.client.transfer;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** The digest of leaves. */
final class Sha256 {
    private Sha256() {}

    /** A new one. */
    static MessageDigest begin() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
