package io.cloudmw.core.upkeep.task;

import io.cloudmw.core.model.StoreId;
import java.util.Map;
import java.util.SortedMap;

/**
 * How far repair is.
 *
 * @param underReplicated chunks by how many good copies they have, when all were last looked at; since then some may
 *     have been repaired
 * @param obstacles why chunks could not be repaired then: how many
 * @param left of stores that are drained: the copies they had then; what is not there was not looked through yet
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
        long passes,
        boolean passing,
        long copied,
        long copiedBytes,
        long failed,
        long dropped) {}
