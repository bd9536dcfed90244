package io.cloudmw.core.manifest;

import io.cloudmw.core.chunk.ChunkCutter;
import io.cloudmw.core.model.Chunk;

/**
 * How the chunks of one version are dealt into segments: as many whole chunks per segment as its limits allow, the last
 * segment may hold fewer; an empty file has none. Both sides compute it, nobody sends it.
 *
 * @param cutter how the file is cut into chunks
 * @param leafSizeBytes how chunks are cut into leaves
 */
public record ManifestPlan(ChunkCutter cutter, int leafSizeBytes) {
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
