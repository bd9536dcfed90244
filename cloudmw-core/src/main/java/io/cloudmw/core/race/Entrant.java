package io.cloudmw.core.race;

/**
 * A racer's place in one block's race.
 *
 * @param replica index into the block's replicas: where this racer starts
 */
public record Entrant(RacerId racer, int replica) {}
