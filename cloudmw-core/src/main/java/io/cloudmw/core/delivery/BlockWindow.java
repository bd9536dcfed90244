package io.cloudmw.core.delivery;

import io.cloudmw.core.mode.ModePolicy;
import io.cloudmw.core.model.ByteRange;
import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.Collection;
import java.util.Deque;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What of the file is planned, what of it is open, and what of that waits for a racer. */
final class BlockWindow {
    private static final int MOST_PLANNED = 16;

    private final ModePolicy.Blocks blocks;
    private final boolean inOrder;
    private final Deque<ChunkRoutes> planned = new ArrayDeque<>();
    /** Cut and not yet delivered, by position. */
    private final TreeMap<Long, WantedRange> open = new TreeMap<>();
    /** Those of the open ones that are not issued. */
    private final TreeMap<Long, WantedRange> ready = new TreeMap<>();
    /** Helpers that may bring nothing of what is ready: where blocks belong to few, all others would look with every leaf. */
    private final BitSet unneeded = new BitSet();

    private @Nullable WantedRange uncut;
    private long nextSequence;
    private long nextPosition;
    private long lastChunk = -1;
    private boolean ended;
    /** Since when the lowest of the open ones is the lowest. */
    private long lowestSinceNanos;

    /** @param inOrder whether chunks must come in their order */
    BlockWindow(ModePolicy.Blocks blocks, boolean inOrder) {
        this.blocks = blocks;
        this.inOrder = inOrder;
    }

    void end() {
        ended = true;
    }

    boolean wantsPlan() {
        return !ended && planned.size() < Math.min(MOST_PLANNED, blocks.windowBlocks());
    }

    /** Whether there is more of what is planned than is open. */
    boolean hasMore() {
        return !planned.isEmpty();
    }

    boolean isDone() {
        return ended && planned.isEmpty() && open.isEmpty();
    }

    int remembered() {
        return planned.size() + open.size();
    }

    void plan(DeliveryEvent.Planned chunk) {
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

    /** Cuts the next piece and opens it; null when nothing is planned, or the window is full. */
    @Nullable
    WantedRange openNext(long nowNanos) {
        ChunkRoutes chunk = planned.peek();
        if (chunk == null) {
            return null;
        }
        if (uncut == null || uncut.chunk != chunk) {
            uncut = new WantedRange(chunk, nextSequence, nextPosition, chunk.plan.range());
        }
        WantedRange next = uncut;
        long cut = cut(next);
        long length = cut - next.missing().offset();
        if (!isWithin(next.position + length)) {
            return null;
        }
        if (cut < next.missing().end()) {
            WantedRange rest = next.splitAt(cut);
            uncut = new WantedRange(chunk, nextSequence + 1, rest.position, rest.missing());
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
        return next;
    }

    /** Where the first block of {@code piece} ends: at a multiple of the block size in the chunk, so that blocks align. */
    private long cut(WantedRange piece) {
        ByteRange range = piece.missing();
        long leaf = piece.chunk.plan.leafSizeBytes();
        if (blocks.blockBytes() >= piece.chunk.plan.chunkLength()) {
            return range.end();
        }
        long block = Math.max(1, blocks.blockBytes() / leaf) * leaf;
        return Math.min(range.end(), (range.offset() / block + 1) * block);
    }

    private boolean isWithin(long endPosition) {
        if (open.isEmpty()) {
            return true;
        }
        WantedRange lowest = lowest();
        return nextSequence < lowest.sequence + blocks.windowBlocks()
                && endPosition - lowest.position <= blocks.windowBytes();
    }

    /** Opens a part split off one that is open. */
    void add(WantedRange piece) {
        open.put(piece.position, piece);
        unissued(piece);
    }

    void issued(WantedRange piece) {
        ready.remove(piece.position);
    }

    void unissued(WantedRange piece) {
        ready.put(piece.position, piece);
        unneeded.clear();
    }

    void delivered(WantedRange piece, long nowNanos) {
        if (piece == lowest()) {
            lowestSinceNanos = nowNanos;
        }
        open.remove(piece.position);
        ready.remove(piece.position);
    }

    boolean isOpen() {
        return !open.isEmpty();
    }

    WantedRange lowest() {
        return open.firstEntry().getValue();
    }

    boolean isLowest(WantedRange piece) {
        return !open.isEmpty() && lowest() == piece;
    }

    long lowestSinceNanos() {
        return lowestSinceNanos;
    }

    /** In their order. */
    Collection<WantedRange> open() {
        return open.values();
    }

    Collection<WantedRange> ready() {
        return ready.values();
    }

    /** False when there is nothing ready that this helper may bring. */
    boolean mayNeed(int helper) {
        return !unneeded.get(helper);
    }

    /** Nothing that is ready is this helper's to bring, and so it stays until more is ready or {@link #waysChanged}. */
    void needsNot(int helper) {
        unneeded.set(helper);
    }

    /** Others than before may bring what is ready: a helper is gone, a way to a chunk has failed, or one more may be tried. */
    void waysChanged() {
        unneeded.clear();
    }
}
