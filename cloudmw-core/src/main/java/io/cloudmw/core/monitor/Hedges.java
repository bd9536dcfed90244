package io.cloudmw.core.monitor;

/**
 * Second attempts because the first were late: hedges and hand-overs. Immutable.
 *
 * @param won those that brought the bytes
 * @param suppressed due and not allowed, by the budget or because both stores were slow
 */
public record Hedges(long issued, long won, long suppressed) {
    public static final Hedges NONE = new Hedges(0, 0, 0);

    public Hedges {
        if (issued < 0 || won < 0 || suppressed < 0) {
            throw new IllegalArgumentException(
                    "hedges: " + issued + ", " + won + ", " + suppressed + " (expected: >= 0)");
        }
    }

    public Hedges plus(Hedges other) {
        return new Hedges(issued + other.issued, won + other.won, suppressed + other.suppressed);
    }
}
