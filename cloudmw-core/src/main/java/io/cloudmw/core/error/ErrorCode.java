package io.cloudmw.core.error;

import static io.cloudmw.core.error.RetryVerdict.AFTER_REFRESH;
import static io.cloudmw.core.error.RetryVerdict.NEVER;
import static io.cloudmw.core.error.RetryVerdict.OTHER_REPLICA;
import static io.cloudmw.core.error.RetryVerdict.SAME_REPLICA;

/**
 * The codes of failed requests, each with its gRPC status and its usual retry verdict. {@code docs/errors.md} lists
 * the same table; a test compares.
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
    /** The thing to create exists already. */
    ALREADY_EXISTS("ALREADY_EXISTS", NEVER),
    /** The volume still holds files. */
    VOLUME_NOT_EMPTY("FAILED_PRECONDITION", NEVER),
    /** The directory still has entries. */
    NOT_EMPTY("FAILED_PRECONDITION", NEVER),
    /** The store is still used by a volume. */
    STORE_IN_USE("FAILED_PRECONDITION", NEVER),
    /** Another client changed the path first. */
    CONFLICT("ABORTED", AFTER_REFRESH),
    /** The lock on the file was released, or its term was over and another client asked for one. */
    LOCK_LOST("ABORTED", NEVER),
    /** Another process has taken over the background job. */
    LEASE_LOST("ABORTED", NEVER),
    /** The two processes speak different major versions of the protocol. */
    VERSION_UNSUPPORTED("FAILED_PRECONDITION", NEVER),
    /** The token is missing, forged, expired or for another file or right. */
    UNAUTHENTICATED("UNAUTHENTICATED", AFTER_REFRESH),
    /** The caller does not have the right or the role that the call needs. */
    PERMISSION_DENIED("PERMISSION_DENIED", NEVER),
    /** The certificate of a connection's other side, or of this one, is not trusted; or one side speaks plain text. */
    TLS_FAILED("UNAUTHENTICATED", OTHER_REPLICA),
    /** Fewer independent stores than requested replicas. */
    NOT_ENOUGH_STORES("FAILED_PRECONDITION", NEVER),
    /** Fewer replicas became durable than the volume's write quorum. */
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
    /** The caller has cancelled the request. */
    CANCELLED("CANCELLED", NEVER),
    /** The request did not finish within its deadline. */
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

    /** The name of this code's gRPC status. */
    public String grpcStatus() {
        return grpcStatus;
    }

    /** Returns whether the code blames the replica, by whatever path it was read. */
    public boolean isOfReplica() {
        return this == REPLICA_MISSING || this == REPLICA_CORRUPT;
    }

    /** The usual verdict of a failure with this code. */
    public RetryVerdict verdict() {
        return verdict;
    }
}
