package io.cloudmw.coordinator.upkeep.collect;

import io.cloudmw.coordinator.upkeep.schedule.UpkeepContext;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.Page;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.file.FileVersion;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The retirement of packs of which no file is left, at the beginning of a round. The round then finds their copies
 * unreferenced. Confined to one thread; calls block on the catalog.
 */
final class PackRetirement {
    private static final Logger LOG = LoggerFactory.getLogger(PackRetirement.class);
    private static final int PAGE = 100;

    private final UpkeepContext context;
    private final Deque<VersionId> found = new ArrayDeque<>();

    /** The page at which the list of packs continues; empty: it is at its end. */
    private Optional<String> nextPage = Optional.empty();

    private long beganMillis;
    private long retired;

    PackRetirement(UpkeepContext context) {
        this.context = context;
    }

    /** Begins with the first pack. */
    void begin(long nowMillis) {
        end();
        nextPage = Optional.of("");
        beganMillis = nowMillis;
        retired = 0;
    }

    /** Ends before the last pack. */
    void end() {
        found.clear();
        nextPage = Optional.empty();
    }

    /**
     * Retires one pack if no current version needs it, or reads more of them. A pack younger than the grace stays, since
     * the files of its writer may still be committed.
     *
     * @return whether there is more to do
     */
    boolean step() throws CloudMwException {
        VersionId pack = found.peek();
        if (pack != null) {
            retired += context.catalog()
                            .retirePack(context.lease(), pack, context.clock().millis())
                    ? 1
                    : 0;
            found.remove();
        } else if (nextPage.isPresent()) {
            turn(nextPage.get());
        } else {
            return false;
        }
        if (found.isEmpty() && nextPage.isEmpty() && retired > 0) {
            LOG.info("upkeep: {} packs without files were retired", retired);
        }
        return true;
    }

    private void turn(String token) throws CloudMwException {
        Page<FileVersion> page = context.catalog().packs(token, PAGE);
        for (FileVersion pack : page.items()) {
            if (pack.committedAtMillis() + context.graceMillis() < beganMillis) {
                found.add(pack.id());
            }
        }
        nextPage = page.isLast() ? Optional.empty() : Optional.of(page.nextToken());
    }
}
