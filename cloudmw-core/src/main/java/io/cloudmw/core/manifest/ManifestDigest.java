package io.cloudmw.core.manifest;

import io.cloudmw.core.chunk.Sha256;
import java.security.MessageDigest;
import java.util.HexFormat;

/**
 * The identity of a version's content and layout: SHA-256 over the SHA-256 of its encoded segments, in order. Confined
 * to one thread.
 */
public final class ManifestDigest {
    private final MessageDigest digest = Sha256.begin();

    /** SHA-256 of one encoded segment. */
    public static byte[] ofSegment(byte[] encoded) {
        return Sha256.begin().digest(encoded);
    }

    /** Adds the next segment, given the SHA-256 of its encoding. */
    public ManifestDigest add(byte[] segmentSha256) {
        if (segmentSha256.length != digest.getDigestLength()) {
            throw new IllegalArgumentException("sha256: " + segmentSha256.length + " bytes (expected: 32)");
        }
        digest.update(segmentSha256);
        return this;
    }

    /** The manifest's SHA-256 in hexadecimal; begins anew. */
    public String finish() {
        return HexFormat.of().formatHex(digest.digest());
    }
}
