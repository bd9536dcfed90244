package io.cloudmw.core.bulk.frame;

/** The peer broke the protocol. Never leaves this package: the connection counts it and closes. */
public final class ViolationException extends Exception {
    private final BulkViolation kind;

    public ViolationException(BulkViolation kind, String message) {
        // Hostile peers choose how often these are made: no stack trace.
        super(message, null, false, false);
        this.kind = kind;
    }

    public BulkViolation kind() {
        return kind;
    }

    public String text() {
        return kind.tag() + ": " + getMessage();
    }
}
