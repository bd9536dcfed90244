package io.cloudmw.core.race;

/**
 * What a transfer has cost and gained so far: the race's part of a receipt. Bytes as the racers reported them; what a
 * racer that died fetched since its last report is missing.
 *
 * @param requests attempts that started
 * @param fetchedBytes bytes all attempts fetched
 * @param deliveredBytes bytes handed on, each counted once
 * @param retries blocks issued again after a failure
 * @param hedges second attempts issued because the first was late
 * @param hedgesWon those that brought the bytes
 * @param handOvers blocks whose rest was issued to another replica mid-stream
 * @param handOversWon those that brought the bytes
 * @param steals blocks split for a racer that had nothing else to do
 * @param duplicates blocks issued a second time for a racer that had nothing else to do
 * @param suppressed second attempts that were due and not allowed
 */
public record Tally(
        int requests,
        long fetchedBytes,
        long deliveredBytes,
        int retries,
        int hedges,
        int hedgesWon,
        int handOvers,
        int handOversWon,
        int steals,
        int duplicates,
        int suppressed) {
    /** Bytes fetched and not handed on, so far. */
    public long wastedBytes() {
        return Math.max(0, fetchedBytes - deliveredBytes);
    }
}
