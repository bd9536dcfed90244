package io.cloudmw.core.security;

import io.cloudmw.core.time.WallClock;
import java.security.MessageDigest;
import java.security.SecureRandom;

/**
 * The key that a client which serves chunks shares with the coordinator, drawn anew by each process. The coordinator
 * signs readers' tokens for this client with it, so that no client needs the cluster's secret. Immutable; never
 * printed.
 */
public final class PeerKey {
    public static final int BYTES = 32;

    private final byte[] key;

    private PeerKey(byte[] key) {
        this.key = key;
    }

    public static PeerKey random() {
        byte[] drawn = new byte[BYTES];
        new SecureRandom().nextBytes(drawn);
        return new PeerKey(drawn);
    }

    /**
     * Makes a received key.
     *
     * @throws IllegalArgumentException when it does not have {@value #BYTES} bytes
     */
    public static PeerKey of(byte[] bytes) {
        if (bytes.length != BYTES) {
            throw new IllegalArgumentException("key: " + bytes.length + " bytes (expected: " + BYTES + ")");
        }
        return new PeerKey(bytes.clone());
    }

    /** A copy of the key for sending. */
    public byte[] bytes() {
        return key.clone();
    }

    /** The issuer and verifier of tokens that are good at this peer alone. */
    public TransferTokens tokens(WallClock clock) {
        return new TransferTokens(ClusterSecret.of(key), clock);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof PeerKey that && MessageDigest.isEqual(key, that.key);
    }

    /** The same for all keys: a hash would reveal part of the key. */
    @Override
    public int hashCode() {
        return BYTES;
    }

    @Override
    public String toString() {
        return "PeerKey[redacted]";
    }
}
