package io.cloudmw.core.access;

import io.cloudmw.core.error.ErrorCode;

/**
 * The fault that keeps a process, or all of them, out of a store.
 *
 * @param reason the fault and its remedy, in one line
 * @param sinceMillis when it was seen first; by the clock of the process that saw it
 */
public record StoreFault(Kind kind, String reason, long sinceMillis) {
    private static final int MAX_REASON = 512;

    public StoreFault {
        reason = reason.length() > MAX_REASON ? reason.substring(0, MAX_REASON) : reason;
    }

    /** The kinds of faults, ordered by how much they say about the store itself. */
    public enum Kind {
        /** There is no such bucket. */
        MISSING,
        /** The store refuses the credentials or a request, or the settings of the store are wrong. */
        DENIED,
        /** There are no credentials at the store's reference. */
        NO_CREDENTIALS,
        /** The store does not answer. */
        UNREACHABLE;

        /** The error code of failures by such a fault. */
        public ErrorCode code() {
            return switch (this) {
                case MISSING -> ErrorCode.NOT_FOUND;
                case DENIED, NO_CREDENTIALS -> ErrorCode.STORE_DENIED;
                case UNREACHABLE -> ErrorCode.STORE_UNAVAILABLE;
            };
        }

        /** Its name in lists of stores. */
        public String word() {
            return switch (this) {
                case MISSING -> "missing";
                case DENIED, NO_CREDENTIALS -> "denied";
                case UNREACHABLE -> "unreachable";
            };
        }
    }

    /** The same fault, with a reason of at most so many characters. */
    public StoreFault shortened(int length) {
        return reason.length() <= length ? this : new StoreFault(kind, reason.substring(0, length), sinceMillis);
    }

    /** The same fault, seen first at another time. */
    public StoreFault since(long millis) {
        return new StoreFault(kind, reason, millis);
    }
}
