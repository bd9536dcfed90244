package io.cloudmw.coordinator.catalog.dynamodb.transaction;

import io.cloudmw.coordinator.catalog.change.RefusedCall;
import io.cloudmw.coordinator.catalog.dynamodb.table.Table;
import io.cloudmw.coordinator.catalog.dynamodb.table.TransactionConflict;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.retry.Backoff;
import io.cloudmw.core.time.Sleeper;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/** The retry loop of transactions: runs a change until it commits or has conflicted too often. Safe for any thread. */
public final class TransactionRetry {
    /** The longest delays add up to about three seconds. */
    static final int MAX_ATTEMPTS = 16;

    private static final Backoff BACKOFF = Backoff.between(Duration.ofMillis(5), Duration.ofMillis(320));

    private final Table table;
    private final Sleeper sleeper;

    public TransactionRetry(Table table, Sleeper sleeper) {
        this.table = table;
        this.sleeper = sleeper;
    }

    /**
     * A change: reads, and records what to write. It runs again from the start after a conflict, so it keeps no state
     * between runs.
     */
    @FunctionalInterface
    public interface Body<T> {
        T run(Transaction transaction) throws TransactionConflict, CloudMwException;
    }

    /**
     * Runs {@code body} and commits its changes.
     *
     * @throws CloudMwException the refusal of {@code body}, if all it read was valid at one moment; {@code OVERLOADED}
     *     after {@value #MAX_ATTEMPTS} conflicts
     */
    public <T> T run(Body<T> body) throws CloudMwException {
        for (int attempt = 1; ; attempt++) {
            Transaction transaction = new Transaction(table);
            boolean committed = false;
            TransactionConflict met;
            try {
                T result = refusingRightly(transaction, body);
                transaction.commit();
                committed = true;
                return result;
            } catch (TransactionConflict e) {
                met = e;
            } finally {
                transaction.end(committed);
            }
            pause(attempt, met);
        }
    }

    private static <T> T refusingRightly(Transaction transaction, Body<T> body)
            throws TransactionConflict, CloudMwException {
        try {
            return body.run(transaction);
        } catch (CloudMwException e) {
            if (RefusedCall.is(e) && !transaction.wasSoAtOnce()) {
                throw new TransactionConflict("read while others wrote");
            }
            throw e;
        }
    }

    private void pause(int attempt, TransactionConflict conflict) throws CloudMwException {
        if (attempt == MAX_ATTEMPTS) {
            throw new CloudMwException(
                    ErrorCode.OVERLOADED,
                    "catalog table " + table.name() + ": a change conflicted with others " + attempt + " times (last: "
                            + conflict.getMessage() + ")",
                    conflict);
        }
        try {
            sleeper.sleep(BACKOFF.fullJitterNanos(attempt, ThreadLocalRandom.current()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CloudMwException(
                    ErrorCode.CANCELLED, "catalog: interrupted between two attempts of a transaction", e);
        }
    }
}
