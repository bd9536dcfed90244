package io.cloudmw.helper.cache;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.cache.LeafKey;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.Priority;
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
import java.util.HashSet;
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
    private final Optional<DiskTier> disk;
    /** Where it asks, one after the other; on behalf of the most urgent who wanted it before it began. */
    private List<Stop> route;

    private Priority urgency;
    /** When the right ends of whom it asks on behalf of. */
    private long untilMillis;

    /** Who waits for it is higher, and whom it waits for is lower. */
    private final int height;

    /** Of the switches above this one, the one that reads the store; null: this one does. */
    private final Upstream.@Nullable Parent root;

    private final int firstLeaf;
    private final Set<Reader> readers = new LinkedHashSet<>();
    private final Map<LeafKey, Leaf> landed = new HashMap<>();
    /** Leaves that are kept by now, as far as they ever will be. */
    private final Set<LeafKey> settled = new HashSet<>();

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
        this.disk = disk;
        this.route = route(fetching, block, disk, source, above);
        this.urgency = source.requester().tenant().priority();
        this.untilMillis = block.untilMillis();
        this.firstLeaf =
                Math.toIntExact(block.leaves().range().offset() / block.leaves().leafSizeBytes());
    }

    private static List<Stop> route(
            SharedFetching fetching, WantedBlock block, Optional<DiskTier> disk, Source source, Upstream.Above above) {
        List<Stop> stops = new ArrayList<>();
        disk.ifPresent(tier -> stops.add(new Stop.OfDisk(fetching, tier, source)));
        above.parents()
                .forEach(parent -> stops.add(
                        new Stop.OfParent(fetching, parent, source.requester(), block.named(source.store()))));
        stops.add(new Stop.OfStore(fetching, source));
        return stops;
    }

    /** Names its leaves. */
    List<LeafKey> keys() {
        return IntStream.range(0, block.leaves().leaves()).mapToObj(this::key).toList();
    }

    private LeafKey key(int index) {
        return new LeafKey(block.leaves().chunk(), firstLeaf + index);
    }

    /** Whether it expects of its leaf {@code key} what this reader does, as far as he wants it. */
    boolean agrees(Reader reader, LeafKey key) {
        int leaf = key.leaf() - firstLeaf;
        return reader.expects(
                reader.index(key), block.leaves().length(leaf), block.leaves().crc32c(leaf));
    }

    int height() {
        return height;
    }

    // ---- with the lock held

    void join(Reader reader) {
        readers.add(reader);
        reader.flights().add(this);
    }

    /** A leaf that has come, for the caller to release. */
    Optional<Leaf> landed(LeafKey key) {
        return Optional.ofNullable(landed.get(key)).filter(Leaf::retain);
    }

    /** Whether this leaf has come and is kept, as far as it ever will be. */
    boolean isSettled(LeafKey key) {
        return settled.contains(key);
    }

    /** Whether the last reader has left before all has come. Nobody joins it then. */
    boolean leave(Reader reader) {
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
        Stop first;
        synchronized (fetching.lock()) {
            first = route.get(0);
        }
        start(first, false, until());
    }

    /**
     * Tells a reader that joined how far it is. One that is more urgent does not wait in the class of others. One that makes up
     * for another finds it late: the store he names is asked besides, by the switch that reads it, unless two are asked already.
     *
     * @param above whom he would ask before his store
     */
    void help(Source other, Upstream.Above above, Reader reader) {
        hurry(other, above, reader.block().untilMillis());
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
                            : new Stop.OfParent(fetching, root, other.requester(), block.named(other.store())),
                    true,
                    reader.block().untilMillis());
        }
    }

    private long until() {
        synchronized (fetching.lock()) {
            return untilMillis;
        }
    }

    /**
     * What nobody has begun to fetch is asked for anew, on behalf of a more urgent reader; who was asked before is let go. A
     * switch above that has given nothing yet may not have begun either, and is to hear of him.
     */
    private void hurry(Source other, Upstream.Above above, long othersUntilMillis) {
        Leg waiting;
        Leg urgent;
        synchronized (fetching.lock()) {
            Priority wanted = other.requester().tenant().priority();
            // Who is waited for must stay lower than who waits for this flight.
            if (!isWaiting() || over || wanted.compareTo(urgency) >= 0 || above.height() > height) {
                return;
            }
            int place = legs.isEmpty() ? 0 : route.indexOf(legs.get(0).stop);
            if (place < 0) {
                return;
            }
            urgency = wanted;
            untilMillis = othersUntilMillis;
            route = route(fetching, block, disk, other, above);
            if (legs.isEmpty()) {
                return;
            }
            waiting = legs.get(0);
            urgent = new Leg(waiting.first, route.get(Math.min(place, route.size() - 1)), untilMillis);
            legs.add(urgent);
        }
        ask(urgent, false);
        @Nullable Leg spare = null;
        synchronized (fetching.lock()) {
            // One that has failed meanwhile is none of them any more.
            if (legs.contains(waiting) && legs.contains(urgent)) {
                spare = waiting.isBringing() ? urgent : waiting;
                legs.remove(spare);
            }
        }
        if (spare != null) {
            spare.cancel();
        }
    }

    /** With the lock held. */
    private boolean isWaiting() {
        return legs.isEmpty() ? !begun : legs.size() == 1 && !legs.get(0).isBringing();
    }

    private void start(Stop stop, boolean extra, long until) {
        Leg leg;
        synchronized (fetching.lock()) {
            int missing = firstMissing();
            if (over || missing == block.leaves().leaves()) {
                return;
            }
            leg = new Leg(missing, stop, until);
            legs.add(leg);
        }
        ask(leg, extra);
    }

    private void ask(Leg leg, boolean extra) {
        WantedBlock rest = block.part(leg.first, block.leaves().leaves() - leg.first)
                .asRaced(extra)
                .until(leg.untilMillis);
        try {
            leg.started(leg.stop.ask(rest, leg));
        } catch (CloudMwException e) {
            legFailed(leg, e, false); // there is no room here: nobody else is to be asked instead
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
        List<Reader> waiting;
        synchronized (fetching.lock()) {
            begun = true;
            waiting = List.copyOf(readers);
        }
        waiting.forEach(Reader::begun);
    }

    /** Gives a leaf to all who wait, then keeps it, and gives it to who waits for that. Takes over a hold on it. */
    private void land(Leg leg, int index, Leaf leaf) {
        LeafKey key = key(index);
        boolean wanted;
        List<Reader> waiting;
        synchronized (fetching.lock()) {
            wanted = !over && !landed.containsKey(key) && leaf.retain();
            if (wanted) {
                landed.put(key, leaf);
            }
            waiting = readers(false);
        }
        try {
            if (wanted) {
                give(leg, key, leaf, waiting);
                fetching.cache().remember(key, leaf);
                leg.stop.landed(key, leaf);
                synchronized (fetching.lock()) {
                    settled.add(key);
                    waiting = readers(true);
                }
                give(leg, key, leaf, waiting);
            }
        } finally {
            leaf.release();
        }
        endIfWhole(leg);
    }

    /** With the lock held. */
    private List<Reader> readers(boolean last) {
        return readers.stream().filter(reader -> reader.isLast() == last).toList();
    }

    private static void give(Leg leg, LeafKey key, Leaf leaf, List<Reader> waiting) {
        for (Reader reader : waiting) {
            if (leaf.retain()) {
                reader.arrived(reader.index(key), leaf, leg.stop);
                reader.tell();
            }
        }
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

    private void legFailed(Leg leg, CloudMwException cause, boolean asked) {
        LeafKey failed = key(Math.min(leg.first + leg.taken, block.leaves().leaves() - 1));
        leg.stop.failed(failed, cause);
        Optional<Stop> next;
        List<Reader> waiting;
        synchronized (fetching.lock()) {
            boolean last = legs.remove(leg) && legs.isEmpty() && !over;
            if (!last) {
                return;
            }
            next = asked && leg.stop.passesOn(cause) ? Optional.of(after(leg.stop)) : Optional.empty();
            waiting = List.copyOf(readers);
        }
        if (next.isPresent()) {
            leg.stop.passedOn();
            start(next.get(), false, until());
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
        private final long untilMillis;

        @GuardedBy("this")
        private @Nullable Attempt attempt;

        @GuardedBy("this")
        private boolean cancelled;

        /** Written by the thread that fetches. */
        private volatile int taken;

        private volatile @Nullable FetchedBlock growing;

        Leg(int first, Stop stop, long untilMillis) {
            this.untilMillis = untilMillis;
            this.first = first;
            this.stop = stop;
        }

        /** Whether it was begun where the bytes are. */
        boolean isBringing() {
            return stop.isParent() ? taken > 0 : growing != null;
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
            legFailed(
                    this, new CloudMwException(ErrorCode.INTERNAL, block + ": an attempt brought less than all"), true);
        }

        @Override
        public void failed(CloudMwException cause, long bytes) {
            legFailed(this, cause, true);
        }

        @Override
        public void cancelled(long bytes) {
            // By who has ended the flight.
        }
    }
}
