package io.cloudmw.cli.command;

import io.cloudmw.core.error.ErrorCode;

/** The exit codes of the command line; frozen, and documented in {@code docs/cli.md}. */
public enum ExitCode {
    OK(0, "done"),
    INTERNAL(1, "a defect of CloudMW"),
    USAGE(2, "the command line or an argument is wrong"),
    NOT_FOUND(3, "no such file, volume, store or version"),
    CONFLICT(4, "it exists already, is still in use, or somebody else changed it first"),
    UNAVAILABLE(5, "the cluster, or too much of it, could not be reached"),
    DATA_LOSS(6, "the bytes are gone or do not match their digest"),
    LOCAL_IO(7, "a file on this machine could not be read or written"),
    REFUSED(8, "refused: credentials, protocol version or a precondition"),
    INTERRUPTED(130, "interrupted"),
    UNREAD(141, "whoever read standard output stopped, as `head` does: nothing is printed then");

    private final int value;
    private final String meaning;

    ExitCode(int value, String meaning) {
        this.value = value;
        this.meaning = meaning;
    }

    public int value() {
        return value;
    }

    public String meaning() {
        return meaning;
    }

    public static ExitCode of(ErrorCode code) {
        return switch (code) {
            case INVALID_ARGUMENT -> USAGE;
            case NOT_FOUND, VOLUME_NOT_FOUND -> NOT_FOUND;
            case ALREADY_EXISTS, CONFLICT, LEASE_LOST, LOCK_LOST, VOLUME_NOT_EMPTY, NOT_EMPTY, STORE_IN_USE -> CONFLICT;
            case COORDINATOR_UNAVAILABLE,
                    HELPER_UNAVAILABLE,
                    HELPER_UNKNOWN,
                    STORE_UNAVAILABLE,
                    STORE_FULL,
                    QUORUM_NOT_MET,
                    OVERLOADED,
                    DEADLINE_EXCEEDED -> UNAVAILABLE;
            case REPLICA_CORRUPT, REPLICA_MISSING -> DATA_LOSS;
            case LOCAL_IO -> LOCAL_IO;
            case PERMISSION_DENIED,
                    TLS_FAILED,
                    UNAUTHENTICATED,
                    VERSION_UNSUPPORTED,
                    STORE_DENIED,
                    STORE_MISMATCH,
                    NOT_ENOUGH_STORES -> REFUSED;
            case CANCELLED -> INTERRUPTED;
            case PROTOCOL_VIOLATION, INTERNAL -> INTERNAL;
        };
    }
}
