package io.cloudmw.helper.cache;

import io.cloudmw.core.cache.LeafKey;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.Priority;
import io.cloudmw.core.model.StoreId;
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
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Some leaves of a chunk, in a row, that are being fetched for whoever wants them, by one attempt, or by a second beside it
 * when a reader says that the first is late. It asks one after the other: the disk tier, where that has them, the switches
 * above this one, the nearest first, and the store; what has come before one of them fails is not asked for again. Until an
 * attempt begins it may wait for the turns of several readers, whichever comes first. Its
 * state is guarded by its {@link SharedFetching}'s lock, which is never held when a reader is told something.
 */
final class Flight implements Leg.Listener {
    /** Where a leaf may be asked for, and by whom. */
    record Source(Requester requester, StoreId store) {}

    /** Readers for whose turns it waits at once. */
    private static final int TURNS = 4;

    private final SharedFetching fetching;
    private final WantedBlock block;
    private final Optional<DiskTier> disk;
    /** On behalf of whom it asks: of the most urgent who wanted it before it began. */
    private Source source;
    /** Where it asks for him, one after the other. */
    private List<Stop> route;
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
        this.route = Way.route(fetching, block, disk, source, above);
        this.source = source;
        this.untilMillis = block.untilMillis();
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
        start(0);
    }

    /** Asks at this place of the route, or at its last. */
    private void start(int place) {
        Way way;
        Source asking;
        long until;
        synchronized (fetching.lock()) {
            way = new Way(route, place);
            asking = source;
            until = untilMillis;
        }
        start(way, asking, false, until);
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
                    && !legs.isEmpty()
                    && legs.stream()
                            .noneMatch(leg -> leg.isExtra() || leg.stop().isStore(other.store()));
        }
        if (started) {
            reader.begun();
        }
        if (second) {
            Stop stop = root == null
                    ? new Stop.OfStore(fetching, other)
                    : new Stop.OfParent(fetching, root, other.requester(), block.named(other.store()));
            start(new Way(List.of(stop), 0), other, true, reader.block().untilMillis());
        }
    }

    /**
     * What nobody has begun to fetch waits for this reader's turn, too, if he is in no lower class, whichever comes first; for nobody else's
     * if he is more urgent. A switch above that has given nothing yet may not have begun either, and is to hear of him then.
     */
    private void hurry(Source other, Upstream.Above above, long othersUntilMillis) {
        Leg added;
        List<Leg> before;
        synchronized (fetching.lock()) {
            boolean urgent = other.requester().tenant().priority().isMoreUrgentThan(urgency());
            // Who is waited for must stay lower than who waits for this flight.
            if (over || above.height() > height || !(urgent ? isWaiting() : isQueuedForOthers(other.requester()))) {
                return;
            }
            List<Stop> others = Way.route(fetching, block, disk, other, above);
            if (urgent) {
                source = other;
                untilMillis = othersUntilMillis;
                route = others;
            }
            if (legs.isEmpty()) {
                return;
            }
            Leg first = legs.get(0);
            before = urgent ? List.copyOf(legs) : List.of();
            Way way = new Way(others, first.way().place());
            added = new Leg(this, first.first(), way, other, false, othersUntilMillis);
            legs.add(added);
        }
        ask(added);
        replace(before, added);
    }

    /** With the lock held. */
    private Priority urgency() {
        return source.requester().tenant().priority();
    }

    /** Nobody waits for the turns of the others any more, unless one of them brings something by now. */
    private void replace(List<Leg> others, Leg urgent) {
        letGo(() -> {
            // One that has failed meanwhile is none of them any more.
            if (!legs.contains(urgent)) {
                return List.of();
            }
            List<Leg> left = others.stream().filter(legs::contains).toList();
            return left.stream().anyMatch(Leg::isBringing) ? List.of(urgent) : left;
        });
    }

    /** Those that {@code spare}, with the lock held, says are of no use any more. */
    private void letGo(Supplier<List<Leg>> spare) {
        List<Leg> gone;
        synchronized (fetching.lock()) {
            gone = spare.get();
            legs.removeAll(gone);
        }
        gone.forEach(Leg::cancel);
    }

    /** The others that are no extras. With the lock held. */
    private List<Leg> ordinaryBeside(Leg leg) {
        return legs.stream().filter(other -> other != leg && !other.isExtra()).toList();
    }

    /** Whether nothing of it has come yet, and no second is asked. With the lock held. */
    private boolean isWaiting() {
        return legs.isEmpty() ? !begun : legs.stream().noneMatch(leg -> leg.isExtra() || leg.isBringing());
    }

    /** Whether it waits for turns, but not for one of this requester, who is of the same class. With the lock held. */
    private boolean isQueuedForOthers(Requester requester) {
        return !legs.isEmpty()
                && legs.size() < TURNS
                && requester.tenant().priority() == urgency()
                && legs.stream()
                        .noneMatch(leg -> leg.isExtra()
                                || leg.isChosen()
                                || leg.isBringing()
                                || leg.client().equals(requester.tenant().client()));
    }

    /** Its turn has come first: others are not waited for. One that brings something goes on instead. */
    private void choose(Leg leg) {
        letGo(() -> {
            if (leg.isExtra() || !legs.contains(leg)) {
                return List.of();
            }
            List<Leg> others = ordinaryBeside(leg);
            if (others.stream().anyMatch(other -> other.isChosen() && other.isBringing())) {
                return List.of(leg);
            }
            leg.choose();
            // One who is more urgent has just joined, and takes its place.
            return others.stream()
                    .filter(other -> !other.priority().isMoreUrgentThan(leg.priority()))
                    .toList();
        });
    }

    private void start(Way way, Source asking, boolean extra, long until) {
        Leg leg;
        synchronized (fetching.lock()) {
            int missing = firstMissing();
            if (over || missing == block.leaves().leaves()) {
                return;
            }
            leg = new Leg(this, missing, way, asking, extra, until);
            legs.add(leg);
        }
        ask(leg);
    }

    private void ask(Leg leg) {
        WantedBlock rest = block.part(leg.first(), block.leaves().leaves() - leg.first())
                .asRaced(leg.isExtra())
                .until(leg.untilMillis());
        try {
            leg.started(leg.stop().ask(rest, leg));
        } catch (CloudMwException e) {
            failed(leg, e, false); // there is no room here: nobody else is to be asked instead
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

    /** Others do not ask the same for the same leaves. */
    @Override
    public boolean turnCame(Leg leg) {
        choose(leg);
        synchronized (fetching.lock()) {
            return legs.contains(leg);
        }
    }

    @Override
    public void began(Leg leg) {
        if (leg.isBringing()) {
            choose(leg);
        }
        List<Reader> waiting;
        synchronized (fetching.lock()) {
            begun = true;
            waiting = List.copyOf(readers);
        }
        waiting.forEach(Reader::begun);
    }

    /** Gives a leaf to all who wait, then keeps it, and gives it to who waits for that. Takes over a hold on it. */
    @Override
    public void land(Leg leg, int index, Leaf leaf) {
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
                leg.stop().landed(key, leaf);
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
                reader.arrived(reader.index(key), leaf, leg.stop());
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

    /** The next is asked; where there is none all who wait are told, and who comes from then on begins anew. */
    @Override
    public void failed(Leg leg, CloudMwException cause, boolean asked) {
        if (asked && !leg.isExtra()) {
            leaveOthers(leg);
        }
        LeafKey failed = key(Math.min(leg.next(), block.leaves().leaves() - 1));
        leg.stop().failed(failed, cause);
        boolean goesOn = asked && leg.stop().passesOn(cause);
        List<Reader> waiting;
        synchronized (fetching.lock()) {
            boolean last = legs.remove(leg) && legs.isEmpty() && !over;
            if (!last) {
                return;
            }
            waiting = List.copyOf(readers);
            if (!goesOn) {
                // In the same step: who joined after it would never be told.
                over = true;
                fetching.remove(this);
            }
        }
        if (goesOn) {
            leg.stop().passedOn();
            goOn(leg, cause);
        } else {
            end();
            waiting.forEach(reader -> reader.failed(
                    leg.stop().isBlaming(reader.store()) && agrees(reader, failed) ? cause : ofAnother(cause)));
        }
    }

    /** It was asked, and failed: those that wait for other turns would only meet the same. */
    private void leaveOthers(Leg leg) {
        letGo(() -> legs.contains(leg)
                ? ordinaryBeside(leg).stream()
                        .filter(other -> !other.isBringing())
                        .toList()
                : List.of());
    }

    /** At the next stop, or, after one that was asked besides, or could not reach it, at the store. */
    private void goOn(Leg leg, CloudMwException cause) {
        if (leg.isExtra() || leg.stop().isOutOfReach(cause)) {
            start(Integer.MAX_VALUE);
        } else {
            start(leg.way().next(), leg.asking(), false, leg.untilMillis());
        }
    }

    /** What a reader is told of a store, or a leaf, that it did not name: its own copy is not what is wrong. */
    private static CloudMwException ofAnother(CloudMwException cause) {
        return cause.code().isOfReplica()
                ? new CloudMwException(ErrorCode.STORE_UNAVAILABLE, String.valueOf(cause.getMessage()), cause)
                : cause;
    }
}
