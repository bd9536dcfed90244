package io.cloudmw.core.backup;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.Store;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.StoreIdentity;
import io.cloudmw.core.store.ChunkStore;
import io.cloudmw.core.store.StoreOpener;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** The stores a recovery reads: those that can be opened and answer. One thread's; they belong to the opener. */
final class GivenStores {
    private final StoreOpener opener;
    private final Map<StoreId, ChunkStore> open = new LinkedHashMap<>();
    private final Map<StoreId, String> unreadable = new TreeMap<>();

    GivenStores(StoreOpener opener) {
        this.opener = opener;
    }

    /** Opens those that are not open yet. One that fails is left out. */
    void open(Collection<Store> stores) {
        for (Store store : stores) {
            if (!open.containsKey(store.id()) && !unreadable.containsKey(store.id())) {
                open(store);
            }
        }
    }

    private void open(Store store) {
        try {
            ChunkStore opened = opener.open(store.with(StoreIdentity.NONE));
            var unused = opened.list("", 1);
            open.put(store.id(), opened);
        } catch (CloudMwException e) {
            unreadable.put(store.id(), e.getMessage());
        }
    }

    Collection<ChunkStore> all() {
        return open.values();
    }

    /** Why stores were left out, for people. */
    String reasons() {
        return unreadable.isEmpty()
                ? "none"
                : unreadable.entrySet().stream()
                        .map(store -> store.getKey() + " (" + store.getValue() + ")")
                        .collect(Collectors.joining(", "));
    }

    /** Those that were left out, and why. */
    Map<StoreId, String> unreadable() {
        return unreadable;
    }
}
