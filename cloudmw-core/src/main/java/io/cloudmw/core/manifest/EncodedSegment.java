package io.cloudmw.core.manifest;

import io.cloudmw.core.model.chunk.Chunk;
import java.util.List;

/** A segment with its encoding and the digest of that, which are made once. Immutable. */
public final class EncodedSegment {
    private final ManifestSegment segment;
    private final byte[] bytes;
    private final byte[] sha256;

    private EncodedSegment(ManifestSegment segment) {
        this.segment = segment;
        bytes = segment.encode();
        sha256 = ManifestDigest.ofSegment(bytes);
    }

    public static EncodedSegment of(ManifestSegment segment) {
        return new EncodedSegment(segment);
    }

    public ManifestSegment segment() {
        return segment;
    }

    public int index() {
        return segment.index();
    }

    public List<Chunk> chunks() {
        return segment.chunks();
    }

    /** The encoding, not a copy: it must not be changed. */
    public byte[] bytes() {
        return bytes;
    }

    /** SHA-256 of the encoding, not a copy: it must not be changed. */
    public byte[] sha256() {
        return sha256;
    }

    /** The SHA-256 of a manifest that has this segment only. */
    public String manifestSha256() {
        return new ManifestDigest().add(sha256).finish();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof EncodedSegment that && segment.equals(that.segment);
    }

    @Override
    public int hashCode() {
        return segment.hashCode();
    }

    @Override
    public String toString() {
        return segment.toString();
    }
}
