package io.cloudmw.client.read;

import io.cloudmw.client.context.DirectReadHistory;
import io.cloudmw.client.context.DirectResources;
import io.cloudmw.core.mode.DirectPolicy;
import io.cloudmw.core.mode.DirectUse;
import io.cloudmw.core.mode.ModePolicy;
import io.cloudmw.core.model.ReadPath;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.placement.ReadPlan;
import java.util.List;
import java.util.Optional;

/**
 * The choice of the path of one read: through helpers, from the stores directly, or as it is measured. Immutable; safe
 * for any thread.
 */
final class ReadPathChoice {
    /** A shorter read ends before a probe has told anything. */
    static final long LEAST_PROBED_BYTES = 64L << 20;

    private final ReadPath path;
    private final DirectReadHistory paths;

    /** @param path of the read; empty: the client's */
    ReadPathChoice(Optional<ReadPath> path, DirectResources resources) {
        this.path = path.orElse(resources.path());
        this.paths = resources.paths();
    }

    /** Returns whether no helper may be asked. */
    boolean isDirect() {
        return path == ReadPath.DIRECT;
    }

    /** The plan as far as the path allows it. */
    ReadPlan of(ReadPlan plan) {
        return isDirect() ? plan.withoutHelpers() : plan;
    }

    /**
     * The policy for the client's own racers. A read through switches shares its bytes with other readers, and a race
     * is between helpers, so neither is read directly unless the caller wants it.
     */
    DirectPolicy policy(ReadPlan plan, ModePolicy mode, long bytes) {
        if (isDirect()) {
            return DirectPolicy.of(DirectUse.LAST_RESORT, mode, plan.replicas());
        }
        List<StoreId> buckets = buckets(plan);
        boolean mayChoose = path == ReadPath.AUTO
                && plan.switches() == 0
                && !plan.helpers().isEmpty()
                && !buckets.isEmpty()
                && !mode.lineup().isRace()
                && bytes > mode.blocks().blockBytes();
        DirectUse start = mayChoose ? paths.start(buckets) : DirectUse.LAST_RESORT;
        if (start == DirectUse.PROBING && bytes < LEAST_PROBED_BYTES) {
            start = DirectUse.LAST_RESORT;
        }
        return start == DirectUse.LAST_RESORT
                ? DirectPolicy.LAST_RESORT
                : DirectPolicy.of(start, mode, plan.replicas());
    }

    /** Remembers for later reads what a read that had a choice has found out. */
    void ended(ReadPlan plan, DirectUse start, DirectUse end) {
        if (start != DirectUse.LAST_RESORT) {
            paths.compared(buckets(plan), end);
        }
    }

    private static List<StoreId> buckets(ReadPlan plan) {
        return plan.stores().stream()
                .map(status -> status.store())
                .filter(store -> !(store.kind() instanceof Store.Disk))
                .map(Store::id)
                .toList();
    }
}
