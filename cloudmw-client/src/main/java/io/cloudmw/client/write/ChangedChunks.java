package io.cloudmw.client.write;

import io.cloudmw.client.rpc.coordinator.EditParameters;
import io.cloudmw.core.chunk.ChunkCutter;
import io.cloudmw.core.model.ByteRange;

/**
 * The range of chunks that a change of part of a file writes: chunks it touches, and chunks whose place or length
 * changes. All other chunks are the base's.
 *
 * @param first index of the first; 0 when there is none
 * @param end index after the last; 0 when there is none
 */
public record ChangedChunks(long first, long end) {
    /**
     * The chunks that an edit writes.
     *
     * @param after the cutter of the new version
     */
    public static ChangedChunks of(EditParameters edit, ChunkCutter after) {
        if (edit.base().isEmpty() || edit.baseChunkSizeBytes() != after.chunkSizeBytes()) {
            return new ChangedChunks(0, after.count());
        }
        ChunkCutter before = new ChunkCutter(edit.base().get().sizeBytes(), after.chunkSizeBytes());
        long alike = Math.min(before.count(), after.count());
        if (alike > 0 && !before.range(alike - 1).equals(after.range(alike - 1))) {
            alike--;
        }
        ByteRange written = edit.written();
        long first = written.isEmpty() ? after.count() : after.indexOf(written.offset());
        long end = written.isEmpty() ? 0 : after.indexOf(written.end() - 1) + 1;
        if (alike < after.count()) {
            first = Math.min(first, alike);
            end = after.count();
        }
        return first < end ? new ChangedChunks(first, end) : new ChangedChunks(0, 0);
    }

    /** The number of these chunks between two indexes. */
    long among(long from, long to) {
        return Math.max(0, Math.min(end, to) - Math.max(first, from));
    }

    /** The size of these chunks. */
    public long bytes(ChunkCutter after) {
        return first == end
                ? 0
                : after.range(end - 1).end() - after.range(first).offset();
    }

    public boolean contains(long index) {
        return index >= first && index < end;
    }

    /** Bytes of the file before the written range, in a chunk that changes. */
    public ByteRange before(ByteRange written, ChunkCutter after) {
        long from = first == end ? written.offset() : after.range(first).offset();
        return new ByteRange(from, written.offset() - from);
    }

    /** Bytes of the file after the written range, in a chunk that changes. */
    public ByteRange behind(ByteRange written, ChunkCutter after) {
        long to = first == end ? written.end() : after.range(end - 1).end();
        return new ByteRange(written.end(), to - written.end());
    }
}
