package io.cloudmw.coordinator.upkeep.task;

import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.status.MissingHelper;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A count of the chunks that wait for a helper, by the stores which that helper must be able to use. Confined to its
 * owner's thread.
 */
public final class HelperDemand {
    private static final Logger LOG = LoggerFactory.getLogger(HelperDemand.class);

    /** The most missing helpers that are counted apart. */
    static final int MOST_TOLD_APART = 16;

    private final SortedMap<MissingHelper, Long> chunks = new TreeMap<>();

    /** Counts a chunk. Beyond {@value #MOST_TOLD_APART} different missing helpers, later ones are left out. */
    public void add(Collection<StoreId> sources, Collection<StoreId> targets) {
        MissingHelper awaited = MissingHelper.of(sources, targets);
        if (chunks.size() < MOST_TOLD_APART || chunks.containsKey(awaited)) {
            chunks.merge(awaited, 1L, Long::sum);
        }
    }

    /** Returns how many chunks wait for each missing helper. */
    public SortedMap<MissingHelper, Long> chunks() {
        return new TreeMap<>(chunks);
    }

    /** Logs which waits are new since an earlier count, and which are over. */
    public void tell(HelperDemand before) {
        chunks.forEach((awaited, count) -> {
            if (!before.chunks.containsKey(awaited)) {
                LOG.warn(
                        "upkeep: {} chunks wait for {}; no helper that is alive can copy them (give one the"
                                + " credentials of both, or a way to both)",
                        count,
                        awaited.describe());
            }
        });
        before.chunks.keySet().stream()
                .filter(awaited -> !chunks.containsKey(awaited))
                .forEach(awaited -> LOG.info("upkeep: no chunk waits for {} any more", awaited.describe()));
    }

    /**
     * Returns the waits that could end now, because a helper is there.
     *
     * @param stores finds a store by its id
     */
    public Set<MissingHelper> open(CopyEligibility ways, Function<StoreId, Optional<Store>> stores) {
        Set<MissingHelper> open = new HashSet<>();
        for (Map.Entry<MissingHelper, Long> wait : chunks.entrySet()) {
            MissingHelper awaited = wait.getKey();
            List<Store> sources = found(awaited.sources(), stores);
            if (found(awaited.targets(), stores).stream().anyMatch(target -> ways.exists(sources, target))) {
                open.add(awaited);
            }
        }
        return open;
    }

    private static List<Store> found(List<StoreId> ids, Function<StoreId, Optional<Store>> stores) {
        return ids.stream().flatMap(id -> stores.apply(id).stream()).toList();
    }
}
