package io.cloudmw.core.error;

import static io.cloudmw.core.error.RetryVerdict.AFTER_REFRESH;
import static io.cloudmw.core.error.RetryVerdict.NEVER;
import static io.cloudmw.core.error.RetryVerdict.OTHER_REPLICA;
import static io.cloudmw.core.error.RetryVerdict.SAME_REPLICA;

/**
 * Every way a request can fail, with the gRPC status it travels as and the retry verdict it usually carries.
 * {@code docs/errors.md} lists the same table; a test compares.
 */
public enum ErrorCode {
    /** The request itself is wrong. */
    INVALID_ARGUMENT("INVALID_ARGUMENT", NEVER),
    /** No such file, store or version. */
    NOT_FOUND("NOT_FOUND", NEVER),
    /** No such volume. */
    VOLUME_NOT_FOUND("NOT_FOUND", NEVER),
    /** The helper has no lease: it must register again. */
    HELPER_UNKNOWN("NOT_FOUND", AFTER_REFRESH),
    /** It exists already. */
    ALREADY_EXISTS("ALREADY_EXISTS", NEVER),
    /** The volume still holds files. */
    VOLUME_NOT_EMPTY("FAILED_PRECONDITION", NEVER),
    /** The store is still used by a volume. */
    STORE_IN_USE("FAILED_PRECONDITION", NEVER),
    /** Somebody else changed the path first. */
    CONFLICT("ABORTED", AFTER_REFRESH),
    /** The background job is another process's by now. */
    LEASE_LOST("ABORTED", NEVER),
    /** The two processes speak different major versions of the protocol. */
    VERSION_UNSUPPORTED("FAILED_PRECONDITION", NEVER),
    /** The token is missing, forged, expired or for something else. */
    UNAUTHENTICATED("UNAUTHENTICATED", AFTER_REFRESH),
    /** Fewer independent stores than replicas asked for. */
    NOT_ENOUGH_STORES("FAILED_PRECONDITION", NEVER),
    /** Fewer copies became durable than the volume's write quorum. */
    QUORUM_NOT_MET("UNAVAILABLE", SAME_REPLICA),
    /** A store did not answer, or not in time. */
    STORE_UNAVAILABLE("UNAVAILABLE", OTHER_REPLICA),
    /** A store refused the credentials or the operation. */
    STORE_DENIED("PERMISSION_DENIED", OTHER_REPLICA),
    /** A store has reached the reserve it must keep free. */
    STORE_FULL("RESOURCE_EXHAUSTED", OTHER_REPLICA),
    /** The disk or bucket in a store's place is not the one the store had. */
    STORE_MISMATCH("FAILED_PRECONDITION", OTHER_REPLICA),
    /** The store has no such chunk. */
    REPLICA_MISSING("NOT_FOUND", OTHER_REPLICA),
    /** The bytes do not match their digest. */
    REPLICA_CORRUPT("DATA_LOSS", OTHER_REPLICA),
    /** No helper could be reached and the operation needs one. */
    HELPER_UNAVAILABLE("UNAVAILABLE", OTHER_REPLICA),
    /** The coordinator could not be reached in time. */
    COORDINATOR_UNAVAILABLE("UNAVAILABLE", AFTER_REFRESH),
    /** A peer broke the protocol; its connection is closed. */
    PROTOCOL_VIOLATION("INTERNAL", OTHER_REPLICA),
    /** A bounded queue, pool or quota is full. */
    OVERLOADED("RESOURCE_EXHAUSTED", OTHER_REPLICA),
    /** Who asked no longer wants it. */
    CANCELLED("CANCELLED", NEVER),
    /** It did not finish in the time it was given. */
    DEADLINE_EXCEEDED("DEADLINE_EXCEEDED", OTHER_REPLICA),
    /** The source of a put, or the destination of a get, on the caller's own machine failed. */
    LOCAL_IO("FAILED_PRECONDITION", NEVER),
    /** A defect of CloudMW itself. */
    INTERNAL("INTERNAL", NEVER);

    private final String grpcStatus;
    private final RetryVerdict verdict;

    ErrorCode(String grpcStatus, RetryVerdict verdict) {
        this.grpcStatus = grpcStatus;
        this.verdict = verdict;
    }

    /** The name of the gRPC status this code travels as. */
    public String grpcStatus() {
        return grpcStatus;
    }

    /** Whether a copy is not what it should be, wherever it is read. */
    public boolean isOfReplica() {
        return this == REPLICA_MISSING || this == REPLICA_CORRUPT;
    }

    /** The verdict a failure with this code carries unless the thrower knows better. */
    public RetryVerdict verdict() {
        return verdict;
    }
}
