package io.cloudmw.coordinator.catalog.dynamodb;

import io.cloudmw.coordinator.catalog.Refusal;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.retry.Backoff;
import io.cloudmw.core.time.Sleeper;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/** Runs changes until they take effect, or have met others too often. Safe for any thread. */
final class Transactions {
    /** About three seconds altogether, when every pause is as long as it may be. */
    static final int MAX_ATTEMPTS = 16;

    private static final Backoff BACKOFF = Backoff.between(Duration.ofMillis(5), Duration.ofMillis(320));

    private final Table table;
    private final Sleeper sleeper;

    Transactions(Table table, Sleeper sleeper) {
        this.table = table;
        this.sleeper = sleeper;
    }

    /** Reads, and says what to change. Runs again from the start when it conflicts, so it keeps nothing of a run before. */
    @FunctionalInterface
    interface Body<T> {
        T run(Transaction transaction) throws Conflict, CloudMwException;
    }

    /**
     * Runs {@code body} and makes its changes.
     *
     * @throws CloudMwException what {@code body} refuses for, if all it read was so at one moment; {@code OVERLOADED} when
     *     others came first {@value #MAX_ATTEMPTS} times
     */
    <T> T run(Body<T> body) throws CloudMwException {
        for (int attempt = 1; ; attempt++) {
            Transaction transaction = new Transaction(table);
            boolean committed = false;
            Conflict met;
            try {
                T result = refusingRightly(transaction, body);
                transaction.commit();
                committed = true;
                return result;
            } catch (Conflict e) {
                met = e;
            } finally {
                transaction.end(committed);
            }
            pause(attempt, met);
        }
    }

    private static <T> T refusingRightly(Transaction transaction, Body<T> body) throws Conflict, CloudMwException {
        try {
            return body.run(transaction);
        } catch (CloudMwException e) {
            if (Refusal.is(e) && !transaction.wasSoAtOnce()) {
                throw new Conflict("read while others wrote");
            }
            throw e;
        }
    }

    private void pause(int attempt, Conflict conflict) throws CloudMwException {
        if (attempt == MAX_ATTEMPTS) {
            throw new CloudMwException(
                    ErrorCode.OVERLOADED,
                    "catalog table " + table.name() + ": others came first " + attempt + " times (last: "
                            + conflict.getMessage() + ")",
                    conflict);
        }
        try {
            sleeper.sleep(BACKOFF.fullJitterNanos(attempt, ThreadLocalRandom.current()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CloudMwException(ErrorCode.CANCELLED, "catalog: interrupted between two attempts", e);
        }
    }
}
