package io.cloudmw.core.status.fleet;

/**
 * The counts of second attempts beside late ones: hedges and hand-overs. Immutable.
 *
 * @param won those that brought the bytes
 * @param suppressed those that were due and not allowed, by the budget or because both stores were slow
 */
public record HedgeCounts(long issued, long won, long suppressed) {
    /** No hedges. */
    public static final HedgeCounts NONE = new HedgeCounts(0, 0, 0);

    public HedgeCounts {
        if (issued < 0 || won < 0 || suppressed < 0) {
            throw new IllegalArgumentException(
                    "hedges: " + issued + ", " + won + ", " + suppressed + " (expected: >= 0)");
        }
    }

    /** The sum of both. */
    public HedgeCounts plus(HedgeCounts other) {
        return new HedgeCounts(issued + other.issued, won + other.won, suppressed + other.suppressed);
    }
}
