package io.cloudmw.helper.cache;

import io.cloudmw.core.cache.LeafKey;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.helper.fetch.Attempt;
import io.cloudmw.helper.fetch.Leaf;
import io.cloudmw.helper.fetch.LeafRoom;
import io.cloudmw.helper.fetch.Requester;
import io.cloudmw.helper.fetch.Upstream;
import io.cloudmw.helper.fetch.WantedBlock;
import java.util.Optional;

/** A place that a flight asks for its leaves. Safe for any thread. */
abstract class Stop {
    private final SharedFetching fetching;

    private Stop(SharedFetching fetching) {
        this.fetching = fetching;
    }

    final SharedFetching fetching() {
        return fetching;
    }

    /**
     * Asks it when it is the requester's turn.
     *
     * @throws CloudMwException {@code OVERLOADED} when too much waits here already: nobody was asked
     */
    abstract Attempt ask(WantedBlock block, Attempt.Listener listener) throws CloudMwException;

    /** The store that is read here; empty: none is. */
    Optional<StoreId> store() {
        return Optional.empty();
    }

    /** Whether it is this store that is read here. */
    final boolean isStore(StoreId store) {
        return store().equals(Optional.of(store));
    }

    /** Whether another switch is asked here. */
    boolean isParent() {
        return false;
    }

    /** Whether this store is meant when it fails for a replica that is bad. */
    boolean isBlaming(StoreId store) {
        return isStore(store);
    }

    /** Whether the next is asked after this one failed; otherwise the readers are to hear of it. */
    abstract boolean passesOn(CloudMwException cause);

    /** Whether the store is all that is left to be asked. */
    boolean isOutOfReach(CloudMwException cause) {
        return false;
    }

    /** So many bytes came from here. */
    void came(int bytes) {}

    /** A leaf that came from here was wanted; blocks. */
    void landed(LeafKey key, Leaf leaf) {
        fetching.cache().save(key, leaf);
    }

    /** It failed before it gave this leaf. */
    void failed(LeafKey key, CloudMwException cause) {}

    /** The next is asked for the rest. */
    void passedOn() {}

    /** Whether what failed is where the bytes are kept, and not who was to bring them. */
    private static boolean isOfTheStore(CloudMwException cause) {
        return cause.code().isOfReplica() || isAway(cause);
    }

    /** Whether the store could not be reached, or not be read by who tried. */
    private static boolean isAway(CloudMwException cause) {
        return cause.code() == ErrorCode.STORE_UNAVAILABLE || cause.code() == ErrorCode.STORE_DENIED;
    }

    /** The disk tier: its leaves are kept already. */
    static final class OfDisk extends Stop {
        private final DiskTier tier;
        private final Requester requester;

        OfDisk(SharedFetching fetching, DiskTier tier, Flight.Source source) {
            super(fetching);
            this.tier = tier;
            this.requester = source.requester();
        }

        @Override
        Attempt ask(WantedBlock block, Attempt.Listener listener) throws CloudMwException {
            TierStore store = new TierStore(tier, block.leaves().leafSizeBytes());
            Requester ofTier = new Requester(requester.tenant(), requester.deadlineNanos(), id -> store, Upstream.NONE);
            return fetching()
                    .fetcher()
                    .start(
                            ofTier,
                            block,
                            TierStore.ID,
                            listener,
                            fetching().cache().room());
        }

        @Override
        boolean passesOn(CloudMwException cause) {
            return isOfTheStore(cause);
        }

        @Override
        void landed(LeafKey key, Leaf leaf) {
            tier.seen(key, leaf);
        }

        @Override
        void failed(LeafKey key, CloudMwException cause) {
            if (isOfTheStore(cause)) {
                tier.damaged(key);
            }
        }
    }

    /** A switch above this one. */
    static final class OfParent extends Stop {
        private final Upstream.Parent parent;
        private final Requester requester;
        private final StoreId store;

        /** @param store the replica it is to read if nobody has the leaves */
        OfParent(SharedFetching fetching, Upstream.Parent parent, Requester requester, StoreId store) {
            super(fetching);
            this.parent = parent;
            this.requester = requester;
            this.store = store;
        }

        @Override
        boolean isParent() {
            return true;
        }

        /** A switch says so of the replica it was asked for, and of no other. */
        @Override
        boolean isBlaming(StoreId named) {
            return store.equals(named);
        }

        @Override
        Attempt ask(WantedBlock block, Attempt.Listener listener) throws CloudMwException {
            LeafRoom room = fetching().cache().room();
            return fetching()
                    .fetcher()
                    .startAtItsTurn(requester, block, listener, () -> parent.start(block, store, listener, room));
        }

        /** Of a bad replica readers may know another; asking all above for this one would not help. */
        @Override
        boolean passesOn(CloudMwException cause) {
            return !cause.code().isOfReplica();
        }

        /** From there; from here it may be read, and those above would only ask the same. */
        @Override
        boolean isOutOfReach(CloudMwException cause) {
            return isAway(cause);
        }

        @Override
        void came(int bytes) {
            fetching().trees().received(bytes);
        }

        @Override
        void passedOn() {
            fetching().trees().moved();
        }
    }

    /** A replica. */
    static final class OfStore extends Stop {
        private final Flight.Source source;

        OfStore(SharedFetching fetching, Flight.Source source) {
            super(fetching);
            this.source = source;
        }

        @Override
        Optional<StoreId> store() {
            return Optional.of(source.store());
        }

        @Override
        Attempt ask(WantedBlock block, Attempt.Listener listener) throws CloudMwException {
            return fetching()
                    .fetcher()
                    .start(
                            source.requester(),
                            block,
                            source.store(),
                            listener,
                            fetching().cache().room());
        }

        @Override
        boolean passesOn(CloudMwException cause) {
            return false;
        }

        @Override
        void came(int bytes) {
            fetching().meters().fetched(bytes);
        }
    }
}
