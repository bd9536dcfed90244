package io.cloudmw.core.model.chunk;

import java.util.Arrays;

/**
 * The digests of a chunk's leaves, in order. Helpers and frames check the CRC32C; the destination checks the SHA-256
 * before a byte reaches the application.
 *
 * <p>The record keeps the arrays without copying them; they must not change afterwards.
 *
 * @param crc32c one per leaf
 * @param sha256 {@value #SHA256_BYTES} bytes per leaf, concatenated
 */
@SuppressWarnings("ArrayRecordComponent") // compared by content below; copying megabytes per chunk is not worth it
public record LeafDigests(int[] crc32c, byte[] sha256) {
    public static final int SHA256_BYTES = 32;

    public LeafDigests {
        if (sha256.length != crc32c.length * SHA256_BYTES) {
            throw new IllegalArgumentException("sha256: " + sha256.length + " bytes for " + crc32c.length + " leaves");
        }
    }

    /** The number of leaves. */
    public int count() {
        return crc32c.length;
    }

    /** Returns whether {@code digest} is the SHA-256 of leaf {@code leaf}. */
    public boolean matches(int leaf, byte[] digest) {
        int from = leaf * SHA256_BYTES;
        return Arrays.equals(sha256, from, from + SHA256_BYTES, digest, 0, digest.length);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof LeafDigests that
                && Arrays.equals(crc32c, that.crc32c)
                && Arrays.equals(sha256, that.sha256);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(crc32c);
    }

    @Override
    public String toString() {
        return "LeafDigests[" + count() + "]";
    }
}
