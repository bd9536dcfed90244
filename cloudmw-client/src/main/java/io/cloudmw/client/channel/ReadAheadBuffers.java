package io.cloudmw.client.channel;

import io.cloudmw.client.FileOperations;
import io.cloudmw.client.GetOptions;
import io.cloudmw.core.cache.BoundedFetchCache;
import io.cloudmw.core.model.Priority;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.time.Ticker;
import java.util.Optional;

/**
 * The memory that all channels share: the pieces that were read ahead, and the limit on reads that run ahead. Safe for
 * any thread.
 */
final class ReadAheadBuffers {
    private static final int MOST_AHEAD = 16;

    private final FileOperations files;
    private final BoundedFetchCache<PieceKey> pieces;
    private final ReadAheadSlots slots;
    private final int ahead;
    private final Ticker ticker;

    /** @param memoryBytes bytes of pieces, present and in flight */
    ReadAheadBuffers(FileOperations files, long memoryBytes, Ticker ticker) {
        this.files = files;
        this.pieces = new BoundedFetchCache<>(memoryBytes);
        this.ticker = ticker;
        long count = memoryBytes / PieceLayout.PIECE_BYTES;
        this.ahead = (int) Math.min(MOST_AHEAD, Math.max(1, count / 4));
        // Half of the memory at most is in flight; the other half keeps what was read last.
        this.slots = new ReadAheadSlots((int) Math.max(1, Math.min(BoundedFetchCache.MAX_RUNNING, count / 2) / ahead));
    }

    BoundedFetchCache<PieceKey> pieces() {
        return pieces;
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
        SequentialFetch fetch = new SequentialFetch(layout, first, ticker);
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
