package io.cloudmw.core.status;

import io.cloudmw.core.model.StoreId;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The progress of repair.
 *
 * @param underReplicated how many chunks had how many good copies in the last pass; some may be repaired since
 * @param obstacles how many chunks could not be repaired in that pass, by reason
 * @param left the copies that drained stores had in that pass; a store without an entry was not passed over yet
 * @param replaced stores whose disk or bucket was replaced
 * @param awaited how many chunks waited for which helpers in that pass ({@link RepairObstacle#NO_HELPER}), up to a
 *     limit
 * @param passes how many passes have ended
 * @param passing whether a pass is under way
 * @param copied copies made since this coordinator started
 * @param copiedBytes bytes written for them
 * @param failed attempts that failed
 * @param dropped copies dropped because there are others
 * @param countAgeMillis time since the end of that pass; {@value #NOT_COUNTED}: not known
 */
public record RepairProgress(
        SortedMap<Integer, Long> underReplicated,
        Map<RepairObstacle, Long> obstacles,
        SortedMap<StoreId, Long> left,
        SortedMap<StoreId, ReplacedProgress> replaced,
        SortedMap<MissingHelper, Long> awaited,
        long passes,
        boolean passing,
        long copied,
        long copiedBytes,
        long failed,
        long dropped,
        long countAgeMillis) {
    /** The age of counts while there are none. */
    public static final long NOT_COUNTED = -1;

    /** Creates the progress without replaced stores, chunks that wait for a helper, and age. */
    public RepairProgress(
            SortedMap<Integer, Long> underReplicated,
            Map<RepairObstacle, Long> obstacles,
            SortedMap<StoreId, Long> left,
            long passes,
            boolean passing,
            long copied,
            long copiedBytes,
            long failed,
            long dropped) {
        this(
                underReplicated,
                obstacles,
                left,
                new TreeMap<>(),
                new TreeMap<>(),
                passes,
                passing,
                copied,
                copiedBytes,
                failed,
                dropped,
                NOT_COUNTED);
    }

    /** Returns whether all missing copies are counted: no copies of a replaced store are still to be checked. */
    public boolean isCounted() {
        return replaced.values().stream().allMatch(ReplacedProgress::lookedThrough);
    }

    /**
     * Returns how many chunks have too few good copies. While copies of a replaced store are being made, it counts
     * those, too, and is never zero.
     */
    public long underReplicatedChunks() {
        long counted =
                underReplicated.values().stream().mapToLong(Long::longValue).sum();
        long remaking = replaced.values().stream()
                .filter(store -> !store.complete())
                .mapToLong(store -> Math.max(1, store.missing() - store.made()))
                .max()
                .orElse(0);
        return Math.max(counted, remaking);
    }
}
