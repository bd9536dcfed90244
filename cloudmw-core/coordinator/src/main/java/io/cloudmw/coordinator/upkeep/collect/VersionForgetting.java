package io.cloudmw.coordinator.upkeep.collect;

import io.cloudmw.coordinator.catalog.version.RetiredVersion;
import io.cloudmw.coordinator.upkeep.schedule.UpkeepContext;
import io.cloudmw.core.cache.VersionFilter;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.Page;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.status.collect.CollectRound;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;

/**
 * The forgetting of retired versions at the end of a round: those of which the round has seen no copy in any store. Confined
 * to one thread; calls block on the catalog.
 */
final class VersionForgetting {
    private static final int PAGE = 100;

    /** 8 MiB. The next round, which sees other versions, does not repeat this round's false positives. */
    private static final int FILTER_BITS = 26;

    private final UpkeepContext context;

    /** The retired versions that wrote or share chunks of which the round has seen a copy. */
    private final VersionFilter seen = new VersionFilter(FILTER_BITS);

    private final Deque<VersionId> found = new ArrayDeque<>();

    /** The page at which the list of retired versions continues; empty: it is at its end. */
    private Optional<String> nextPage = Optional.empty();

    /** True when the round has listed every store; otherwise an unseen version may have copies in another. */
    private boolean complete;

    VersionForgetting(UpkeepContext context) {
        this.context = context;
    }

    /**
     * Begins a round.
     *
     * @param complete whether all stores can be listed
     */
    void begin(boolean complete) {
        seen.clear();
        found.clear();
        nextPage = Optional.of("");
        this.complete = complete;
    }

    /** Records that a store was not listed to its end, so that this round forgets nothing. */
    void storeMissed() {
        complete = false;
    }

    void saw(VersionId version) {
        seen.add(version);
    }

    boolean isOver(CollectRound round) {
        return round.dry() || !complete || (found.isEmpty() && nextPage.isEmpty());
    }

    /**
     * Forgets one version, or reads more of them.
     *
     * @return whether a version was forgotten
     */
    boolean step(CollectRound round) throws CloudMwException {
        if (found.isEmpty()) {
            Page<RetiredVersion> page = context.catalog().retired(nextPage.orElse(""), PAGE);
            for (RetiredVersion version : page.items()) {
                boolean before = version.retiredAtMillis() + context.graceMillis() < round.beganMillis();
                if (before && !seen.mayContain(version.id())) {
                    found.add(version.id());
                }
            }
            nextPage = page.isLast() ? Optional.empty() : Optional.of(page.nextToken());
            return false;
        }
        context.catalog().forget(context.lease(), found.element());
        found.remove();
        return true;
    }
}
