package io.cloudmw.core.store.s3;

import io.cloudmw.core.access.StoreFault;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.Reasons;
import io.cloudmw.core.error.RetryVerdict;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.fleet.BucketEncryption;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.store.error.S3ErrorResponse;
import io.cloudmw.core.store.error.S3Fault;
import io.cloudmw.core.time.WallClock;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.security.cert.CertificateException;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLPeerUnverifiedException;
import software.amazon.awssdk.awscore.exception.AwsErrorDetails;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.core.exception.AbortedException;
import software.amazon.awssdk.core.exception.ApiCallTimeoutException;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.http.SdkHttpResponse;

/** The translation of the SDK's exceptions for one store; the only place that does it. Immutable. */
final class SdkErrors {
    private static final Pattern KMS_ACTION = Pattern.compile("kms:[A-Za-z]+");

    private final StoreId store;
    private final Store.S3 bucket;

    SdkErrors(StoreId store, Store.S3 bucket) {
        this.store = store;
        this.bucket = bucket;
    }

    /**
     * @param what the subject of the message, like {@code chunk=…}
     */
    CloudMwException translate(String what, SdkException e) {
        if (e instanceof AbortedException) {
            return new CloudMwException(ErrorCode.CANCELLED, where(what) + "cancelled", e);
        }
        Optional<S3ErrorResponse> answer = answer(e);
        if (answer.isPresent()) {
            S3ErrorResponse response = answer.get();
            return failure(what, response.fault(), response.describe("S3", bucket.region()), e);
        }
        S3Fault fault = faultOf(e);
        return switch (fault) {
            case NO_CREDENTIALS -> failure(what, fault, lacking(e), e);
            case UNTRUSTED -> failure(what, fault, at() + Reasons.of(e) + ": " + fault.advice(), e);
            default -> failure(what, fault, at() + reason(e), e);
        };
    }

    /**
     * The fault that keeps this process out of the store, by a request that failed, with its remedy, in one line.
     *
     * @param action the permission that the request needs, like {@code s3:PutObject}
     */
    StoreFault fault(String action, SdkException e, long nowMillis) {
        Optional<S3ErrorResponse> answer = answer(e).map(this::located);
        S3Fault fault = answer.map(S3ErrorResponse::fault).orElseGet(() -> faultOf(e));
        String reason = answer.isPresent()
                ? settings(action, answer.get())
                : fault == S3Fault.NO_CREDENTIALS ? lacking(e) : unreachable(e);
        return new StoreFault(fault.kind(), inOneLine(reason), nowMillis);
    }

    /** The response, blamed on the region when the server names another one than the store. */
    private S3ErrorResponse located(S3ErrorResponse answer) {
        boolean elsewhere = !answer.region().isEmpty() && !answer.region().equals(bucket.region());
        boolean refused = answer.fault().kind() != StoreFault.Kind.UNREACHABLE;
        return elsewhere && refused ? answer.as(S3Fault.WRONG_REGION) : answer;
    }

    private String settings(String action, S3ErrorResponse answer) {
        String keys = bucket.credentials().describe();
        String summary = answer.summary();
        return switch (answer.fault()) {
            case NO_BUCKET ->
                "there is no bucket " + bucket.bucket() + " at " + place()
                        + " (make it, or add the store with --create)";
            case INVALID_NAME -> "bucket name \"" + bucket.bucket() + "\" is invalid";
            case WRONG_REGION ->
                "region " + bucket.region() + " is wrong"
                        + (answer.region().isEmpty() ? ": " + summary : ", it is " + answer.region());
            case UNKNOWN_KEY -> "the store does not know the access key of " + keys;
            case WRONG_SECRET -> "the secret key of " + keys + " is wrong";
            case EXPIRED -> "the temporary keys of " + keys + " have expired";
            case WRONG_CLOCK -> "the clocks of this machine and of the store differ too much: " + summary;
            case NOT_PERMITTED ->
                "the credentials (" + keys + ") may not " + permission(action, answer.text()) + ", or are wrong: "
                        + summary;
            case UNUSABLE_KEY -> "KMS key " + kmsKey() + " cannot be used: " + summary;
            case THROTTLED, CONFLICTING, DAMAGED, SERVER_FAILED -> "the store answered " + summary + " at " + place();
            default -> action + ": the store answered " + summary + " at " + place() + " (is it an S3 endpoint?)";
        };
    }

    /** The permission that the request needs; of a store whose objects have keys of KMS, also that of the key. */
    private String permission(String action, String text) {
        if (bucket.encryption().mode() != BucketEncryption.Mode.KMS) {
            return action;
        }
        Matcher named = KMS_ACTION.matcher(text);
        if (named.find()) {
            return named.group() + " with KMS key " + kmsKey();
        }
        return switch (action) {
            case "s3:PutObject" -> action + ", or kms:GenerateDataKey with KMS key " + kmsKey();
            case "s3:GetObject" -> action + ", or kms:Decrypt with KMS key " + kmsKey();
            default -> action;
        };
    }

    private String kmsKey() {
        String key = bucket.encryption().kmsKey();
        return key.isEmpty() ? "aws/s3 of the account" : key;
    }

    private String place() {
        return bucket.endpoint().isEmpty() ? bucket.region() : bucket.endpoint();
    }

    private String unreachable(SdkException e) {
        String place = bucket.endpoint().isEmpty() ? "S3 in " + bucket.region() : bucket.endpoint();
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
            if (cause instanceof SSLException) {
                return place + ": the certificate or the TLS handshake is refused: " + cause.getMessage();
            }
            if (cause instanceof UnknownHostException) {
                return place + ": no such host (expected: --endpoint or --region that resolves)";
            }
            if (cause instanceof ConnectException) {
                return place + ": the connection is refused (is the server running there?)";
            }
            if (cause instanceof ApiCallTimeoutException || cause instanceof SocketTimeoutException) {
                return place + ": no answer in time (is it an S3 endpoint, and up?)";
            }
        }
        return place + ": " + Reasons.of(e);
    }

    private static String inOneLine(String text) {
        return text.replaceAll("\\s+", " ");
    }

    /** The failure of a response that names no bucket although the bucket is missing. */
    CloudMwException noBucket(String what, AwsServiceException e) {
        S3Fault fault = S3Fault.NO_BUCKET;
        String message = answer(e)
                .map(answer -> answer.as(fault).describe("S3", bucket.region()))
                .orElse(fault.advice());
        return failure(what, fault, message, e);
    }

    /** A failure with the names of store and bucket. */
    CloudMwException failure(String what, S3Fault fault, String message, Throwable cause) {
        return new CloudMwException(fault.code(), fault.verdict(), where(what) + message, cause);
    }

    /** {@code what store=… bucket=…: }, the beginning of every message. */
    String where(String what) {
        return what + " store=" + store + " bucket=" + bucket.bucket() + ": ";
    }

    /** The server's answer, when the failure is one. */
    static Optional<S3ErrorResponse> answer(Throwable failure) {
        if (!(failure instanceof AwsServiceException answer)) {
            return Optional.empty();
        }
        AwsErrorDetails details = answer.awsErrorDetails();
        SdkHttpResponse http = details == null ? null : details.sdkHttpResponse();
        return Optional.of(S3ErrorResponse.of(
                answer.statusCode(),
                name -> http == null ? Optional.empty() : http.firstMatchingHeader(name),
                details == null ? "" : body(details),
                WallClock.system().millis()));
    }

    /** The response's body, as far as the SDK keeps it; for some operations it keeps only parsed fields. */
    private static String body(AwsErrorDetails details) {
        String raw = details.rawResponse() == null ? "" : details.rawResponse().asString(StandardCharsets.UTF_8);
        if (raw.contains("<Code>") || details.errorCode() == null) {
            return raw;
        }
        String text = details.errorMessage() == null ? "" : details.errorMessage();
        return "<Code>" + details.errorCode() + "</Code><Message>" + text + "</Message>";
    }

    /** The fault when there was no response. */
    static S3Fault faultOf(Throwable failure) {
        if (lacksCredentials(failure)) {
            return S3Fault.NO_CREDENTIALS;
        }
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof SSLHandshakeException
                    || cause instanceof SSLPeerUnverifiedException
                    || cause instanceof CertificateException) {
                return S3Fault.UNTRUSTED;
            }
        }
        return S3Fault.UNREACHABLE;
    }

    /**
     * Returns whether the server may have seen the failed request; false when no server was reached, or the request
     * was cancelled.
     */
    static boolean mayHaveArrived(CloudMwException failure) {
        if (failure.code() != ErrorCode.STORE_UNAVAILABLE || failure.verdict() == RetryVerdict.NEVER) {
            return false;
        }
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof ConnectException || cause instanceof UnknownHostException) {
                return false;
            }
        }
        return true;
    }

    private String at() {
        return bucket.endpoint().isEmpty() ? "" : bucket.endpoint() + ": ";
    }

    /** The SDK's own words, which name timeouts, and the system's when they differ. */
    private static String reason(SdkException e) {
        String own = String.valueOf(e.getMessage());
        String system = Reasons.of(e);
        return own.contains(system) ? own : own + ": " + system;
    }

    /** The message about missing credentials: the store's reference, if it has one, and the reason. */
    private static String lacking(SdkException e) {
        String message = String.valueOf(e.getMessage());
        return message.startsWith(S3Credentials.UNABLE)
                ? "this process has no credentials for it: "
                        + inOneLine(message.substring(S3Credentials.UNABLE.length()))
                : S3Fault.NO_CREDENTIALS.advice();
    }

    private static boolean lacksCredentials(Throwable failure) {
        String message = failure.getMessage();
        return message != null && message.contains("Unable to load credentials");
    }
}
