package io.cloudmw.core.race;

/**
 * The identity of an attempt: one request of one racer for one block.
 *
 * @param number the racer's attempts at this block, counted from 0
 */
public record AttemptId(BlockId block, RacerId racer, int number) {}
