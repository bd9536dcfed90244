package io.cloudmw.core.bulk.frame;

/** A violation of the protocol by the peer. It never leaves the bulk plane: the connection counts it and closes. */
public final class ViolationException extends Exception {
    private final BulkViolation kind;

    public ViolationException(BulkViolation kind, String message) {
        // Hostile peers choose how often it is thrown: no stack trace.
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
