package io.cloudmw.core.bulk;

/** The peer broke the protocol. Never leaves this package: the connection counts it and closes. */
final class ViolationException extends Exception {
    private final BulkViolation kind;

    ViolationException(BulkViolation kind, String message) {
        // Hostile peers choose how often these are made: no stack trace.
        super(message, null, false, false);
        this.kind = kind;
    }

    BulkViolation kind() {
        return kind;
    }

    String text() {
        return kind.tag() + ": " + getMessage();
    }
}
