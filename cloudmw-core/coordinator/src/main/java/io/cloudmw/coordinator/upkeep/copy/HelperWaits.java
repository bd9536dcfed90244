package io.cloudmw.coordinator.upkeep.copy;

import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.upkeep.AwaitedHelper;
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

/** Counts the chunks that wait for a helper, by what that must be able to use. Confined to the thread of its owner. */
public final class HelperWaits {
    private static final Logger LOG = LoggerFactory.getLogger(HelperWaits.class);

    /** Awaited helpers that are told apart. */
    static final int MOST_TOLD_APART = 16;

    private final SortedMap<AwaitedHelper, Long> chunks = new TreeMap<>();

    /** Counts a chunk. Of more than {@value #MOST_TOLD_APART} different awaited helpers the later ones are left out. */
    public void add(Collection<StoreId> sources, Collection<StoreId> targets) {
        AwaitedHelper awaited = AwaitedHelper.of(sources, targets);
        if (chunks.size() < MOST_TOLD_APART || chunks.containsKey(awaited)) {
            chunks.merge(awaited, 1L, Long::sum);
        }
    }

    /** How many chunks wait for each helper. */
    public SortedMap<AwaitedHelper, Long> chunks() {
        return new TreeMap<>(chunks);
    }

    /** Logs which waits are new since an earlier count, and which are over. */
    public void tell(HelperWaits before) {
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
     * The waits that could be over now: there is a helper.
     *
     * @param stores finds a store by its id
     */
    public Set<AwaitedHelper> open(CopyWays ways, Function<StoreId, Optional<Store>> stores) {
        Set<AwaitedHelper> open = new HashSet<>();
        for (Map.Entry<AwaitedHelper, Long> wait : chunks.entrySet()) {
            AwaitedHelper awaited = wait.getKey();
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
