package io.cloudmw.coordinator.catalog.dynamodb;

/** What a transaction read is no longer so, or the table has no room for it at the moment: it has to begin anew. */
final class Conflict extends Exception {
    Conflict(String why) {
        super(why, null, false, false);
    }
}
