package io.cloudmw.client.progress;

/**
 * What a get asked for beyond one attempt per block: what it bought, and what its budget refused.
 *
 * @param hedges second attempts issued because the first was late
 * @param hedgesWon those that brought the bytes
 * @param handOvers blocks whose rest was read from another replica
 * @param handOversWon those that brought the bytes
 * @param steals ends of blocks under way that were read by a racer with nothing else to do; none of their bytes is asked
 *     for twice on purpose
 * @param duplicates blocks issued a second time for a racer with nothing else to do
 * @param retries blocks issued again because they failed; their first attempt may have brought some of their bytes
 * @param suppressed second attempts that were due and refused: by the budget, or because both stores had slowed down
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
    public static final Extras NONE = new Extras(0, 0, 0, 0, 0, 0, 0, 0);
}
