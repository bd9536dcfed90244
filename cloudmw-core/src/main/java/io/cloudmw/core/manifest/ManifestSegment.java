package io.cloudmw.core.manifest;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.volume.Chunking;
import io.cloudmw.core.wire.SegmentCodec;
import java.util.List;

/**
 * A run of chunks of one version: the unit in which manifests are written, kept and read. It is small enough for one
 * message and for one item of any catalog's database.
 *
 * @param index 0-based
 */
public record ManifestSegment(int index, List<Chunk> chunks) {
    public static final int MAX_CHUNKS = 1024;

    /** The most leaves of all chunks of a segment together; each takes 36 bytes. */
    public static final int MAX_LEAVES = Chunking.MAX_CHUNK_LEAVES;

    public ManifestSegment {
        chunks = List.copyOf(chunks);
        if (index < 0) {
            throw new IllegalArgumentException("segment: " + index + " (expected: >= 0)");
        }
        if (chunks.isEmpty() || chunks.size() > MAX_CHUNKS) {
            throw new IllegalArgumentException("chunks: " + chunks.size() + " (expected: 1.." + MAX_CHUNKS + ")");
        }
        long leaves = chunks.stream().mapToLong(chunk -> chunk.leaves().count()).sum();
        if (leaves > MAX_LEAVES) {
            throw new IllegalArgumentException("leaves: " + leaves + " (expected: <= " + MAX_LEAVES + ")");
        }
        for (int i = 1; i < chunks.size(); i++) {
            Chunk before = chunks.get(i - 1);
            Chunk chunk = chunks.get(i);
            if (chunk.index() != before.index() + 1
                    || chunk.range().offset() != before.range().end()) {
                throw new IllegalArgumentException(
                        "chunk " + chunk.id() + " at " + chunk.range() + " does not follow " + before.id());
            }
        }
    }

    /**
     * Makes a segment of received chunks.
     *
     * @throws CloudMwException {@code INVALID_ARGUMENT} when it breaks a rule
     */
    public static ManifestSegment checked(int index, List<Chunk> chunks) throws CloudMwException {
        try {
            return new ManifestSegment(index, chunks);
        } catch (IllegalArgumentException e) {
            throw new CloudMwException(ErrorCode.INVALID_ARGUMENT, "segment " + index + ": " + e.getMessage(), e);
        }
    }

    /**
     * Reads what {@link #encode()} wrote.
     *
     * @throws CloudMwException {@code INVALID_ARGUMENT} when the bytes are not a segment
     */
    public static ManifestSegment decode(int index, byte[] bytes) throws CloudMwException {
        return checked(index, SegmentCodec.decode(bytes));
    }

    /** The chunks that are stored as they are; a slice of a pack is part of the pack's only chunk. */
    public List<Chunk> wholeChunks() {
        return chunks.stream().filter(chunk -> chunk.id().slice().isEmpty()).toList();
    }

    /** The encoding; the same chunks always give the same bytes. */
    public byte[] encode() {
        return SegmentCodec.encode(chunks);
    }
}
