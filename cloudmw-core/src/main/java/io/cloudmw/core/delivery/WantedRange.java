package io.cloudmw.core.delivery;

import io.cloudmw.core.mode.BlockOwners;
import io.cloudmw.core.mode.IssueReason;
import io.cloudmw.core.model.ByteRange;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A range of one chunk, cut to the mode's size, until its last leaf is delivered; under way as none, one or two blocks. */
final class WantedRange {
    final ChunkRoutes chunk;
    /** Counts the pieces as cut from the plan; a part that was split off has its origin's. */
    final long sequence;
    /** Of its first byte among all bytes planned. */
    final long position;
    /** The blocks it is issued as now, in the order they were issued. */
    final List<BlockProgress> flights = new ArrayList<>(2);

    /** It changed hands because nobody had begun it: done once, or it would wait at the end of every queue. */
    boolean moved;

    /** The helpers that what is missing of it belongs to, as {@link BlockOwners} has them; null: nobody asked yet. */
    int @Nullable [] homes;

    private final long start;
    private ByteRange missing;
    private int reissues;
    /** Why it will be issued next. */
    IssueReason next = IssueReason.PLANNED;

    WantedRange(ChunkRoutes chunk, long sequence, long position, ByteRange range) {
        this.chunk = chunk;
        this.sequence = sequence;
        this.position = position;
        this.start = range.offset();
        this.missing = range;
    }

    /** What is not delivered yet, within the chunk. */
    ByteRange missing() {
        return missing;
    }

    /** The first position after it. */
    long endPosition() {
        return position + missing.end() - start;
    }

    /** The next leaf arrived. */
    void leafDelivered() {
        long leaf = nextLeafBytes();
        missing = new ByteRange(missing.offset() + leaf, missing.length() - leaf);
        reissues = 0;
        homes = null;
    }

    long nextLeafBytes() {
        return Math.min(chunk.plan.leafSizeBytes(), missing.length());
    }

    /** Splits off everything from {@code offset}, which is within what is missing, on a leaf's edge. */
    WantedRange splitAt(long offset) {
        WantedRange tail = new WantedRange(
                chunk, sequence, position + offset - start, new ByteRange(offset, missing.end() - offset));
        missing = new ByteRange(missing.offset(), offset - missing.offset());
        return tail;
    }

    /** Counts how often it was issued again since a leaf arrived. */
    int reissued() {
        return ++reissues;
    }

    int reissues() {
        return reissues;
    }

    /** As {@link ChunkRoutes#resort}; it is then as if the piece had never been issued. */
    boolean resort() {
        if (!chunk.resort()) {
            return false;
        }
        reissues = 0;
        return true;
    }
}
