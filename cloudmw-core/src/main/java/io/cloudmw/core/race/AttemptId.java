package io.cloudmw.core.race;

/**
 * One try of one racer at one block.
 *
 * @param number counts the racer's tries at this block from 0
 */
public record AttemptId(BlockId block, RacerId racer, int number) {}
