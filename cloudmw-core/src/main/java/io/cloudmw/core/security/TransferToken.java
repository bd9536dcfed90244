package io.cloudmw.core.security;

import java.util.Arrays;

/** A signed token in its transmitted form. Opaque to its bearer, immutable, and never printed. */
public final class TransferToken {
    /** The longest token. */
    public static final int MAX_BYTES = 4096;

    private final byte[] bytes;

    private TransferToken(byte[] bytes) {
        this.bytes = bytes;
    }

    /** Copies {@code bytes}; {@link TransferTokens#verify} checks whether they are genuine. */
    public static TransferToken of(byte[] bytes) {
        if (bytes.length > MAX_BYTES) {
            throw new IllegalArgumentException("token: " + bytes.length + " bytes (expected: <= " + MAX_BYTES + ")");
        }
        return new TransferToken(bytes.clone());
    }

    /** A copy of its bytes. */
    public byte[] bytes() {
        return bytes.clone();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof TransferToken that && Arrays.equals(bytes, that.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    @Override
    public String toString() {
        return "TransferToken[" + bytes.length + " bytes]";
    }
}
