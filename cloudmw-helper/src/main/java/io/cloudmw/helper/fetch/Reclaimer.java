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
 * Has readers who stopped reading cost others no room: when room is short, blocks of readers who have taken nothing for a while are
 * given up, and fetched again when they go on ({@link ReclaimableBlock}). Safe for any thread; never blocks.
 */
public final class Reclaimer {
    /** After it was looked for in vain: it is asked for with every leaf that finds no room. */
    private static final long LOOK_AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** Of all the room, what is made at once, so that not every leaf looks for its own. */
    private static final int SHARE_AT_ONCE = 32;

    private final long idleNanos;
    private final Ticker ticker;
    private final LongConsumer reclaimed;

    private final Map<Object, Reader> readers = new ConcurrentHashMap<>();

    /** Blocks that are here as a whole. */
    private final Set<ReclaimableBlock> whole = ConcurrentHashMap.newKeySet();

    /**
     * Knows of no blocks yet.
     *
     * @param idleNanos how long whoever wants what may be given up has taken nothing
     * @param reclaimed told how many bytes of a block were given up
     */
    public Reclaimer(long idleNanos, Ticker ticker, LongConsumer reclaimed) {
        this.idleNanos = idleNanos;
        this.ticker = ticker;
        this.reclaimed = reclaimed;
    }

    /**
     * The same way to get blocks, of which those that nobody takes may be given up. They are for one stream each.
     *
     * @param reader whose they are: as long as he takes some, he is going to take the others
     */
    public BlockFetcher over(BlockFetcher way, Function<Requester, Object> reader) {
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
                        (part, again) -> way.start(requester, part, store, again));
                return reclaimable.start();
            }

            @Override
            public boolean keeps(WantedBlock block) {
                return way.keeps(block);
            }

            @Override
            public void doubt(WantedBlock block) {
                way.doubt(block);
            }
        };
    }

    /** Makes room in one budget, which is not told of others. */
    public ByteBudget.Relief relief() {
        return new Looking();
    }

    /** One thread looks at a time; the others are told nothing was found. */
    private final class Looking implements ByteBudget.Relief {
        private final AtomicBoolean looking = new AtomicBoolean();
        private volatile long againNanos = ticker.nanos();

        @Override
        public void relieve(ByteBudget budget, long bytes) {
            if (ticker.nanos() - againNanos >= 0 && looking.compareAndSet(false, true)) {
                try {
                    look(budget, Math.max(bytes, budget.limitBytes() / SHARE_AT_ONCE));
                } finally {
                    looking.set(false);
                }
            }
        }

        private void look(ByteBudget budget, long bytes) {
            long now = ticker.nanos();
            for (Rest rest : idle(budget, now)) {
                reclaimed.accept(rest.block().giveUp(budget, now - idleNanos));
                if (budget.limitBytes() - budget.usedBytes() >= bytes) {
                    return;
                }
            }
            againNanos = now + LOOK_AGAIN_NANOS;
        }
    }

    /** What was seen of a block once: it may change while others are looked at. */
    private record Rest(ReclaimableBlock block, long readersNanos, long nanos) {}

    /**
     * Those of who rests longest first; of one reader those that came last, for who reads in order needs them last. Others may hold
     * the same bytes: letting go of one block need not make room.
     */
    private List<Rest> idle(ByteBudget budget, long now) {
        return whole.stream()
                .map(block -> new Rest(block, now - block.reader().takenNanos(), now - block.takenNanos()))
                .filter(rest -> rest.readersNanos() >= idleNanos && rest.block().holds(budget) > 0)
                .sorted(Comparator.comparingLong(Rest::readersNanos).reversed().thenComparingLong(Rest::nanos))
                .toList();
    }

    /** Who wants some blocks; kept as long as he does. */
    final class Reader {
        private final Object key;
        private volatile long takenNanos = ticker.nanos();
        /** Changed for its key alone at a time. */
        private int blocks;

        private Reader(Object key) {
            this.key = key;
        }

        /** He takes something now, or asks for more. */
        void takes() {
            takenNanos = ticker.nanos();
        }

        long takenNanos() {
            return takenNanos;
        }

        /** He has one block less. */
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
        entered.takes();
        return entered;
    }

    long nanos() {
        return ticker.nanos();
    }

    void add(ReclaimableBlock block) {
        whole.add(block);
    }

    /** Whether it was one of them. */
    boolean remove(ReclaimableBlock block) {
        return whole.remove(block);
    }
}
