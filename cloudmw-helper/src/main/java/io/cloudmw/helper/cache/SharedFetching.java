package io.cloudmw.helper.cache;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.cache.LeafKey;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.metrics.CacheMetrics;
import io.cloudmw.core.metrics.CacheMetrics.Tier;
import io.cloudmw.core.metrics.SwitchMetrics;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.monitor.SwitchActivity;
import io.cloudmw.helper.fetch.Attempt;
import io.cloudmw.helper.fetch.Fetcher;
import io.cloudmw.helper.fetch.Fetching;
import io.cloudmw.helper.fetch.Leaf;
import io.cloudmw.helper.fetch.Requester;
import io.cloudmw.helper.fetch.Upstream;
import io.cloudmw.helper.fetch.WantedBlock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Gives blocks from what is kept, and fetches the rest once for all who ask: whoever wants a leaf that is being fetched
 * already gets it when it comes, and what has come of it at once. What only waits to be fetched is asked for anew on behalf
 * of a more urgent reader that joins. A fetch goes on as long as somebody waits for it; when it
 * fails, all who wait are told, and who asks next begins anew. A leaf is given only to who expects its length and CRC32C: who
 * expects another has that fetched besides. Safe for any thread; never blocks.
 */
public final class SharedFetching implements Fetching {
    private final Fetcher fetcher;
    private final LeafCache cache;
    private final SwitchMetrics trees;
    private final Predicate<StoreId> own;
    private final Object lock = new Object();

    /** The flights that are not over, by their leaves. */
    @GuardedBy("lock")
    private final Map<LeafKey, Flight> inFlight = new HashMap<>();

    /**
     * Fetches nothing yet.
     *
     * @param own whether a store is a disk of this helper: what lies there is not asked of switches above, which would have it from here
     */
    public SharedFetching(Fetcher fetcher, LeafCache cache, SwitchMetrics trees, Predicate<StoreId> own) {
        this.fetcher = fetcher;
        this.own = own;
        this.cache = cache;
        this.trees = trees;
    }

    /**
     * As ever.
     *
     * @throws CloudMwException {@code OVERLOADED} when some of it is being fetched through others that may wait for the requester
     */
    @Override
    public Attempt start(Requester requester, WantedBlock block, StoreId store, Attempt.Listener listener)
            throws CloudMwException {
        SharedAttempt reader = new SharedAttempt(this, block, store, listener);
        Asked asked = asked(reader, requester, store);
        ask(asked);
        asked.there.forEach(leaf -> reader.arrived(leaf.index(), leaf.leaf()));
        begin(asked);
        reader.tell();
        return reader;
    }

    /**
     * Has what is not kept of a block fetched, as for a reader, and kept.
     *
     * @throws CloudMwException as {@link #start}
     */
    public Keeping keep(Requester requester, WantedBlock block, StoreId store, Keeping.Listener listener)
            throws CloudMwException {
        Keeping reader = new Keeping(this, block, store, listener);
        Asked asked = asked(reader, requester, store);
        ask(asked);
        begin(asked);
        reader.asked();
        return reader;
    }

    /** How much of a block is kept; asks nobody. */
    public long keptBytes(WantedBlock block) {
        Keeping reader = new Keeping(this, block, block.replicas().get(0), (outcome, cause) -> {});
        long bytes = 0;
        for (int leaf = 0; leaf < block.leaves().leaves(); leaf++) {
            bytes += isKept(reader, leaf) ? block.leaves().length(leaf) : 0;
        }
        return bytes;
    }

    @Override
    public boolean keeps(WantedBlock block) {
        return keptBytes(block) == block.length();
    }

    /**
     * What is kept, and was done.
     *
     * @param above switches that are being asked now
     * @param below switches that are being given to now
     */
    public SwitchActivity activity(int above, int below) {
        CacheMetrics.Totals totals = meters().totals();
        return new SwitchActivity(
                totals.keptBytes(),
                totals.hits(),
                totals.joined(),
                totals.misses(),
                totals.servedBytes(),
                totals.fetchedBytes(),
                trees.receivedBytes(),
                trees.sentBytes(),
                above,
                below);
    }

    /** Bytes that may be kept. */
    public long capacityBytes() {
        return cache.capacityBytes();
    }

    /** Of the memory, what is left for what is on its way and not kept. */
    public long passingBytes() {
        return cache.passingBytes();
    }

    private boolean isKept(Reader reader, int index) {
        return cache.keeps(reader.key(index), kept -> reader.expects(index, kept.length(), kept.crc32c()));
    }

    /** Goes through all leaves of a block: what is here is taken, what is on its way joined, and the rest will be fetched. */
    private void ask(Asked asked) throws CloudMwException {
        Reader reader = asked.reader;
        try {
            synchronized (lock) {
                requireLower(asked.source.requester().upstream().highest(), reader);
                for (int leaf = 0; leaf < reader.block().leaves().leaves(); leaf++) {
                    if (reader instanceof Keeping keeping) {
                        keep(asked, keeping, leaf);
                    } else {
                        read(asked, leaf);
                    }
                }
                fetchRow(asked);
            }
        } catch (CloudMwException | RuntimeException | Error e) {
            // Nobody is to wait for flights that never begin.
            leave(reader);
            asked.there.forEach(leaf -> leaf.leaf().release());
            throw e;
        }
    }

    private Asked asked(Reader reader, Requester requester, StoreId store) {
        Upstream above = own.test(store) ? Upstream.NONE : requester.upstream();
        return new Asked(reader, new Flight.Source(requester, store), above.of(reader.block()));
    }

    private static void begin(Asked asked) {
        asked.joined.forEach(flight -> flight.help(asked.source, asked.above, asked.reader));
        asked.begun.forEach(Flight::begin);
    }

    /** Who asks for these leaves from now on has them fetched anew; who waits for a flight gets what that brings. */
    @Override
    public void doubt(WantedBlock block) {
        int first =
                Math.toIntExact(block.leaves().range().offset() / block.leaves().leafSizeBytes());
        boolean onDisk = false;
        for (int leaf = 0; leaf < block.leaves().leaves(); leaf++) {
            LeafKey key = new LeafKey(block.leaves().chunk(), first + leaf);
            onDisk |= cache.onDisk(key).isPresent();
            cache.forget(key);
        }
        if (onDisk) {
            meters().damaged();
        }
    }

    @GuardedBy("lock")
    private void requireLower(int highest, Reader reader) throws CloudMwException {
        for (int leaf = 0; leaf < reader.block().leaves().leaves(); leaf++) {
            Flight flight = onItsWay(reader, leaf);
            if (flight != null && flight.height() > highest) {
                throw new CloudMwException(
                        ErrorCode.OVERLOADED,
                        reader.key(leaf) + ": on its way to height " + flight.height() + " (expected: <= " + highest
                                + ")");
            }
        }
    }

    /** The flight that brings what this reader expects of a leaf. */
    @GuardedBy("lock")
    private @Nullable Flight onItsWay(Reader reader, int index) {
        Flight flight = inFlight.get(reader.key(index));
        return flight != null && flight.agrees(reader, reader.key(index)) ? flight : null;
    }

    /** What becomes of one reader's leaves: there already, on their way, or to be fetched. */
    private static final class Asked {
        final Reader reader;
        final Flight.Source source;
        final List<Arrived> there = new ArrayList<>();
        final List<Flight> joined = new ArrayList<>();
        final List<Flight> begun = new ArrayList<>();
        /** Who is asked for what has to be fetched, before its store. */
        final Upstream.Above above;
        /** Leaves in a row that have to be fetched, from the same place. */
        final List<Integer> row = new ArrayList<>();

        Optional<DiskTier> rowSource = Optional.empty();

        Asked(Reader reader, Flight.Source source, Upstream.Above above) {
            this.reader = reader;
            this.source = source;
            this.above = above;
        }
    }

    private record Arrived(int index, Leaf leaf) {}

    @GuardedBy("lock")
    private void read(Asked asked, int index) {
        Reader reader = asked.reader;
        LeafKey key = reader.key(index);
        Flight flight = onItsWay(reader, index);
        Optional<Leaf> leaf = flight == null
                ? cache.inMemory(key, kept -> reader.expects(index, kept.length(), kept.crc32c()))
                : Optional.empty();
        if (leaf.isPresent()) {
            meters().hit(Tier.MEMORY);
            asked.there.add(new Arrived(index, leaf.get()));
            fetchRow(asked);
        } else if (flight != null) {
            join(asked, flight);
            flight.landed(key).ifPresent(landed -> asked.there.add(new Arrived(index, landed)));
        } else {
            askForRow(asked, index, cache.onDisk(key));
        }
    }

    @GuardedBy("lock")
    private void keep(Asked asked, Keeping reader, int index) {
        Flight flight = onItsWay(reader, index);
        if (flight == null ? isKept(reader, index) : flight.isSettled(reader.key(index))) {
            reader.kept(index);
            fetchRow(asked);
        } else if (flight != null) {
            join(asked, flight);
        } else {
            askForRow(asked, index, Optional.empty());
        }
    }

    @GuardedBy("lock")
    private void join(Asked asked, Flight flight) {
        meters().joined();
        flight.join(asked.reader);
        if (!asked.joined.contains(flight)) {
            asked.joined.add(flight);
        }
        fetchRow(asked);
    }

    @GuardedBy("lock")
    private void askForRow(Asked asked, int index, Optional<DiskTier> onDisk) {
        if (onDisk.isPresent()) {
            meters().hit(Tier.DISK);
        } else {
            meters().missed();
        }
        if (onDisk.isPresent() != asked.rowSource.isPresent()) {
            fetchRow(asked);
        }
        asked.rowSource = onDisk;
        asked.row.add(index);
    }

    /** Makes a flight of the row, if there is one. It is not joined for a leaf of which another fetches other bytes. */
    @GuardedBy("lock")
    private void fetchRow(Asked asked) {
        if (asked.row.isEmpty()) {
            return;
        }
        int first = asked.row.get(0);
        Flight flight = new Flight(
                this, asked.reader.block().part(first, asked.row.size()), asked.source, asked.rowSource, asked.above);
        for (int index : asked.row) {
            inFlight.putIfAbsent(asked.reader.key(index), flight);
        }
        flight.join(asked.reader);
        asked.begun.add(flight);
        asked.row.clear();
    }

    /** The reader wants nothing more. */
    void leave(Reader reader) {
        List<Flight> left;
        synchronized (lock) {
            left = reader.flights().stream()
                    .filter(flight -> flight.leave(reader))
                    .toList();
        }
        left.forEach(Flight::end);
    }

    /** Nobody joins this flight any more. */
    void remove(Flight flight) {
        synchronized (lock) {
            for (LeafKey key : flight.keys()) {
                inFlight.remove(key, flight);
            }
        }
    }

    /** Guards the flights, too. */
    Object lock() {
        return lock;
    }

    Fetcher fetcher() {
        return fetcher;
    }

    LeafCache cache() {
        return cache;
    }

    SwitchMetrics trees() {
        return trees;
    }

    CacheMetrics meters() {
        return cache.meters();
    }
}
