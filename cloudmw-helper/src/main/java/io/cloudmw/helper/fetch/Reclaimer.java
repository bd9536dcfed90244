package io.cloudmw.helper.fetch;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.memory.ByteBudget;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.time.Ticker;
import io.cloudmw.helper.block.WantedBlock;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.LongConsumer;

/**
 * The reclaimer of memory and spool room from idle readers. When a budget is full, it frees the blocks of readers that
 * have taken nothing for a while; the blocks are fetched again when their readers go on ({@link ReclaimableBlock}).
 * Safe for any thread; never blocks.
 */
public final class Reclaimer {
    /** Pause after a search that found nothing, since every leaf without room starts one. */
    private static final long SEARCH_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** The fraction of a budget that is reclaimed at once, so that not every leaf starts a search. */
    private static final int RECLAIMED_FRACTION = 32;

    private final long idleNanos;
    private final Ticker ticker;
    private final LongConsumer reclaimed;

    private final Map<Object, Reader> readers = new ConcurrentHashMap<>();

    /** Blocks whose bytes are all here. */
    private final Set<ReclaimableBlock> whole = ConcurrentHashMap.newKeySet();

    /**
     * Creates a reclaimer without blocks.
     *
     * @param idleNanos time after which a reader that takes nothing counts as idle
     * @param reclaimed hears how many bytes of a block were reclaimed
     */
    public Reclaimer(long idleNanos, Ticker ticker, LongConsumer reclaimed) {
        this.idleNanos = idleNanos;
        this.ticker = ticker;
        this.reclaimed = reclaimed;
    }

    /**
     * A fetcher whose blocks may be reclaimed. Each block is for one stream.
     *
     * @param reader identifies the reader of a requester; a reader that takes one block keeps all of its blocks
     */
    public BlockFetcher over(BlockFetcher fetcher, Function<Requester, Object> reader) {
        return new BlockFetcher() {
            @Override
            public BlockAttempt start(
                    Requester requester, WantedBlock block, StoreId store, BlockAttempt.Listener listener)
                    throws CloudMwException {
                ReclaimableBlock reclaimable = new ReclaimableBlock(
                        Reclaimer.this,
                        enter(reader.apply(requester)),
                        block,
                        listener,
                        (part, again) -> fetcher.start(requester, part, store, again));
                return reclaimable.start();
            }

            @Override
            public boolean keeps(WantedBlock block) {
                return fetcher.keeps(block);
            }

            @Override
            public void doubt(WantedBlock block) {
                fetcher.doubt(block);
            }
        };
    }

    /** The relief of one budget: it reclaims blocks that hold some of it. */
    public ByteBudget.Relief relief() {
        return new IdleSearch();
    }

    /** The search for blocks of idle readers. A single thread searches at a time; the others find nothing. */
    private final class IdleSearch implements ByteBudget.Relief {
        private final AtomicBoolean searching = new AtomicBoolean();
        private volatile long againNanos = ticker.nanos();

        @Override
        public void relieve(ByteBudget budget, long bytes) {
            if (ticker.nanos() - againNanos >= 0 && searching.compareAndSet(false, true)) {
                try {
                    search(budget, Math.max(bytes, budget.limitBytes() / RECLAIMED_FRACTION));
                } finally {
                    searching.set(false);
                }
            }
        }

        private void search(ByteBudget budget, long bytes) {
            long now = ticker.nanos();
            for (IdleBlock idle : idle(budget, now)) {
                reclaimed.accept(idle.block().reclaim(budget, now - idleNanos));
                if (budget.limitBytes() - budget.usedBytes() >= bytes) {
                    return;
                }
            }
            againNanos = now + SEARCH_PAUSE_NANOS;
        }
    }

    /** A snapshot of a block's idle time, which may change during the search. */
    private record IdleBlock(ReclaimableBlock block, long readersNanos, long nanos) {}

    /**
     * Blocks of idle readers. The longest idle reader comes first; of one reader, the block that arrived last comes
     * first, since a reader in order needs it last. Reclaiming a block need not make room, because blocks may share
     * bytes.
     */
    private List<IdleBlock> idle(ByteBudget budget, long now) {
        return whole.stream()
                .map(block -> new IdleBlock(block, now - block.reader().takenNanos(), now - block.takenNanos()))
                .filter(idle -> idle.readersNanos() >= idleNanos && idle.block().holds(budget) > 0)
                .sorted(Comparator.comparingLong(IdleBlock::readersNanos)
                        .reversed()
                        .thenComparingLong(IdleBlock::nanos))
                .toList();
    }

    /** A reader of blocks; kept as long as it has one. */
    final class Reader {
        private final Object key;
        private volatile long takenNanos = ticker.nanos();
        /** Number of blocks; changed inside {@code compute} of the map only. */
        private int blocks;

        private Reader(Object key) {
            this.key = key;
        }

        /** Notes that the reader takes a leaf, or requests a block. */
        void touch() {
            takenNanos = ticker.nanos();
        }

        long takenNanos() {
            return takenNanos;
        }

        /** Notes that the reader has one block less. */
        void leave() {
            readers.computeIfPresent(key, (same, reader) -> --reader.blocks == 0 ? null : reader);
        }
    }

    private Reader enter(Object key) {
        Reader entered = Objects.requireNonNull(readers.compute(key, (same, known) -> {
            Reader reader = known == null ? new Reader(key) : known;
            reader.blocks++;
            return reader;
        }));
        entered.touch();
        return entered;
    }

    long nanos() {
        return ticker.nanos();
    }

    void add(ReclaimableBlock block) {
        whole.add(block);
    }

    /** Removes a block; returns false when it was not there. */
    boolean remove(ReclaimableBlock block) {
        return whole.remove(block);
    }
}
