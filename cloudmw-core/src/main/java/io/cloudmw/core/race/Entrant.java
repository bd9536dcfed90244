package io.cloudmw.core.race;

/**
 * A racer that a block is issued to, with its first replica.
 *
 * @param replica index into the block's replicas
 */
public record Entrant(RacerId racer, int replica) {}
