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
import io.cloudmw.helper.fetch.Upstream;
import io.cloudmw.helper.fetch.WantedBlock;
import java.util.ArrayList;
import java.util.Comparator;
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
 * when a reader says that the first is late. It asks one after the other: the disk tier, where that has them, the switches
 * above this one, the nearest first, and the store; what has come before one of them fails is not asked for again. Its
 * state is guarded by its {@link SharedFetching}'s lock, which is never held when a reader is told something.
 */
final class Flight {
    /** Where a leaf may be asked for, and by whom. */
    record Source(Requester requester, StoreId store) {}

    private final SharedFetching fetching;
    private final WantedBlock block;
    /** Where it asks, one after the other. */
    private final List<Stop> route = new ArrayList<>();

    /** Who waits for it is higher, and whom it waits for is lower. */
    private final int height;

    /** Of the switches above this one, the one that reads the store; null: this one does. */
    private final Upstream.@Nullable Parent root;

    private final int firstLeaf;
    private final Set<SharedAttempt> readers = new LinkedHashSet<>();
    private final Map<LeafKey, Leaf> landed = new HashMap<>();
    private final List<Leg> legs = new ArrayList<>();
    private boolean begun;
    private boolean over;

    /** @param above switches that are asked before the source */
    Flight(SharedFetching fetching, WantedBlock block, Source source, Optional<DiskTier> disk, Upstream.Above above) {
        this.fetching = fetching;
        this.block = block;
        this.height = above.height();
        this.root = above.parents().stream()
                .min(Comparator.comparingInt(Upstream.Parent::height))
                .orElse(null);
        disk.ifPresent(tier -> route.add(new Stop.OfDisk(fetching, tier, source)));
        above.parents().forEach(parent -> route.add(new Stop.OfParent(fetching, parent, block.named(source.store()))));
        route.add(new Stop.OfStore(fetching, source));
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

    /** Whether it expects of its leaf {@code key} what this reader does, as far as he wants it. */
    boolean agrees(SharedAttempt reader, LeafKey key) {
        int leaf = key.leaf() - firstLeaf;
        return reader.expects(
                reader.index(key), block.leaves().length(leaf), block.leaves().crc32c(leaf));
    }

    int height() {
        return height;
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
        start(route.get(0), false);
    }

    /**
     * Tells a reader that joined how far it is. One that makes up for another finds it late: the store he names is asked
     * besides, by the switch that reads it, unless two are asked already.
     */
    void help(Source other, SharedAttempt reader) {
        boolean second;
        boolean started;
        synchronized (fetching.lock()) {
            started = begun;
            second = reader.block().extra()
                    && legs.size() == 1
                    && !legs.get(0).stop.isStore(other.store());
        }
        if (started) {
            reader.begun();
        }
        if (second) {
            start(
                    root == null
                            ? new Stop.OfStore(fetching, other)
                            : new Stop.OfParent(fetching, root, block.named(other.store())),
                    true);
        }
    }

    private void start(Stop stop, boolean extra) {
        Leg leg;
        WantedBlock rest;
        synchronized (fetching.lock()) {
            int missing = firstMissing();
            if (over || missing == block.leaves().leaves()) {
                return;
            }
            rest = block.part(missing, block.leaves().leaves() - missing).asRaced(extra);
            leg = new Leg(missing, stop);
            legs.add(leg);
        }
        try {
            leg.started(stop.ask(rest, leg));
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
                leg.stop.landed(key, leaf);
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
        LeafKey failed = key(Math.min(leg.first + leg.taken, block.leaves().leaves() - 1));
        leg.stop.failed(failed, cause);
        Optional<Stop> next;
        List<SharedAttempt> waiting;
        synchronized (fetching.lock()) {
            boolean last = legs.remove(leg) && legs.isEmpty() && !over;
            if (!last) {
                return;
            }
            next = leg.stop.passesOn(cause) ? Optional.of(after(leg.stop)) : Optional.empty();
            waiting = List.copyOf(readers);
        }
        if (next.isPresent()) {
            leg.stop.passedOn();
            start(next.get(), false);
        } else {
            end();
            waiting.forEach(reader -> reader.failed(
                    leg.stop.isBlaming(reader.store()) && agrees(reader, failed) ? cause : ofAnother(cause)));
        }
    }

    /** Where to go on: at the next, or, after one that was asked besides, at the store. */
    private Stop after(Stop stop) {
        int next = route.indexOf(stop) + 1;
        return route.get(next > 0 && next < route.size() ? next : route.size() - 1);
    }

    /** What a reader is told of a store, or a leaf, that it did not name: its own copy is not what is wrong. */
    private static CloudMwException ofAnother(CloudMwException cause) {
        return cause.code() == ErrorCode.REPLICA_CORRUPT || cause.code() == ErrorCode.REPLICA_MISSING
                ? new CloudMwException(ErrorCode.STORE_UNAVAILABLE, String.valueOf(cause.getMessage()), cause)
                : cause;
    }

    /** One attempt, from a leaf on. */
    private final class Leg implements Attempt.Listener {
        private final int first;
        private final Stop stop;

        @GuardedBy("this")
        private @Nullable Attempt attempt;

        @GuardedBy("this")
        private boolean cancelled;

        /** Written by the thread that fetches. */
        private volatile int taken;

        private volatile @Nullable FetchedBlock growing;

        Leg(int first, Stop stop) {
            this.first = first;
            this.stop = stop;
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
            FetchedBlock here = growing;
            if (here != null) {
                take(here, bytes);
            }
        }

        private void take(FetchedBlock grown, long bytes) {
            while (taken < grown.block().leaves().leaves()
                    && grown.block().leaves().offset(taken)
                                    + grown.block().leaves().length(taken)
                            <= bytes) {
                int leaf = taken;
                taken = leaf + 1;
                stop.came(grown.block().leaves().length(leaf));
                grown.leaf(leaf).ifPresent(held -> land(this, first + leaf, held));
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
