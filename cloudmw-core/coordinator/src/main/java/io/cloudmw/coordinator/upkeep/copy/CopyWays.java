package io.cloudmw.coordinator.upkeep.copy;

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
 * Knows whether a helper that is alive can make a copy: use its target and one of its sources. Remembers what it found out, so
 * that a pass over many chunks asks once for each pair of stores. Confined to one thread, and made anew when helpers may have
 * changed.
 */
public final class CopyWays {
    /** Tells which stores a helper can use. */
    @FunctionalInterface
    public interface Access {
        boolean canUse(HelperId helper, Store store);
    }

    private record Way(Set<StoreId> sources, StoreId target) {}

    private final List<HelperId> live;
    private final Access access;
    private final Map<Way, Boolean> known = new HashMap<>();

    /** @param live helpers that are alive; without any, whoever comes may be able to do everything */
    public CopyWays(List<HelperId> live, Access access) {
        this.live = List.copyOf(live);
        this.access = access;
    }

    /** Returns whether a helper can use the target and one of the sources. */
    public static boolean canMake(Access access, HelperId helper, Collection<Store> sources, Store target) {
        return access.canUse(helper, target) && sources.stream().anyMatch(source -> access.canUse(helper, source));
    }

    /** Returns whether a helper can make a copy: of a disk its owner, of a bucket any helper that is alive. */
    public boolean exists(Collection<Store> sources, Store target) {
        Set<StoreId> ids = sources.stream().map(Store::id).collect(Collectors.toSet());
        return known.computeIfAbsent(new Way(ids, target.id()), way -> find(sources, target));
    }

    private boolean find(Collection<Store> sources, Store target) {
        Optional<HelperId> owner = target.owner();
        if (owner.isPresent()) {
            return canMake(access, owner.get(), sources, target);
        }
        return live.isEmpty() || live.stream().anyMatch(helper -> canMake(access, helper, sources, target));
    }
}
