package io.cloudmw.helper.peer;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.RetryVerdict;
import io.cloudmw.core.model.HelperAddress;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.Store;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.Urgency;
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
import java.util.function.Supplier;

/**
 * How this helper reaches stores: its own disks directly, disks of other helpers through their owners, everything
 * else through the opener. Safe for any thread.
 */
public final class StoreDirectory {
    private final HelperId self;
    private final OwnDisks disks;
    private final PeerConnections peers;
    private final StoreOpener others;
    private final TransferTokens tokens;

    /** @param tokens by which this helper vouches to its peers */
    public StoreDirectory(
            HelperId self, OwnDisks disks, PeerConnections peers, StoreOpener others, TransferTokens tokens) {
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
        Map<StoreId, Store> byId = new HashMap<>();
        stores.forEach(store -> byId.put(store.id(), store));
        Map<HelperId, HelperAddress> owners = new HashMap<>();
        helpers.forEach(helper -> owners.put(helper.id(), helper));
        return new Named(byId, owners, new PeerRights(token, claims, tokens, urgency));
    }

    /** The stores and owners that a transfer names. */
    private final class Named implements StoreResolver {
        private final Map<StoreId, Store> byId;
        private final Map<HelperId, HelperAddress> owners;
        private final PeerRights rights;

        Named(Map<StoreId, Store> byId, Map<HelperId, HelperAddress> owners, PeerRights rights) {
            this.byId = byId;
            this.owners = owners;
            this.rights = rights;
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
            return StoreDirectory.this.open(store, owners, rights.until(untilMillis));
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

    private ChunkStore open(Store store, Map<HelperId, HelperAddress> owners, PeerRights rights)
            throws CloudMwException {
        if (!(store.kind() instanceof Store.Disk disk) || disk.owner().equals(self)) {
            return own(store);
        }
        HelperAddress owner = owners.get(disk.owner());
        if (owner == null) {
            throw new CloudMwException(
                    ErrorCode.STORE_UNAVAILABLE,
                    "store=" + store.id() + ": its owner " + disk.owner() + " is not named by the plan");
        }
        peers.check(owner);
        return new PeerDiskStore(store, owner, peers, rights);
    }
}
