package io.cloudmw.helper.switching;

import io.cloudmw.core.cache.LeafKey;
import io.cloudmw.core.cache.disk.DiskCache;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.helper.block.Leaf;
import io.cloudmw.helper.block.LeafMemory;
import io.cloudmw.helper.block.WantedBlock;
import io.cloudmw.helper.cache.DiskCacheStore;
import io.cloudmw.helper.fetch.BlockAttempt;
import io.cloudmw.helper.fetch.Requester;
import io.cloudmw.helper.fetch.Upstream;
import java.util.Optional;

/** A place that a switch asks for leaves: its disk tier, a switch above it, or a store. Safe for any thread. */
abstract class FetchSource {
    private final SharedFetcher fetcher;

    private FetchSource(SharedFetcher fetcher) {
        this.fetcher = fetcher;
    }

    final SharedFetcher fetcher() {
        return fetcher;
    }

    /**
     * Starts an attempt at this source; it begins when the requester's turn has come.
     *
     * @throws CloudMwException {@code OVERLOADED} when too many attempts wait here already; the source was not asked
     */
    abstract BlockAttempt start(WantedBlock block, BlockAttempt.Listener listener) throws CloudMwException;

    /** The store this source reads; empty when it reads none. */
    Optional<StoreId> store() {
        return Optional.empty();
    }

    /** Returns whether this source reads that store. */
    final boolean isStore(StoreId store) {
        return store().equals(Optional.of(store));
    }

    /** Returns whether this source is another switch. */
    boolean isParent() {
        return false;
    }

    /** Returns whether a failure of this source with a bad replica means the replica in that store. */
    boolean blames(StoreId store) {
        return isStore(store);
    }

    /** Returns whether the next source is asked after this failure; otherwise the readers are told of it. */
    abstract boolean fallsBackAfter(CloudMwException cause);

    /** Returns whether only the store is worth asking after this failure. */
    boolean leavesOnlyTheStore(CloudMwException cause) {
        return false;
    }

    /** Counts bytes that came from this source. */
    void received(int bytes) {}

    /** Keeps a leaf from this source that readers wanted; blocks. */
    void keep(LeafKey key, Leaf leaf) {
        fetcher.cache().save(key, leaf);
    }

    /** Takes note that this source failed before it gave a leaf. */
    void failed(LeafKey key, CloudMwException cause) {}

    /** Takes note that the next source is asked for the rest. */
    void fellBack() {}

    /** Returns whether the place that keeps the bytes failed, rather than the process that was to bring them. */
    private static boolean isOfTheStore(CloudMwException cause) {
        return cause.code().isOfReplica() || isUnreachable(cause);
    }

    /** Returns whether the store was out of reach, or denied the read, of the process that tried. */
    private static boolean isUnreachable(CloudMwException cause) {
        return cause.code() == ErrorCode.STORE_UNAVAILABLE || cause.code() == ErrorCode.STORE_DENIED;
    }

    /** The disk tier of this switch; its leaves are kept already. */
    static final class Disk extends FetchSource {
        private final DiskCache tier;
        private final Requester requester;

        Disk(SharedFetcher fetcher, DiskCache tier, FetchRoute.Demand demand) {
            super(fetcher);
            this.tier = tier;
            this.requester = demand.requester();
        }

        @Override
        BlockAttempt start(WantedBlock block, BlockAttempt.Listener listener) throws CloudMwException {
            DiskCacheStore store = new DiskCacheStore(tier, block.leaves().leafSizeBytes());
            Requester ofTier = new Requester(requester.tenant(), requester.deadlineNanos(), id -> store, Upstream.NONE);
            return fetcher()
                    .stores()
                    .start(
                            ofTier,
                            block,
                            DiskCache.ID,
                            listener,
                            fetcher().cache().room());
        }

        @Override
        boolean fallsBackAfter(CloudMwException cause) {
            return isOfTheStore(cause);
        }

        @Override
        void keep(LeafKey key, Leaf leaf) {
            tier.verified(key, leaf.length(), leaf.crc32c());
        }

        @Override
        void failed(LeafKey key, CloudMwException cause) {
            if (isOfTheStore(cause)) {
                tier.damaged(key);
            }
        }
    }

    /** A switch above this one. */
    static final class Parent extends FetchSource {
        private final Upstream.Parent parent;
        private final Requester requester;
        private final StoreId store;

        /** @param store the replica that the topmost switch reads when no switch has the leaves */
        Parent(SharedFetcher fetcher, Upstream.Parent parent, Requester requester, StoreId store) {
            super(fetcher);
            this.parent = parent;
            this.requester = requester;
            this.store = store;
        }

        @Override
        boolean isParent() {
            return true;
        }

        /** A switch blames the replica it was asked for, and no other. */
        @Override
        boolean blames(StoreId named) {
            return store.equals(named);
        }

        @Override
        BlockAttempt start(WantedBlock block, BlockAttempt.Listener listener) throws CloudMwException {
            LeafMemory room = fetcher().cache().room();
            return fetcher()
                    .stores()
                    .startAtItsTurn(requester, block, listener, () -> parent.start(block, store, listener, room));
        }

        /** On a bad replica, stop: other switches would read the same copy, and the readers may know another one. */
        @Override
        boolean fallsBackAfter(CloudMwException cause) {
            return !cause.code().isOfReplica();
        }

        /** The other switches above would ask the same store without success; this one may reach it. */
        @Override
        boolean leavesOnlyTheStore(CloudMwException cause) {
            return isUnreachable(cause);
        }

        @Override
        void received(int bytes) {
            fetcher().switchMeters().received(bytes);
        }

        @Override
        void fellBack() {
            fetcher().switchMeters().moved();
        }
    }

    /** A store that has a replica. */
    static final class Store extends FetchSource {
        private final FetchRoute.Demand demand;

        Store(SharedFetcher fetcher, FetchRoute.Demand demand) {
            super(fetcher);
            this.demand = demand;
        }

        @Override
        Optional<StoreId> store() {
            return Optional.of(demand.store());
        }

        @Override
        BlockAttempt start(WantedBlock block, BlockAttempt.Listener listener) throws CloudMwException {
            return fetcher()
                    .stores()
                    .start(
                            demand.requester(),
                            block,
                            demand.store(),
                            listener,
                            fetcher().cache().room());
        }

        @Override
        boolean fallsBackAfter(CloudMwException cause) {
            return false;
        }

        @Override
        void received(int bytes) {
            fetcher().cacheMeters().fetched(bytes);
        }
    }
}
