package io.cloudmw.helper.remote;

import io.cloudmw.core.bulk.message.WriteTargets;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.RetryVerdict;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.Priority;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.Urgency;
import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.security.TransferClaims;
import io.cloudmw.core.security.TransferToken;
import io.cloudmw.core.security.TransferTokens;
import io.cloudmw.core.store.ChunkStore;
import io.cloudmw.core.store.StoreOpener;
import io.cloudmw.helper.disk.OwnDisks;
import io.cloudmw.helper.fetch.StoreResolver;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The directory of the stores that this helper can reach: its own disks; disks of other helpers, through their owners;
 * buckets that it cannot use, through their carriers; other buckets, through an opener. Safe for any thread.
 */
public final class StoreDirectory {
    private final HelperId self;
    private final OwnDisks disks;
    private final HelperConnections connections;
    private final StoreOpener others;
    private final TransferTokens tokens;

    /** @param tokens issues tokens by which this helper passes rights on */
    public StoreDirectory(
            HelperId self, OwnDisks disks, HelperConnections connections, StoreOpener others, TransferTokens tokens) {
        this.self = self;
        this.disks = disks;
        this.connections = connections;
        this.others = others;
        this.tokens = tokens;
    }

    /**
     * The stores that the bearer of a token names.
     *
     * @param helpers the owners of the disks among {@code stores}
     * @param urgency the urgency, with the time that is left when an owner is asked
     */
    public StoreResolver resolver(
            List<Store> stores,
            List<HelperAddress> helpers,
            TransferToken token,
            TransferClaims claims,
            Supplier<Urgency> urgency) {
        return new Named(new WriteTargets(stores, helpers), new RemoteRights(token, claims, tokens, urgency));
    }

    /** The stores to which the bearer of a token writes copies. Writes through other helpers have the batch class. */
    public StoreResolver resolver(WriteTargets targets, TransferToken token, TransferClaims claims) {
        return new Named(targets, new RemoteRights(token, claims, tokens, () -> Urgency.of(Priority.BATCH)));
    }

    /** Returns whether this helper writes the copy in a store without another helper. */
    public boolean isWrittenHere(WriteTargets targets, Store store) {
        return disks.find(store.id()).isPresent() || targets.carrier(store).equals(Optional.of(self));
    }

    /** Returns whether another helper carries the copy to a store. */
    public boolean isCarried(WriteTargets targets, Store store) {
        return targets.carrier(store).filter(carrier -> !carrier.equals(self)).isPresent();
    }

    /** The stores and owners that a transfer names. */
    private final class Named implements StoreResolver {
        private final WriteTargets targets;
        private final Map<StoreId, Store> byId = new HashMap<>();
        private final Map<HelperId, HelperAddress> helpers = new HashMap<>();
        private final RemoteRights rights;

        Named(WriteTargets targets, RemoteRights rights) {
            this.targets = targets;
            this.rights = rights;
            targets.stores().forEach(store -> byId.put(store.id(), store));
            targets.helpers().forEach(helper -> helpers.put(helper.id(), helper));
        }

        @Override
        public ChunkStore open(StoreId id) throws CloudMwException {
            return open(id, Long.MAX_VALUE);
        }

        @Override
        public ChunkStore open(StoreId id, long untilMillis) throws CloudMwException {
            Store store = byId.get(id);
            if (store == null) {
                throw new CloudMwException(
                        ErrorCode.STORE_UNAVAILABLE, "store=" + id + ": the plan does not name this store");
            }
            if (isCarried(targets, store)) {
                HelperAddress carrier = reached(store, targets.carrier(store).orElseThrow());
                return new CarriedBucket(store, carrier, connections, rights.until(untilMillis));
            }
            if (!(store.kind() instanceof Store.Disk disk) || disk.owner().equals(self)) {
                return own(store);
            }
            return new RemoteDiskStore(store, reached(store, disk.owner()), connections, rights.until(untilMillis));
        }

        private HelperAddress reached(Store store, HelperId through) throws CloudMwException {
            HelperAddress helper = helpers.get(through);
            if (helper == null) {
                throw new CloudMwException(
                        ErrorCode.STORE_UNAVAILABLE,
                        "store=" + store.id() + ": the plan does not name its owner or carrier, helper " + through);
            }
            connections.check(helper);
            return helper;
        }
    }

    /**
     * A bucket, or a disk of this helper.
     *
     * @throws CloudMwException {@code STORE_UNAVAILABLE} when the disk is not attached here
     */
    public ChunkStore own(Store store) throws CloudMwException {
        if (!(store.kind() instanceof Store.Disk)) {
            return others.open(store);
        }
        return disks.find(store.id())
                .orElseThrow(() -> new CloudMwException(
                        ErrorCode.STORE_UNAVAILABLE,
                        RetryVerdict.AFTER_REFRESH,
                        "store=" + store.id() + ": not attached to helper " + self,
                        null));
    }
}
