package io.cloudmw.client.progress;

/**
 * The extra attempts of a get: issued, won, and refused by the budget.
 *
 * @param hedges second attempts issued because the first was late
 * @param hedgesWon hedges that delivered the bytes
 * @param handOvers blocks whose rest was read from another replica
 * @param handOversWon hand-overs that delivered the bytes
 * @param steals ends of blocks in flight that an idle racer read; no byte is requested twice on purpose
 * @param duplicates blocks issued a second time to an idle racer
 * @param retries blocks issued again after a failure; the first attempt may have brought some of the bytes
 * @param suppressed second attempts that were due and refused, by the budget or because both stores had slowed down
 */
public record Extras(
        long hedges,
        long hedgesWon,
        long handOvers,
        long handOversWon,
        long steals,
        long duplicates,
        long retries,
        long suppressed) {
    /** No extra requests. */
    public static final Extras NONE = new Extras(0, 0, 0, 0, 0, 0, 0, 0);
}
