package io.cloudmw.coordinator.catalog.dynamodb.table;

/** The signal that a transaction must be retried: an item it read has changed, or the table lacks capacity for it. */
public final class TransactionConflict extends Exception {
    public TransactionConflict(String why) {
        super(why, null, false, false);
    }
}
