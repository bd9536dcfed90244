package io.cloudmw.helper.cache;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.cache.LeafKey;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.helper.fetch.Attempt;
import io.cloudmw.helper.fetch.FetchedBlock;
import io.cloudmw.helper.fetch.Leaf;
import io.cloudmw.helper.fetch.Requester;
import io.cloudmw.helper.fetch.WantedBlock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Some leaves of a chunk, in a row, that are being fetched for whoever wants them, by one attempt, or by a second beside it
 * when a reader says that the first is late. Its state is guarded by its {@link SharedFetching}'s lock, which is never held
 * when a reader is told something.
 */
final class Flight {
    /** Where a leaf may be asked for, and by whom. */
    record Source(Requester requester, StoreId store) {}

    private final SharedFetching fetching;
    private final WantedBlock block;
    private final Source source;
    /** Where it begins to look; null: at the source. */
    private final @Nullable DiskTier disk;

    private final int firstLeaf;
    private final Set<SharedAttempt> readers = new LinkedHashSet<>();
    private final Map<LeafKey, Leaf> landed = new HashMap<>();
    private final List<Leg> legs = new ArrayList<>();
    private boolean begun;
    private boolean over;

    Flight(SharedFetching fetching, WantedBlock block, Source source, Optional<DiskTier> disk) {
        this.fetching = fetching;
        this.block = block;
        this.source = source;
        this.disk = disk.orElse(null);
        this.firstLeaf =
                Math.toIntExact(block.leaves().range().offset() / block.leaves().leafSizeBytes());
    }

    /** Names its leaves. */
    List<LeafKey> keys() {
        return IntStream.range(0, block.leaves().leaves()).mapToObj(this::key).toList();
    }

    private LeafKey key(int index) {
        return new LeafKey(block.leaves().chunk(), firstLeaf + index);
    }

    // ---- with the lock held

    void join(SharedAttempt reader) {
        readers.add(reader);
        reader.flights().add(this);
    }

    /** A leaf that has come, for the caller to release. */
    Optional<Leaf> landed(LeafKey key) {
        return Optional.ofNullable(landed.get(key)).filter(Leaf::retain);
    }

    /** Whether the last reader has left before all has come. Nobody joins it then. */
    boolean leave(SharedAttempt reader) {
        boolean last = readers.remove(reader)
                && readers.isEmpty()
                && firstMissing() < block.leaves().leaves();
        if (last) {
            fetching.remove(this);
        }
        return last;
    }

    private int firstMissing() {
        int index = 0;
        while (index < block.leaves().leaves() && landed.containsKey(key(index))) {
            index++;
        }
        return index;
    }

    // ---- without

    /** Starts to fetch. */
    void begin() {
        DiskTier tier = disk;
        if (tier == null) {
            start(source, null, false);
        } else {
            TierStore store = new TierStore(tier, block.leaves().leafSizeBytes());
            Requester first = source.requester();
            Requester ofTier = new Requester(first.tenant(), first.deadlineNanos(), id -> store);
            start(new Source(ofTier, TierStore.ID), tier, false);
        }
    }

    /**
     * Tells a reader that joined how far it is. One that makes up for another finds it late: the store he names is asked
     * besides, unless two are asked already.
     */
    void help(Source other, SharedAttempt reader) {
        boolean second;
        boolean started;
        synchronized (fetching.lock()) {
            started = begun;
            second = reader.block().extra()
                    && legs.size() == 1
                    && !legs.get(0).from.store().equals(other.store());
        }
        if (started) {
            reader.begun();
        }
        if (second) {
            start(other, null, true);
        }
    }

    private void start(Source from, @Nullable DiskTier tier, boolean extra) {
        Leg leg;
        WantedBlock rest;
        synchronized (fetching.lock()) {
            int missing = firstMissing();
            if (over || missing == block.leaves().leaves()) {
                return;
            }
            rest = block.part(missing, block.leaves().leaves() - missing).asRaced(extra);
            leg = new Leg(missing, from, tier);
            legs.add(leg);
        }
        try {
            leg.started(fetching.fetcher()
                    .start(
                            from.requester(),
                            rest,
                            from.store(),
                            leg,
                            fetching.cache().room()));
        } catch (CloudMwException e) {
            leg.failed(e, 0);
        } catch (RuntimeException | Error e) {
            leg.failed(CloudMwException.ofDefect(rest.toString(), e), 0);
        }
    }

    /** Stops what still fetches, and lets go of what came. */
    void end() {
        List<Leaf> leaves;
        List<Leg> running;
        synchronized (fetching.lock()) {
            over = true;
            fetching.remove(this);
            leaves = List.copyOf(landed.values());
            landed.clear();
            running = List.copyOf(legs);
            legs.clear();
        }
        leaves.forEach(Leaf::release);
        running.forEach(Leg::cancel);
    }

    private void began() {
        List<SharedAttempt> waiting;
        synchronized (fetching.lock()) {
            begun = true;
            waiting = List.copyOf(readers);
        }
        waiting.forEach(SharedAttempt::begun);
    }

    /** Gives a leaf to all who wait, then keeps it. Takes over a hold on it. */
    private void land(Leg leg, int index, Leaf leaf) {
        LeafKey key = key(index);
        List<SharedAttempt> waiting;
        synchronized (fetching.lock()) {
            boolean wanted = !over && !landed.containsKey(key) && leaf.retain();
            if (wanted) {
                landed.put(key, leaf);
            }
            waiting = wanted ? List.copyOf(readers) : List.of();
        }
        try {
            for (SharedAttempt reader : waiting) {
                if (leaf.retain()) {
                    reader.arrived(reader.index(key), leaf);
                    reader.tell();
                }
            }
            if (!waiting.isEmpty()) {
                fetching.cache().remember(key, leaf);
                if (leg.tier == null) {
                    fetching.cache().save(key, leaf);
                }
            }
        } finally {
            leaf.release();
        }
        endIfWhole(leg);
    }

    /** What others still fetch is of no use then; {@code leg} is through by itself. */
    private void endIfWhole(Leg leg) {
        boolean whole;
        synchronized (fetching.lock()) {
            whole = !over && firstMissing() == block.leaves().leaves();
            if (whole) {
                legs.remove(leg);
            }
        }
        if (whole) {
            end();
        }
    }

    private void legFailed(Leg leg, CloudMwException cause) {
        if (leg.tier != null && isOfTheDisk(cause)) {
            leg.tier.damaged(key(leg.first + leg.taken));
        }
        List<SharedAttempt> waiting = List.of();
        synchronized (fetching.lock()) {
            boolean last = legs.remove(leg) && legs.isEmpty() && !over;
            if (!last) {
                return;
            }
            if (leg.tier == null || !isOfTheDisk(cause)) {
                waiting = List.copyOf(readers);
            }
        }
        if (!waiting.isEmpty()) {
            end();
            waiting.forEach(
                    reader -> reader.failed(leg.from.store().equals(reader.store()) ? cause : ofAnother(cause)));
        } else if (leg.tier != null) {
            start(source, null, false);
        }
    }

    /** What a reader is told of a store that it did not name: its own copy is not what is wrong. */
    private static CloudMwException ofAnother(CloudMwException cause) {
        return cause.code() == ErrorCode.REPLICA_CORRUPT || cause.code() == ErrorCode.REPLICA_MISSING
                ? new CloudMwException(ErrorCode.STORE_UNAVAILABLE, String.valueOf(cause.getMessage()), cause)
                : cause;
    }

    private static boolean isOfTheDisk(CloudMwException cause) {
        return cause.code() == ErrorCode.REPLICA_CORRUPT
                || cause.code() == ErrorCode.REPLICA_MISSING
                || cause.code() == ErrorCode.STORE_UNAVAILABLE;
    }

    /** One attempt, from a leaf on. */
    private final class Leg implements Attempt.Listener {
        private final int first;
        private final Source from;
        private final @Nullable DiskTier tier;

        @GuardedBy("this")
        private @Nullable Attempt attempt;

        @GuardedBy("this")
        private boolean cancelled;

        /** Written by the thread that fetches. */
        private volatile int taken;

        private volatile @Nullable FetchedBlock growing;

        Leg(int first, Source from, @Nullable DiskTier tier) {
            this.first = first;
            this.from = from;
            this.tier = tier;
        }

        void started(Attempt running) {
            boolean late;
            synchronized (this) {
                attempt = running;
                late = cancelled;
            }
            if (late) {
                running.cancel();
            }
        }

        void cancel() {
            Attempt running;
            synchronized (this) {
                cancelled = true;
                running = attempt;
            }
            if (running != null) {
                running.cancel();
            }
        }

        @Override
        public void began(FetchedBlock block) {
            growing = block;
            Flight.this.began();
        }

        @Override
        public void progressed(long bytes) {
            FetchedBlock source = growing;
            if (source != null) {
                take(source, bytes);
            }
        }

        private void take(FetchedBlock source, long bytes) {
            while (taken < source.block().leaves().leaves()
                    && source.block().leaves().offset(taken)
                                    + source.block().leaves().length(taken)
                            <= bytes) {
                int leaf = taken;
                taken = leaf + 1;
                if (tier == null) {
                    fetching.meters().fetched(source.block().leaves().length(leaf));
                }
                source.leaf(leaf).ifPresent(held -> land(this, first + leaf, held));
            }
        }

        @Override
        public void finished(FetchedBlock fetched) {
            take(fetched, fetched.availableBytes());
            fetched.close();
            legFailed(this, new CloudMwException(ErrorCode.INTERNAL, block + ": an attempt brought less than all"));
        }

        @Override
        public void failed(CloudMwException cause, long bytes) {
            legFailed(this, cause);
        }

        @Override
        public void cancelled(long bytes) {
            // By who has ended the flight.
        }
    }
}
