package io.cloudmw.core.upkeep.task;

import java.util.Map;
import java.util.SortedMap;

/**
 * How far repair is.
 *
 * @param underReplicated chunks by how many good copies they have, when all were last looked at; since then some may
 *     have been repaired
 * @param obstacles why chunks could not be repaired then: how many
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
        long passes,
        boolean passing,
        long copied,
        long copiedBytes,
        long failed,
        long dropped) {}
