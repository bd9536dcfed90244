package io.cloudmw.coordinator.backup;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.model.fleet.StoreIdentity;
import io.cloudmw.core.store.ChunkStore;
import io.cloudmw.core.store.StoreOpener;
import java.util.Collection;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The stores that a recovery reads: those that can be opened and answer. Confined to one thread; the opener closes
 * them.
 */
final class RecoveryStores {
    private final StoreOpener opener;
    private final Map<StoreId, ChunkStore> open = new LinkedHashMap<>();
    private final Map<StoreId, String> unreadable = new TreeMap<>();
    /** The codes of all failures; {@code LOCAL_IO} for disks of this machine. */
    private final Set<ErrorCode> failures = EnumSet.noneOf(ErrorCode.class);

    RecoveryStores(StoreOpener opener) {
        this.opener = opener;
    }

    /** Opens the stores that are not open yet. A store that fails is left out. */
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
            failures.add(store.kind() instanceof Store.Disk ? ErrorCode.LOCAL_IO : e.code());
        }
    }

    /**
     * Refuses to continue without any store.
     *
     * @throws CloudMwException {@code STORE_DENIED} when all refused access, {@code LOCAL_IO} when all are disks of
     *     this machine, otherwise {@code STORE_UNAVAILABLE}
     */
    void requireAny() throws CloudMwException {
        if (open.isEmpty()) {
            ErrorCode code = failures.equals(EnumSet.of(ErrorCode.STORE_DENIED))
                    ? ErrorCode.STORE_DENIED
                    : failures.equals(EnumSet.of(ErrorCode.LOCAL_IO))
                            ? ErrorCode.LOCAL_IO
                            : ErrorCode.STORE_UNAVAILABLE;
            throw new CloudMwException(code, "no store can be read: " + reasons());
        }
    }

    Collection<ChunkStore> all() {
        return open.values();
    }

    /** Returns the reasons why stores were left out, as text. */
    String reasons() {
        return unreadable.isEmpty()
                ? "none"
                : unreadable.entrySet().stream()
                        .map(store -> store.getKey() + " (" + store.getValue() + ")")
                        .collect(Collectors.joining(", "));
    }

    /** Returns the stores that were left out, with the reasons. */
    Map<StoreId, String> unreadable() {
        return unreadable;
    }
}
