package io.cloudmw.coordinator.upkeep.repair;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.model.StoreId;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** The missing and remade copies of replaced stores. Safe for any thread; never blocks. */
final class RemadeCopies {
    @GuardedBy("this")
    private long passesBegun;

    /** The missing copies of replaced stores, as the last pass found them. */
    @GuardedBy("this")
    private Map<StoreId, Long> missing = Map.of();

    @GuardedBy("this")
    private long missingAsOf;

    /** The copies of replaced stores that were made again since {@link #take}. */
    @GuardedBy("this")
    private final Map<StoreId, Long> remade = new HashMap<>();

    synchronized void passBegan() {
        passesBegun++;
    }

    synchronized void passEnded(Map<StoreId, Long> found) {
        missing = found;
        missingAsOf = passesBegun;
    }

    synchronized long passesBegun() {
        return passesBegun;
    }

    /** Returns the missing copies, as a pass saw that began after so many; empty: none has ended yet. */
    synchronized Optional<Long> missing(StoreId store, long afterPasses) {
        return missingAsOf > afterPasses ? Optional.ofNullable(missing.get(store)) : Optional.empty();
    }

    synchronized void count(Collection<StoreId> stores) {
        stores.forEach(store -> remade.merge(store, 1L, Long::sum));
    }

    /** Returns the copies that were made again since the last call. */
    synchronized Map<StoreId, Long> take() {
        Map<StoreId, Long> taken = Map.copyOf(remade);
        remade.clear();
        return taken;
    }
}
