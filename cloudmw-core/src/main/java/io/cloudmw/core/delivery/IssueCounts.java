package io.cloudmw.core.delivery;

/**
 * What was issued besides the plan so far, and what of it won: the race's part of a receipt. Requests and bytes are
 * counted where they are reported.
 *
 * @param retries blocks issued again after a failure
 * @param hedges second attempts issued because the first was late
 * @param hedgesWon those that brought the bytes
 * @param handOvers blocks whose rest was issued to another replica mid-stream
 * @param handOversWon those that brought the bytes
 * @param steals blocks split for a racer that had nothing else to do
 * @param duplicates blocks issued a second time for a racer that had nothing else to do
 * @param suppressed second attempts that were due and not allowed
 */
public record IssueCounts(
        int retries,
        int hedges,
        int hedgesWon,
        int handOvers,
        int handOversWon,
        int steals,
        int duplicates,
        int suppressed) {
    /** Nothing. */
    public static final IssueCounts NONE = new IssueCounts(0, 0, 0, 0, 0, 0, 0, 0);

    /** Of two parts of one transfer together. */
    public IssueCounts plus(IssueCounts other) {
        return new IssueCounts(
                retries + other.retries,
                hedges + other.hedges,
                hedgesWon + other.hedgesWon,
                handOvers + other.handOvers,
                handOversWon + other.handOversWon,
                steals + other.steals,
                duplicates + other.duplicates,
                suppressed + other.suppressed);
    }
}
