package io.cloudmw.helper.remote;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.RetryVerdict;
import io.cloudmw.core.model.HelperAddress;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.Priority;
import io.cloudmw.core.model.Store;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.Urgency;
import io.cloudmw.core.security.TransferClaims;
import io.cloudmw.core.security.TransferToken;
import io.cloudmw.core.security.TransferTokens;
import io.cloudmw.core.store.ChunkStore;
import io.cloudmw.core.store.StoreOpener;
import io.cloudmw.core.wire.WriteTargets;
import io.cloudmw.helper.disk.OwnDisks;
import io.cloudmw.helper.fetch.StoreResolver;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * How this helper reaches stores: its own disks directly, disks of other helpers through their owners, buckets that it writes
 * and cannot use through their carriers, everything else through the opener. Safe for any thread.
 */
public final class StoreDirectory {
    private final HelperId self;
    private final OwnDisks disks;
    private final HelperConnections peers;
    private final StoreOpener others;
    private final TransferTokens tokens;

    /** @param tokens by which this helper vouches to its peers */
    public StoreDirectory(
            HelperId self, OwnDisks disks, HelperConnections peers, StoreOpener others, TransferTokens tokens) {
        this.self = self;
        this.disks = disks;
        this.peers = peers;
        this.others = others;
        this.tokens = tokens;
    }

    /**
     * The stores that somebody with this token names.
     *
     * @param helpers the owners of the disks among {@code stores}
     * @param urgency how urgent it is to those, with what is left of its time when they are asked
     */
    public StoreResolver resolver(
            List<Store> stores,
            List<HelperAddress> helpers,
            TransferToken token,
            TransferClaims claims,
            Supplier<Urgency> urgency) {
        return new Named(new WriteTargets(stores, helpers), new RemoteRights(token, claims, tokens, urgency));
    }

    /** The stores of copies that somebody with this token has written; who does so for others is not in a hurry. */
    public StoreResolver resolver(WriteTargets targets, TransferToken token, TransferClaims claims) {
        return new Named(targets, new RemoteRights(token, claims, tokens, () -> Urgency.of(Priority.BATCH)));
    }

    /** Returns whether the copy there is written without any other helper. */
    public boolean isWrittenHere(WriteTargets targets, Store store) {
        return disks.find(store.id()).isPresent() || targets.carrier(store).equals(Optional.of(self));
    }

    /** Returns whether a copy is written through another helper. */
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
                throw new CloudMwException(ErrorCode.STORE_UNAVAILABLE, "store=" + id + ": not named by the plan");
            }
            if (isCarried(targets, store)) {
                HelperAddress carrier = reached(store, targets.carrier(store).orElseThrow());
                return new CarriedBucket(store, carrier, peers, rights.until(untilMillis));
            }
            if (!(store.kind() instanceof Store.Disk disk) || disk.owner().equals(self)) {
                return own(store);
            }
            return new RemoteDiskStore(store, reached(store, disk.owner()), peers, rights.until(untilMillis));
        }

        private HelperAddress reached(Store store, HelperId through) throws CloudMwException {
            HelperAddress helper = helpers.get(through);
            if (helper == null) {
                throw new CloudMwException(
                        ErrorCode.STORE_UNAVAILABLE,
                        "store=" + store.id() + ": its owner or carrier " + through + " is not named by the plan");
            }
            peers.check(helper);
            return helper;
        }
    }

    /**
     * A bucket, or a disk of this helper.
     *
     * @throws CloudMwException {@code STORE_UNAVAILABLE} when it is another helper's, or not attached
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
