package io.cloudmw.helper.fetch;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.time.Ticker;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongConsumer;

/**
 * Has readers who stopped reading cost others no room: when room is short, blocks of which nobody has taken anything for a while are
 * given up, and fetched again when somebody does ({@link ReclaimableBlock}). Safe for any thread; never blocks.
 */
public final class Reclaimer {
    /** After it was looked for in vain: it is asked for with every leaf that finds no room. */
    private static final long LOOK_AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** Of all the room, what is made at once, so that not every leaf looks for its own. */
    private static final int SHARE_AT_ONCE = 32;

    private final long idleNanos;
    private final Ticker ticker;
    private final LongConsumer reclaimed;

    /** Those that are here as a whole. */
    private final Set<ReclaimableBlock> whole = ConcurrentHashMap.newKeySet();

    /**
     * Knows of no blocks yet.
     *
     * @param idleNanos how long nobody has taken anything of what may be given up
     * @param reclaimed told how many bytes of a block were given up
     */
    public Reclaimer(long idleNanos, Ticker ticker, LongConsumer reclaimed) {
        this.idleNanos = idleNanos;
        this.ticker = ticker;
        this.reclaimed = reclaimed;
    }

    /** The same way to get blocks, of which those that nobody takes may be given up. They are for one stream each. */
    public Fetching over(Fetching way) {
        return new Fetching() {
            @Override
            public Attempt start(Requester requester, WantedBlock block, StoreId store, Attempt.Listener listener)
                    throws CloudMwException {
                ReclaimableBlock reclaimable = new ReclaimableBlock(
                        Reclaimer.this,
                        requester.tenant().client(),
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
    private record Rest(ReclaimableBlock block, long nanos) {}

    /**
     * Those of who rests longest first; of one reader those that came last, for who reads in order needs them last. Others may hold
     * the same bytes: letting go of one block need not make room.
     */
    private List<Rest> idle(ByteBudget budget, long now) {
        List<Rest> all = whole.stream()
                .map(block -> new Rest(block, now - block.takenNanos()))
                .toList();
        Map<String, Long> readers = new HashMap<>();
        all.forEach(rest -> readers.merge(rest.block().reader(), rest.nanos(), Math::min));
        return all.stream()
                .filter(rest -> rest.nanos() >= idleNanos && rest.block().holds(budget) > 0)
                .sorted(Comparator.<Rest, Long>comparing(
                                rest -> readers.getOrDefault(rest.block().reader(), 0L))
                        .reversed()
                        .thenComparing(Rest::nanos))
                .toList();
    }

    long nanos() {
        return ticker.nanos();
    }

    void add(ReclaimableBlock block) {
        whole.add(block);
    }

    void remove(ReclaimableBlock block) {
        whole.remove(block);
    }
}
