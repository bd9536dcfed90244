package io.cloudmw.core.chunk;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** The digest that the destination checks: of leaves, of manifests and their segments. */
public final class Sha256 {
    private Sha256() {}

    /** A new digest, for one thread. */
    public static MessageDigest begin() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
