package io.cloudmw.core.delivery;

import io.cloudmw.core.mode.ModePolicy;
import io.cloudmw.core.model.ByteRange;
import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.Collection;
import java.util.Deque;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The window of ranges that are open: cut from the planned chunks and not yet delivered, some of them not issued. */
final class BlockWindow {
    private static final int MOST_PLANNED = 16;

    private final ModePolicy.Blocks blocks;
    private final boolean inOrder;
    private final Deque<ChunkRoutes> planned = new ArrayDeque<>();
    /** By position. */
    private final TreeMap<Long, WantedRange> open = new TreeMap<>();
    /** The open ranges that are not issued, by position. */
    private final TreeMap<Long, WantedRange> ready = new TreeMap<>();
    /**
     * Helpers that may bring nothing that is ready. Where few helpers own a block, the others would look at every
     * leaf.
     */
    private final BitSet unneeded = new BitSet();

    private @Nullable WantedRange uncut;
    private long nextSequence;
    private long nextPosition;
    private long lastChunk = -1;
    private boolean ended;
    private long lowestSinceNanos;

    /** @param inOrder whether chunks must be planned in their order */
    BlockWindow(ModePolicy.Blocks blocks, boolean inOrder) {
        this.blocks = blocks;
        this.inOrder = inOrder;
    }

    // ---- plan

    /** No chunk follows. */
    void end() {
        ended = true;
    }

    boolean wantsPlan() {
        return !ended && planned.size() < Math.min(MOST_PLANNED, blocks.windowBlocks());
    }

    /** Returns whether more is planned than is open. */
    boolean hasMore() {
        return !planned.isEmpty();
    }

    boolean isDone() {
        return ended && planned.isEmpty() && open.isEmpty();
    }

    int remembered() {
        return planned.size() + open.size();
    }

    void plan(ChunkPlan chunk) {
        if (!wantsPlan()) {
            throw new IllegalStateException("chunk " + chunk.chunkIndex() + " planned although no more are wanted");
        }
        if (inOrder && chunk.chunkIndex() <= lastChunk) {
            throw new IllegalArgumentException(
                    "chunkIndex: " + chunk.chunkIndex() + " (expected: after " + lastChunk + ")");
        }
        lastChunk = chunk.chunkIndex();
        if (!chunk.range().isEmpty()) {
            planned.add(new ChunkRoutes(chunk));
        }
    }

    // ---- cutting

    /** Cuts the next range and opens it; false when nothing is planned, or the window is full. */
    boolean openNext(long nowNanos) {
        ChunkRoutes chunk = planned.peek();
        if (chunk == null) {
            return false;
        }
        if (uncut == null || uncut.chunk() != chunk) {
            uncut = new WantedRange(
                    chunk, nextSequence, nextPosition, chunk.plan().range());
        }
        WantedRange next = uncut;
        long cut = firstCut(next);
        long length = cut - next.missing().offset();
        if (!isWithin(next.position() + length)) {
            return false;
        }
        if (cut < next.missing().end()) {
            WantedRange rest = next.splitAt(cut);
            uncut = new WantedRange(chunk, nextSequence + 1, rest.position(), rest.missing());
        } else {
            planned.remove();
            uncut = null;
        }
        nextSequence++;
        nextPosition += length;
        if (open.isEmpty()) {
            lowestSinceNanos = nowNanos;
        }
        add(next);
        return true;
    }

    /**
     * The end of the first block of {@code range}: at a multiple of the block size in the chunk, so that blocks
     * align.
     */
    private long firstCut(WantedRange range) {
        ByteRange missing = range.missing();
        ChunkPlan plan = range.chunk().plan();
        long leaf = plan.leafSizeBytes();
        if (blocks.blockBytes() >= plan.chunkLength()) {
            return missing.end();
        }
        long block = Math.max(1, blocks.blockBytes() / leaf) * leaf;
        return Math.min(missing.end(), (missing.offset() / block + 1) * block);
    }

    private boolean isWithin(long endPosition) {
        if (open.isEmpty()) {
            return true;
        }
        WantedRange lowest = lowest();
        return nextSequence < lowest.sequence() + blocks.windowBlocks()
                && endPosition - lowest.position() <= blocks.windowBytes();
    }

    /** Opens a part split off an open range. */
    void add(WantedRange range) {
        open.put(range.position(), range);
        unissued(range);
    }

    // ---- open ranges

    void issued(WantedRange range) {
        ready.remove(range.position());
    }

    void unissued(WantedRange range) {
        ready.put(range.position(), range);
        unneeded.clear();
    }

    void delivered(WantedRange range, long nowNanos) {
        if (range == lowest()) {
            lowestSinceNanos = nowNanos;
        }
        open.remove(range.position());
        ready.remove(range.position());
    }

    boolean isOpen() {
        return !open.isEmpty();
    }

    /** The lowest open range; there must be one. */
    WantedRange lowest() {
        return open.firstEntry().getValue();
    }

    boolean isLowest(WantedRange range) {
        return !open.isEmpty() && lowest() == range;
    }

    /** Since when the lowest open range is the lowest. */
    long lowestSinceNanos() {
        return lowestSinceNanos;
    }

    /** The open ranges, by position. */
    Collection<WantedRange> open() {
        return open.values();
    }

    /** The open ranges that are not issued, by position. */
    Collection<WantedRange> ready() {
        return ready.values();
    }

    // ---- helpers that may bring nothing

    /** False when this helper may bring nothing that is ready. */
    boolean mayNeed(int helper) {
        return !unneeded.get(helper + 1);
    }

    /** Notes that this helper may bring nothing that is ready, until more is ready or {@link #routesChanged}. */
    void needsNot(int helper) {
        unneeded.set(helper + 1);
    }

    /**
     * Notes that other helpers may bring what is ready: a helper is gone, a route failed, or one may be tried again.
     */
    void routesChanged() {
        unneeded.clear();
    }
}
