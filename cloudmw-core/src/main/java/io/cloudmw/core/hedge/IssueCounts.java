package io.cloudmw.core.hedge;

/**
 * The counts of blocks issued besides the plan, and of those that won: the delivery's part of a receipt. Requests and
 * bytes are counted where they are reported.
 *
 * @param retries blocks issued again after a failure
 * @param hedges second attempts issued because the first was late
 * @param hedgesWon hedges that brought the bytes
 * @param handOvers blocks whose rest was issued to another replica mid-stream
 * @param handOversWon hand-overs that brought the bytes
 * @param steals blocks split for an idle racer
 * @param duplicates blocks issued a second time for an idle racer
 * @param suppressed second attempts that were due and that the budget did not allow
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
    /** No block was issued besides the plan. */
    public static final IssueCounts NONE = new IssueCounts(0, 0, 0, 0, 0, 0, 0, 0);

    /** The sum for two parts of one transfer. */
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
