package io.cloudmw.core.upkeep;

import io.cloudmw.core.model.StoreId;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * How far repair is.
 *
 * @param underReplicated chunks by how many good copies they have, when all were last looked at; since then some may
 *     have been repaired
 * @param obstacles why chunks could not be repaired then: how many
 * @param left of stores that are drained: the copies they had then; what is not there was not looked through yet
 * @param replaced stores whose disk or bucket was replaced
 * @param awaited helpers that chunks waited for then ({@link Obstacle#NO_HELPER}), those told apart: how many chunks
 * @param passes looked at all of them so often
 * @param passing whether it is looking at them now
 * @param copied copies made since this coordinator started
 * @param copiedBytes what was written for them
 * @param failed tries that failed
 * @param dropped copies given up because there are others
 */
public record RepairProgress(
        SortedMap<Integer, Long> underReplicated,
        Map<Obstacle, Long> obstacles,
        SortedMap<StoreId, Long> left,
        SortedMap<StoreId, ReplacedProgress> replaced,
        SortedMap<AwaitedHelper, Long> awaited,
        long passes,
        boolean passing,
        long copied,
        long copiedBytes,
        long failed,
        long dropped) {
    /** Where no store was replaced, and no chunk waits for a helper. */
    public RepairProgress(
            SortedMap<Integer, Long> underReplicated,
            Map<Obstacle, Long> obstacles,
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
                dropped);
    }

    /** Returns whether all is counted: no copies of a store that was replaced are still to be looked for. */
    public boolean isCounted() {
        return replaced.values().stream().allMatch(ReplacedProgress::lookedThrough);
    }

    /**
     * Chunks that have fewer good copies than they ought to. While copies of a store that was replaced are still made anew it counts
     * them too, and never says that there is none.
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
