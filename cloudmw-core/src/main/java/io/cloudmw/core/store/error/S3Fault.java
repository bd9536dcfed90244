package io.cloudmw.core.store.error;

import static io.cloudmw.core.error.RetryVerdict.NEVER;
import static io.cloudmw.core.error.RetryVerdict.OTHER_REPLICA;

import io.cloudmw.core.access.StoreFault.Kind;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.RetryVerdict;

/**
 * A fault between this process and an S3 store, with its error code, its retry verdict, the store's state, and a
 * remedy for the operator. A fault with the verdict {@code NEVER} stays until an operator changes a setting: no
 * process retries it.
 */
public enum S3Fault {
    /** This process has no credentials to sign requests with; another process may have some. */
    NO_CREDENTIALS(
            ErrorCode.STORE_DENIED,
            OTHER_REPLICA,
            Kind.NO_CREDENTIALS,
            "this process has no AWS credentials: start it with AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY set,"
                    + " or with AWS_PROFILE naming a profile of ~/.aws, or on a machine with a role, or give the store"
                    + " credentials of its own (cloudmw store set; for recover: ,profile=NAME or ,credentials-file=PATH in"
                    + " --from)"),
    /** The server has no such access key. */
    UNKNOWN_KEY(
            ErrorCode.STORE_DENIED,
            NEVER,
            Kind.DENIED,
            "the server does not know the access key; correct the credentials of the coordinator and the helpers"),
    /** The secret key is not that of the access key. */
    WRONG_SECRET(
            ErrorCode.STORE_DENIED,
            NEVER,
            Kind.DENIED,
            "the secret key is not the access key's; correct the credentials of the coordinator and the helpers"),
    /** The credentials, or the URL they signed, have expired. */
    EXPIRED(
            ErrorCode.STORE_DENIED,
            NEVER,
            Kind.DENIED,
            "the credentials are expired; renew them at the coordinator and the helpers"),
    /** The server knows the key and does not permit the operation. */
    NOT_PERMITTED(
            ErrorCode.STORE_DENIED,
            NEVER,
            Kind.DENIED,
            "the key may not do this; permit it in the policies of the bucket and of the user"),
    /** The server refuses signatures with this machine's time. */
    WRONG_CLOCK(ErrorCode.STORE_DENIED, NEVER, Kind.DENIED, "set the clock of this machine right"),
    /** The bucket is in another region than the store says. */
    WRONG_REGION(
            ErrorCode.STORE_DENIED,
            NEVER,
            Kind.DENIED,
            "the store names the wrong region; add the store with the bucket's region"),
    /** There is no bucket of this name. */
    NO_BUCKET(
            ErrorCode.STORE_UNAVAILABLE,
            NEVER,
            Kind.MISSING,
            "there is no such bucket; create it, or correct the store's bucket, region and endpoint"),
    /** No bucket can have this name. */
    INVALID_NAME(
            ErrorCode.STORE_DENIED, NEVER, Kind.DENIED, "no bucket can have this name; correct the store's bucket"),
    /** The key of KMS that encrypts objects does not exist, or is disabled. */
    UNUSABLE_KEY(
            ErrorCode.STORE_DENIED,
            NEVER,
            Kind.DENIED,
            "the KMS key that encrypts objects cannot be used; enable it, or name another (cloudmw store set)"),
    /** The server lacks the operation. */
    UNSUPPORTED(
            ErrorCode.STORE_DENIED,
            NEVER,
            Kind.DENIED,
            "the server does not offer this operation; use a server that does"),
    /** The server refuses the request for another reason. */
    REFUSED(ErrorCode.STORE_DENIED, NEVER, Kind.DENIED, "the server refuses the request; see what it says"),
    /** There is no such object. */
    NO_OBJECT(ErrorCode.REPLICA_MISSING, OTHER_REPLICA, Kind.DENIED, "there is no such object"),
    /** The range lies beyond the object. */
    BAD_RANGE(ErrorCode.INVALID_ARGUMENT, NEVER, Kind.DENIED, "the object is shorter"),
    /** The bucket or its quota is full. */
    FULL(ErrorCode.STORE_FULL, OTHER_REPLICA, Kind.DENIED, "make room, or raise the quota"),
    /** The server asks for fewer requests. */
    THROTTLED(ErrorCode.STORE_UNAVAILABLE, OTHER_REPLICA, Kind.UNREACHABLE, "the server asks for fewer requests"),
    /** Another request changed the same object or bucket at the same time. */
    CONFLICTING(
            ErrorCode.STORE_UNAVAILABLE,
            OTHER_REPLICA,
            Kind.UNREACHABLE,
            "another request changed the same object at the same time; try again"),
    /** The received bytes are not those that were sent, or not all of them. */
    DAMAGED(
            ErrorCode.STORE_UNAVAILABLE,
            OTHER_REPLICA,
            Kind.UNREACHABLE,
            "the request was damaged or broke off on its way"),
    /** The server failed. */
    SERVER_FAILED(ErrorCode.STORE_UNAVAILABLE, OTHER_REPLICA, Kind.UNREACHABLE, "the server failed; see its log"),
    /** The server's certificate is not trusted. */
    UNTRUSTED(
            ErrorCode.STORE_UNAVAILABLE,
            NEVER,
            Kind.UNREACHABLE,
            "the server's certificate is not trusted; add its authority to the Java trust store, or correct the endpoint"),
    /** There was no response: no server listens, the name is unknown, or the network is cut. */
    UNREACHABLE(ErrorCode.STORE_UNAVAILABLE, OTHER_REPLICA, Kind.UNREACHABLE, "check the endpoint and the network");

    private final ErrorCode code;
    private final RetryVerdict verdict;
    private final Kind kind;
    private final String advice;

    S3Fault(ErrorCode code, RetryVerdict verdict, Kind kind, String advice) {
        this.code = code;
        this.verdict = verdict;
        this.kind = kind;
        this.advice = advice;
    }

    public ErrorCode code() {
        return code;
    }

    public RetryVerdict verdict() {
        return verdict;
    }

    /** The state of a store whose every request from a process ends with this fault. */
    public Kind kind() {
        return kind;
    }

    /** The fault and its remedy, in one line for an operator. */
    public String advice() {
        return advice;
    }

    /**
     * The fault behind a response.
     *
     * @param status of HTTP
     * @param code the server's; empty when it named none, as in a response to HEAD
     */
    public static S3Fault of(int status, String code) {
        return switch (code) {
            case "InvalidAccessKeyId", "XAdminUserNotFound" -> UNKNOWN_KEY;
            case "SignatureDoesNotMatch" -> WRONG_SECRET;
            case "ExpiredToken", "InvalidToken", "TokenRefreshRequired" -> EXPIRED;
            case "RequestTimeTooSkewed", "RequestInTheFuture" -> WRONG_CLOCK;
            case "PermanentRedirect", "TemporaryRedirect", "IllegalLocationConstraintException" -> WRONG_REGION;
            case "AuthorizationHeaderMalformed", "AuthorizationQueryParametersError" -> REFUSED;
            case "NoSuchBucket" -> NO_BUCKET;
            case "InvalidBucketName" -> INVALID_NAME;
            case "QuotaExceeded", "XMinioStorageFull" -> FULL;
            case "KMS.ThrottlingException" -> THROTTLED;
            case "SlowDown", "Throttling", "ThrottlingException", "RequestLimitExceeded", "TooManyRequests" ->
                THROTTLED;
            case "BadDigest", "IncompleteBody", "RequestTimeout", "XAmzContentSHA256Mismatch", "InvalidDigest" ->
                DAMAGED;
            default -> code.startsWith("KMS.") ? UNUSABLE_KEY : ofStatus(status);
        };
    }

    private static S3Fault ofStatus(int status) {
        return switch (status) {
            case 301, 307, 308 -> WRONG_REGION;
            case 401, 403 -> NOT_PERMITTED;
            case 404 -> NO_OBJECT;
            case 405, 501 -> UNSUPPORTED;
            case 408 -> DAMAGED;
            case 409 -> CONFLICTING;
            case 416 -> BAD_RANGE;
            case 429 -> THROTTLED;
            case 507 -> FULL;
            default -> status >= 400 && status < 500 && status != 412 ? REFUSED : SERVER_FAILED;
        };
    }
}
