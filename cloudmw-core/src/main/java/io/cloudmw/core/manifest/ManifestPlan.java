package io.cloudmw.core.manifest;

import io.cloudmw.core.chunk.ChunkCutter;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.chunk.ChunkId;

/**
 * How the chunks of one version are dealt into segments: as many whole chunks per segment as its limits allow, the last
 * segment may hold fewer; an empty file has none. Both sides compute it, nobody sends it.
 *
 * @param cutter how the file is cut into chunks
 * @param leafSizeBytes how chunks are cut into leaves
 */
public record ManifestPlan(ChunkCutter cutter, int leafSizeBytes) {
    /** No file has more. */
    public static final int MAX_SEGMENTS = 1 << 22;

    public ManifestPlan {
        if (leafSizeBytes < 1) {
            throw new IllegalArgumentException("leafSizeBytes: " + leafSizeBytes + " (expected: >= 1)");
        }
        if (leavesPerChunk(cutter, leafSizeBytes) > ManifestSegment.MAX_LEAVES) {
            throw new IllegalArgumentException("chunk size: " + cutter.chunkSizeBytes() + " (expected: <= "
                    + (long) ManifestSegment.MAX_LEAVES * leafSizeBytes + " for leaves of " + leafSizeBytes
                    + " bytes: a segment must hold a whole chunk)");
        }
    }

    /**
     * The plan of a file whose length is not known yet: of the longest that can be cut like this. That of the file it turns
     * out to be begins with the same chunks, in the same segments.
     */
    public static ManifestPlan longest(long chunkSizeBytes, int leafSizeBytes) {
        ManifestPlan ofOneChunk = new ManifestPlan(new ChunkCutter(chunkSizeBytes, chunkSizeBytes), leafSizeBytes);
        long chunks = Math.min(ChunkId.MAX_INDEX + 1, (long) MAX_SEGMENTS * ofOneChunk.chunksPerSegment());
        return new ManifestPlan(
                new ChunkCutter(Math.min(chunks, Long.MAX_VALUE / chunkSizeBytes) * chunkSizeBytes, chunkSizeBytes),
                leafSizeBytes);
    }

    private static long leavesPerChunk(ChunkCutter cutter, int leafSizeBytes) {
        long size = cutter.chunkSizeBytes();
        return size / leafSizeBytes + (size % leafSizeBytes == 0 ? 0 : 1);
    }

    /** Chunks in every segment but the last. */
    public int chunksPerSegment() {
        int leaves = Chunk.leafCount(cutter.chunkSizeBytes(), leafSizeBytes);
        return Math.min(ManifestSegment.MAX_CHUNKS, ManifestSegment.MAX_LEAVES / leaves);
    }

    public int segmentCount() {
        long perSegment = chunksPerSegment();
        return Math.toIntExact((cutter.count() + perSegment - 1) / perSegment);
    }

    /** The segment that holds chunk {@code chunkIndex}. */
    public int segmentOf(long chunkIndex) {
        if (chunkIndex < 0 || chunkIndex >= cutter.count()) {
            throw new IndexOutOfBoundsException("chunk: " + chunkIndex + " (expected: < " + cutter.count() + ")");
        }
        return Math.toIntExact(chunkIndex / chunksPerSegment());
    }

    /** Index of a segment's first chunk. */
    public long firstChunk(int segment) {
        if (segment < 0 || segment >= segmentCount()) {
            throw new IndexOutOfBoundsException("segment: " + segment + " (expected: < " + segmentCount() + ")");
        }
        return (long) segment * chunksPerSegment();
    }

    /** Chunks in this segment. */
    public int chunkCount(int segment) {
        return Math.toIntExact(Math.min(chunksPerSegment(), cutter.count() - firstChunk(segment)));
    }
}
