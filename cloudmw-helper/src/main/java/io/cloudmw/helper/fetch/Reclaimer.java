package io.cloudmw.helper.fetch;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.time.Ticker;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;

/**
 * Has readers who stopped reading cost others no room: when room is short, blocks of which nobody has taken anything for a while are
 * given up, and fetched again when somebody does ({@link ReclaimableBlock}). Safe for any thread; never blocks.
 */
public final class Reclaimer implements ByteBudget.Relief {
    /** After it was looked for in vain: it is asked for with every leaf that finds no room. */
    private static final long LOOK_AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final long idleNanos;
    private final Ticker ticker;
    private final LongConsumer reclaimed;

    /** Those that are here as a whole. */
    private final Set<ReclaimableBlock> whole = ConcurrentHashMap.newKeySet();

    private volatile long lookAgainNanos;

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
        this.lookAgainNanos = ticker.nanos();
    }

    /** The same way to get blocks, of which those that nobody takes may be given up. They are for one stream each. */
    public Fetching over(Fetching way) {
        return new Fetching() {
            @Override
            public Attempt start(Requester requester, WantedBlock block, StoreId store, Attempt.Listener listener)
                    throws CloudMwException {
                ReclaimableBlock reclaimable = new ReclaimableBlock(
                        Reclaimer.this, block, listener, again -> way.start(requester, block, store, again));
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

    /** Those that were taken of longest ago go first, until there is room: others may hold the same bytes. */
    @Override
    public void relieve(ByteBudget budget, long bytes) {
        long now = ticker.nanos();
        if (now - lookAgainNanos < 0) {
            return;
        }
        for (ReclaimableBlock block : idle(budget, now)) {
            reclaimed.accept(block.giveUp(budget, now - idleNanos));
            if (budget.limitBytes() - budget.usedBytes() >= bytes) {
                return;
            }
        }
        lookAgainNanos = now + LOOK_AGAIN_NANOS;
    }

    private List<ReclaimableBlock> idle(ByteBudget budget, long now) {
        return whole.stream()
                .filter(block -> now - block.takenNanos() >= idleNanos && block.holds(budget) > 0)
                .sorted(Comparator.comparingLong(block -> block.takenNanos() - now))
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
