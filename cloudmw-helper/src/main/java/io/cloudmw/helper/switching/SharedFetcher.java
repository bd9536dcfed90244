package io.cloudmw.helper.switching;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.cache.LeafKey;
import io.cloudmw.core.cache.disk.DiskCache;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.metrics.CacheMetrics;
import io.cloudmw.core.metrics.CacheMetrics.Tier;
import io.cloudmw.core.metrics.SwitchMetrics;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.status.fleet.SwitchActivity;
import io.cloudmw.helper.block.Leaf;
import io.cloudmw.helper.block.WantedBlock;
import io.cloudmw.helper.cache.LeafCache;
import io.cloudmw.helper.fetch.BlockAttempt;
import io.cloudmw.helper.fetch.BlockFetcher;
import io.cloudmw.helper.fetch.Requester;
import io.cloudmw.helper.fetch.StoreFetcher;
import io.cloudmw.helper.fetch.Upstream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The fetcher of a switch: it takes leaves from the cache, joins fetches under way, and fetches the rest once for all
 * readers ({@link SharedFetch}).
 *
 * <ol>
 *   <li>A reader that joins a fetch gets the leaves that have come at once, and the others when they come.
 *   <li>A fetch that waits for its turn is repeated on behalf of a more urgent reader that joins.
 *   <li>A fetch goes on as long as a reader waits for it. When it fails, all its readers are told, and the next reader
 *       begins a new one.
 *   <li>A reader gets a leaf only if it expects the leaf's length and CRC32C. A reader that expects others has its leaf
 *       fetched besides.
 * </ol>
 *
 * Safe for any thread; never blocks.
 */
public final class SharedFetcher implements BlockFetcher {
    private final StoreFetcher stores;
    private final LeafCache cache;
    private final SwitchMetrics switchMeters;
    private final Predicate<StoreId> own;
    /** Guards the fetches in flight and, passed to each {@link SharedFetch}, their state. */
    private final Object lock = new Object();

    /** The fetches that are not over, by their leaves. */
    @GuardedBy("lock")
    private final Map<LeafKey, SharedFetch> inFlight = new HashMap<>();

    /**
     * Fetches nothing yet.
     *
     * @param stores reads stores, and runs all attempts when their turn has come
     * @param own whether a store is a disk of this helper; switches above are not asked for its chunks, since they
     *     would read them from here
     */
    public SharedFetcher(StoreFetcher stores, LeafCache cache, SwitchMetrics switchMeters, Predicate<StoreId> own) {
        this.stores = stores;
        this.own = own;
        this.cache = cache;
        this.switchMeters = switchMeters;
    }

    /**
     * Starts an attempt.
     *
     * @throws CloudMwException {@code OVERLOADED} also when a fetch that would be joined may wait for the requester
     */
    @Override
    public BlockAttempt start(Requester requester, WantedBlock block, StoreId store, BlockAttempt.Listener listener)
            throws CloudMwException {
        ReaderAttempt reader = new ReaderAttempt(this, block, store, listener);
        Request request = request(reader, requester, store);
        divide(request);
        request.cached.forEach(leaf -> reader.arrived(leaf.index(), leaf.leaf()));
        begin(request);
        reader.tell();
        return reader;
    }

    /**
     * Fetches the missing leaves of a block and caches them.
     *
     * @throws CloudMwException as {@link #start}
     */
    public CacheFill keep(Requester requester, WantedBlock block, StoreId store, CacheFill.Listener listener)
            throws CloudMwException {
        CacheFill fill = new CacheFill(this, block, store, listener);
        Request request = request(fill, requester, store);
        divide(request);
        begin(request);
        fill.asked();
        return fill;
    }

    /** Bytes of a block that are kept; asks no source. */
    public long keptBytes(WantedBlock block) {
        CacheFill fill = new CacheFill(this, block, block.replicas().get(0), (outcome, cause) -> {});
        long bytes = 0;
        for (int leaf = 0; leaf < block.leaves().leaves(); leaf++) {
            bytes += isKept(fill, leaf) ? block.leaves().length(leaf) : 0;
        }
        return bytes;
    }

    @Override
    public boolean keeps(WantedBlock block) {
        return keptBytes(block) == block.length();
    }

    /**
     * The activity of the switch: its cache, and its traffic.
     *
     * @param above switches that it asks now
     * @param below switches that it serves now
     */
    public SwitchActivity activity(int above, int below) {
        CacheMetrics.Totals totals = cacheMeters().totals();
        return new SwitchActivity(
                totals.keptBytes(),
                totals.hits(),
                totals.joined(),
                totals.misses(),
                totals.servedBytes(),
                totals.fetchedBytes(),
                switchMeters.receivedBytes(),
                switchMeters.sentBytes(),
                above,
                below);
    }

    /** Bytes that may be kept. */
    public long capacityBytes() {
        return cache.capacityBytes();
    }

    /** Bytes of memory that are left for leaves on their way. */
    public long passingBytes() {
        return cache.passingBytes();
    }

    private boolean isKept(LeafSubscriber subscriber, int index) {
        return cache.keeps(subscriber.key(index), kept -> subscriber.expects(index, kept.length(), kept.crc32c()));
    }

    /**
     * Divides a subscriber's leaves: cached ones are taken, those on their way joined, and the rest is to be fetched.
     */
    private void divide(Request request) throws CloudMwException {
        LeafSubscriber subscriber = request.subscriber;
        try {
            synchronized (lock) {
                requireLower(request.demand.requester().upstream().highest(), subscriber);
                for (int leaf = 0; leaf < subscriber.block().leaves().leaves(); leaf++) {
                    if (subscriber instanceof CacheFill fill) {
                        keep(request, fill, leaf);
                    } else {
                        read(request, leaf);
                    }
                }
                fetchRow(request);
            }
        } catch (CloudMwException | RuntimeException | Error e) {
            // No subscriber may wait for fetches that never begin.
            leave(subscriber);
            request.cached.forEach(leaf -> leaf.leaf().release());
            throw e;
        }
    }

    private Request request(LeafSubscriber subscriber, Requester requester, StoreId store) {
        Upstream above = own.test(store) ? Upstream.NONE : requester.upstream();
        WantedBlock block = subscriber.block();
        return new Request(subscriber, new FetchRoute.Demand(requester, store, block.untilMillis()), above.of(block));
    }

    private static void begin(Request request) {
        request.joined.forEach(fetch -> fetch.help(request.demand, request.above, request.subscriber));
        request.begun.forEach(SharedFetch::begin);
    }

    /** Drops the leaves of a block from the cache; a reader that waits for a fetch gets what that brings. */
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
            cacheMeters().damaged();
        }
    }

    @GuardedBy("lock")
    private void requireLower(int highest, LeafSubscriber subscriber) throws CloudMwException {
        for (int leaf = 0; leaf < subscriber.block().leaves().leaves(); leaf++) {
            SharedFetch fetch = underWay(subscriber, leaf);
            if (fetch != null && fetch.height() > highest) {
                throw new CloudMwException(
                        ErrorCode.OVERLOADED,
                        subscriber.key(leaf) + ": on its way to height " + fetch.height() + " (expected: <= " + highest
                                + ")");
            }
        }
    }

    /** The fetch that brings the leaf a subscriber expects; null when there is none. */
    @GuardedBy("lock")
    private @Nullable SharedFetch underWay(LeafSubscriber subscriber, int index) {
        SharedFetch fetch = inFlight.get(subscriber.key(index));
        return fetch != null && fetch.agrees(subscriber, subscriber.key(index)) ? fetch : null;
    }

    /** A subscriber's leaves, divided: cached, on their way, or to be fetched. */
    private static final class Request {
        final LeafSubscriber subscriber;
        final FetchRoute.Demand demand;
        final List<Arrived> cached = new ArrayList<>();
        final List<SharedFetch> joined = new ArrayList<>();
        final List<SharedFetch> begun = new ArrayList<>();
        /** Switches that are asked for the missing leaves before the store. */
        final Upstream.Above above;
        /** Adjacent leaves to be fetched from the same place, which has not been done yet. */
        final List<Integer> row = new ArrayList<>();

        /** The disk tier, when it has the leaves of the row. */
        Optional<DiskCache> rowDisk = Optional.empty();

        Request(LeafSubscriber subscriber, FetchRoute.Demand demand, Upstream.Above above) {
            this.subscriber = subscriber;
            this.demand = demand;
            this.above = above;
        }
    }

    private record Arrived(int index, Leaf leaf) {}

    @GuardedBy("lock")
    private void read(Request request, int index) {
        LeafSubscriber reader = request.subscriber;
        LeafKey key = reader.key(index);
        SharedFetch fetch = underWay(reader, index);
        Optional<Leaf> leaf = fetch == null
                ? cache.inMemory(key, kept -> reader.expects(index, kept.length(), kept.crc32c()))
                : Optional.empty();
        if (leaf.isPresent()) {
            cacheMeters().hit(Tier.MEMORY);
            request.cached.add(new Arrived(index, leaf.get()));
            fetchRow(request);
        } else if (fetch != null) {
            join(request, fetch);
            fetch.landed(key).ifPresent(landed -> request.cached.add(new Arrived(index, landed)));
        } else {
            addToRow(request, index, cache.onDisk(key));
        }
    }

    @GuardedBy("lock")
    private void keep(Request request, CacheFill fill, int index) {
        SharedFetch fetch = underWay(fill, index);
        if (fetch == null ? isKept(fill, index) : fetch.isSettled(fill.key(index))) {
            fill.kept(index);
            fetchRow(request);
        } else if (fetch != null) {
            join(request, fetch);
        } else {
            addToRow(request, index, Optional.empty());
        }
    }

    @GuardedBy("lock")
    private void join(Request request, SharedFetch fetch) {
        cacheMeters().joined();
        fetch.join(request.subscriber);
        if (!request.joined.contains(fetch)) {
            request.joined.add(fetch);
        }
        fetchRow(request);
    }

    @GuardedBy("lock")
    private void addToRow(Request request, int index, Optional<DiskCache> onDisk) {
        if (onDisk.isPresent()) {
            cacheMeters().hit(Tier.DISK);
        } else {
            cacheMeters().missed();
        }
        if (onDisk.isPresent() != request.rowDisk.isPresent()) {
            fetchRow(request);
        }
        request.rowDisk = onDisk;
        request.row.add(index);
    }

    /**
     * Makes a fetch of the row, if there is one. Readers cannot join it for a leaf that another fetch brings with other
     * bytes.
     */
    @GuardedBy("lock")
    private void fetchRow(Request request) {
        if (request.row.isEmpty()) {
            return;
        }
        LeafSubscriber subscriber = request.subscriber;
        int first = request.row.get(0);
        SharedFetch fetch = new SharedFetch(
                this,
                lock,
                subscriber.block().part(first, request.row.size()),
                request.demand,
                request.rowDisk,
                request.above);
        for (int index : request.row) {
            inFlight.putIfAbsent(subscriber.key(index), fetch);
        }
        fetch.join(subscriber);
        request.begun.add(fetch);
        request.row.clear();
    }

    /** Removes a subscriber from its fetches, and ends those without another. */
    void leave(LeafSubscriber subscriber) {
        List<SharedFetch> left;
        synchronized (lock) {
            left = subscriber.fetches().stream()
                    .filter(fetch -> fetch.leave(subscriber))
                    .toList();
        }
        left.forEach(SharedFetch::end);
    }

    /** Removes a fetch, so that no subscriber joins it any more. */
    void remove(SharedFetch fetch) {
        synchronized (lock) {
            for (LeafKey key : fetch.keys()) {
                inFlight.remove(key, fetch);
            }
        }
    }

    StoreFetcher stores() {
        return stores;
    }

    LeafCache cache() {
        return cache;
    }

    SwitchMetrics switchMeters() {
        return switchMeters;
    }

    CacheMetrics cacheMeters() {
        return cache.meters();
    }
}
