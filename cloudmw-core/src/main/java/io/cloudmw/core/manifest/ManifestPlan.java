package io.cloudmw.core.manifest;

import io.cloudmw.core.chunk.ChunkCutter;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.chunk.ChunkId;

/**
 * The division of a version's chunks into segments. Each segment has as many whole chunks as its limits allow, and the
 * last may have fewer; an empty file has none. Both sides compute it, so it is never sent.
 *
 * @param cutter how the file is cut into chunks
 * @param leafSizeBytes how chunks are cut into leaves
 */
public record ManifestPlan(ChunkCutter cutter, int leafSizeBytes) {
    /** The most segments of a file. */
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
     * The plan for a file of unknown length: that of the longest file with these sizes. The plan of the real file
     * begins with the same chunks, in the same segments.
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

    /** The number of chunks in every segment but the last. */
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

    /** The index of a segment's first chunk. */
    public long firstChunk(int segment) {
        if (segment < 0 || segment >= segmentCount()) {
            throw new IndexOutOfBoundsException("segment: " + segment + " (expected: < " + segmentCount() + ")");
        }
        return (long) segment * chunksPerSegment();
    }

    /** The number of chunks in this segment. */
    public int chunkCount(int segment) {
        return Math.toIntExact(Math.min(chunksPerSegment(), cutter.count() - firstChunk(segment)));
    }
}
