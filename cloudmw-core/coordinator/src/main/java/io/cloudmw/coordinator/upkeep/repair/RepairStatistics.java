package io.cloudmw.coordinator.upkeep.repair;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.status.RepairProgress;
import io.cloudmw.core.status.ReplacedProgress;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.concurrent.TimeUnit;

/** The statistics of repair under one lease. Safe for any thread; never blocks. */
final class RepairStatistics {
    @GuardedBy("this")
    private RepairTally published = new RepairTally();

    @GuardedBy("this")
    private OptionalLong countedNanos = OptionalLong.empty();

    @GuardedBy("this")
    private long passes;

    @GuardedBy("this")
    private boolean passing;

    @GuardedBy("this")
    private long copied;

    @GuardedBy("this")
    private long copiedBytes;

    @GuardedBy("this")
    private long failed;

    @GuardedBy("this")
    private long dropped;

    synchronized void passBegan() {
        passing = true;
    }

    /** Ends a pass that counts for a requested round alone. */
    synchronized void requestedPassEnded() {
        passing = false;
    }

    /**
     * Ends a pass.
     *
     * @param complete its counts, if it covered everything there is to repair
     */
    synchronized void passEnded(Optional<RepairTally> complete, long nowNanos) {
        passing = false;
        passes++;
        if (complete.isPresent()) {
            complete.get().waits().tell(published.waits());
            published = complete.get();
            countedNanos = OptionalLong.of(nowNanos);
        }
    }

    synchronized void copied(long bytes, long dropping) {
        copied++;
        copiedBytes += bytes;
        dropped += dropping;
    }

    synchronized void dropped(long copies) {
        dropped += copies;
    }

    synchronized void failed(int attempts) {
        failed += attempts;
    }

    /** Returns the counts of the last complete pass. */
    synchronized RepairTally published() {
        return published;
    }

    /** @param replaced stores whose disk or bucket was replaced */
    synchronized RepairProgress progress(SortedMap<StoreId, ReplacedProgress> replaced, long nowNanos) {
        return new RepairProgress(
                published.underReplicated(),
                published.obstacles(),
                published.left(),
                replaced,
                published.waits().chunks(),
                passes,
                passing,
                copied,
                copiedBytes,
                failed,
                dropped,
                countedNanos.isPresent()
                        ? TimeUnit.NANOSECONDS.toMillis(nowNanos - countedNanos.getAsLong())
                        : RepairProgress.NOT_COUNTED);
    }
}
