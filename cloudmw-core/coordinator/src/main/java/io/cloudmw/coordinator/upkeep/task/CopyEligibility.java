package io.cloudmw.coordinator.upkeep.task;

import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.fleet.Store;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A cache of which copies the live helpers can make: a helper must be able to use the target and one of the sources. A
 * pass over many chunks asks once for each pair of stores. Confined to one thread, and replaced when helpers may have
 * changed.
 */
public final class CopyEligibility {
    /** A function that returns which stores a helper can use. */
    @FunctionalInterface
    public interface Access {
        boolean canUse(HelperId helper, Store store);
    }

    private record StorePair(Set<StoreId> sources, StoreId target) {}

    private final List<HelperId> live;
    private final Access access;
    private final Map<StorePair, Boolean> known = new HashMap<>();

    /** @param live the live helpers; if there are none, any copy may be possible for a helper that comes later */
    public CopyEligibility(List<HelperId> live, Access access) {
        this.live = List.copyOf(live);
        this.access = access;
    }

    /** Returns whether a helper can use the target and one of the sources. */
    public static boolean canMake(Access access, HelperId helper, Collection<Store> sources, Store target) {
        return access.canUse(helper, target) && sources.stream().anyMatch(source -> access.canUse(helper, source));
    }

    /** Returns whether some helper can make a copy: the owner for a disk, any live helper for a bucket. */
    public boolean exists(Collection<Store> sources, Store target) {
        Set<StoreId> ids = sources.stream().map(Store::id).collect(Collectors.toSet());
        return known.computeIfAbsent(new StorePair(ids, target.id()), way -> find(sources, target));
    }

    private boolean find(Collection<Store> sources, Store target) {
        Optional<HelperId> owner = target.owner();
        if (owner.isPresent()) {
            return canMake(access, owner.get(), sources, target);
        }
        return live.isEmpty() || live.stream().anyMatch(helper -> canMake(access, helper, sources, target));
    }
}
