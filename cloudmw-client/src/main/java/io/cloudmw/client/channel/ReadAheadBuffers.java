package io.cloudmw.client.channel;

import io.cloudmw.client.FileOperations;
import io.cloudmw.client.GetOptions;
import io.cloudmw.core.cache.BoundedFetchCache;
import io.cloudmw.core.model.Priority;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.time.Ticker;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ArrayBlockingQueue;

/**
 * The memory that all channels share: the pieces that were read ahead, and the limit on reads that run ahead. Safe for
 * any thread.
 */
final class ReadAheadBuffers {
    private static final int MOST_AHEAD = 16;
    private static final int MOST_FREE = 1024;

    private final FileOperations files;
    private final BoundedFetchCache<PieceKey> pieces;
    private final ReadAheadSlots slots;

    /** Arrays of evicted pieces. With those of pieces they are never more than the limit has room for. */
    private final Queue<byte[]> free;

    private final int ahead;
    private final Ticker ticker;

    /** @param memoryBytes bytes of pieces, present and in flight */
    ReadAheadBuffers(FileOperations files, long memoryBytes, Ticker ticker) {
        this.files = files;
        this.pieces = new BoundedFetchCache<>(memoryBytes, this::keep);
        this.ticker = ticker;
        long count = memoryBytes / PieceLayout.PIECE_BYTES;
        this.free = new ArrayBlockingQueue<>((int) Math.max(1, Math.min(MOST_FREE, count)));
        this.ahead = (int) Math.min(MOST_AHEAD, Math.max(1, count / 4));
        // Half of the memory at most is in flight; the other half keeps what was read last.
        this.slots = new ReadAheadSlots((int) Math.max(1, Math.min(BoundedFetchCache.MAX_RUNNING, count / 2) / ahead));
    }

    /** The pieces. Their arrays are used again: they are read by {@link BoundedFetchCache#use} alone. */
    BoundedFetchCache<PieceKey> pieces() {
        return pieces;
    }

    private void keep(byte[] evicted) {
        if (evicted.length == PieceLayout.PIECE_BYTES) {
            boolean unused = free.offer(evicted);
        }
    }

    /** An array for the bytes of a piece; it may hold those of another. */
    byte[] allocate(int length) {
        byte[] used = free.poll(); // dropped when it is too long: the limit has room for one of both
        return used == null || used.length != length ? new byte[length] : used;
    }

    /** The number of pieces that one reader requests ahead. */
    int ahead() {
        return ahead;
    }

    /**
     * Begins to read a version from a piece to its end.
     *
     * @return empty when too many other reads run ahead
     */
    Optional<SequentialFetch> fetch(FileVersion version, PieceLayout layout, long first) {
        SequentialFetch fetch = new SequentialFetch(layout, first, this::allocate, ticker);
        if (!slots.take(fetch)) {
            return Optional.empty();
        }
        GetOptions options = GetOptions.defaults()
                .withVersion(version.id())
                .withRange(fetch.range())
                .withPriority(Priority.INTERACTIVE);
        fetch.transfer(files.read(version.file(), fetch, options));
        return Optional.of(fetch);
    }

    /** Ends the reads ahead that were abandoned; to be called now and then. */
    void endAbandoned() {
        slots.endAbandoned();
    }
}
