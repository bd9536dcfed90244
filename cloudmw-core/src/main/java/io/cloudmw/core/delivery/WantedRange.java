package io.cloudmw.core.delivery;

import io.cloudmw.core.mode.BlockOwners;
import io.cloudmw.core.mode.IssueReason;
import io.cloudmw.core.model.ByteRange;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A range of one chunk, cut to the mode's block size and wanted until its last leaf is delivered. It is under way as no
 * block, as one, or as two.
 */
final class WantedRange {
    private final ChunkRoutes chunk;
    private final long sequence;
    private final long position;
    private final long start;
    private final List<BlockProgress> blocks = new ArrayList<>(2);
    private ByteRange missing;
    private int reissues;
    private IssueReason nextReason = IssueReason.PLANNED;
    private boolean moved;
    private int @Nullable [] owners;

    WantedRange(ChunkRoutes chunk, long sequence, long position, ByteRange range) {
        this.chunk = chunk;
        this.sequence = sequence;
        this.position = position;
        this.start = range.offset();
        this.missing = range;
    }

    ChunkRoutes chunk() {
        return chunk;
    }

    /** The number of the range as cut from the plan; a part that was split off has its origin's. */
    long sequence() {
        return sequence;
    }

    /** The position of its first byte among all bytes planned. */
    long position() {
        return position;
    }

    /** The first position after it. */
    long endPosition() {
        return position + missing.end() - start;
    }

    /** The part not delivered yet, within the chunk. */
    ByteRange missing() {
        return missing;
    }

    long nextLeafBytes() {
        return Math.min(chunk.plan().leafSizeBytes(), missing.length());
    }

    /** Notes that the next leaf arrived. */
    void leafDelivered() {
        long leaf = nextLeafBytes();
        missing = new ByteRange(missing.offset() + leaf, missing.length() - leaf);
        reissues = 0;
        owners = null;
    }

    /** Splits off everything from {@code offset}, which is within the missing part, on a leaf's edge. */
    WantedRange splitAt(long offset) {
        WantedRange tail = new WantedRange(
                chunk, sequence, position + offset - start, new ByteRange(offset, missing.end() - offset));
        missing = new ByteRange(missing.offset(), offset - missing.offset());
        return tail;
    }

    // ---- blocks

    /** The blocks it is issued as now, in the order they were issued. */
    List<BlockProgress> blocks() {
        return blocks;
    }

    void add(BlockProgress block) {
        blocks.add(block);
    }

    void remove(BlockProgress block) {
        blocks.remove(block);
    }

    boolean isIssued() {
        return !blocks.isEmpty();
    }

    boolean isIssuedOnce() {
        return blocks.size() == 1;
    }

    /** The reason for which it will be issued next. */
    IssueReason nextReason() {
        return nextReason;
    }

    void issueNextFor(IssueReason reason) {
        nextReason = reason;
    }

    /** Counts how often it was issued again since a leaf arrived. */
    int countReissue() {
        return ++reissues;
    }

    int reissues() {
        return reissues;
    }

    /** Like {@link ChunkRoutes#unbar}; the range then counts as never issued. */
    boolean unbar() {
        if (!chunk.unbar()) {
            return false;
        }
        reissues = 0;
        return true;
    }

    /**
     * Returns whether an unstarted block of it went to another racer. Done once, or it would wait at the end of every
     * queue.
     */
    boolean hasMoved() {
        return moved;
    }

    void markMoved() {
        moved = true;
    }

    /**
     * The helpers that own the missing part, asked once for all racers: asking costs more than the rest of a
     * decision.
     */
    int[] owners(BlockOwners all) {
        int[] known = owners;
        if (known == null) {
            known = all.of(chunk.plan().chunkIndex(), missing.offset());
            owners = known;
        }
        return known;
    }
}
