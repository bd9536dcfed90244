package io.cloudmw.core.store.s3;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.Reasons;
import io.cloudmw.core.error.RetryVerdict;
import io.cloudmw.core.model.Store;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.store.answer.ErrorAnswer;
import io.cloudmw.core.store.answer.ServerFault;
import io.cloudmw.core.time.WallClock;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.security.cert.CertificateException;
import java.util.Optional;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLPeerUnverifiedException;
import software.amazon.awssdk.awscore.exception.AwsErrorDetails;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.core.exception.AbortedException;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.http.SdkHttpResponse;

/** Translates what the SDK throws for one store; the only place that does. Immutable. */
final class S3Errors {
    private final StoreId store;
    private final Store.S3 bucket;

    S3Errors(StoreId store, Store.S3 bucket) {
        this.store = store;
        this.bucket = bucket;
    }

    /** @param what the subject of the message, like {@code chunk=…} */
    CloudMwException translate(String what, SdkException e) {
        if (e instanceof AbortedException) {
            return new CloudMwException(ErrorCode.CANCELLED, where(what) + "cancelled", e);
        }
        Optional<ErrorAnswer> answer = answer(e);
        if (answer.isPresent()) {
            ErrorAnswer said = answer.get();
            return failure(what, said.fault(), said.describe("S3", bucket.region()), e);
        }
        ServerFault fault = faultOf(e);
        return switch (fault) {
            case NO_CREDENTIALS -> failure(what, fault, lacking(e), e);
            case UNTRUSTED -> failure(what, fault, at() + Reasons.of(e) + ": " + fault.advice(), e);
            default -> failure(what, fault, at() + reason(e), e);
        };
    }

    /** An answer in which the server did not name a bucket, but the bucket is what it lacks. */
    CloudMwException noBucket(String what, AwsServiceException e) {
        ServerFault fault = ServerFault.NO_BUCKET;
        String said = answer(e)
                .map(answer -> answer.as(fault).describe("S3", bucket.region()))
                .orElse(fault.advice());
        return failure(what, fault, said, e);
    }

    /** A failure with the names of store and bucket. */
    CloudMwException failure(String what, ServerFault fault, String said, Throwable cause) {
        return new CloudMwException(fault.code(), fault.verdict(), where(what) + said, cause);
    }

    /** {@code what store=… bucket=…: }, the beginning of every message. */
    String where(String what) {
        return what + " store=" + store + " bucket=" + bucket.bucket() + ": ";
    }

    /** What the server said, when the failure is an answer of one. */
    static Optional<ErrorAnswer> answer(Throwable failure) {
        if (!(failure instanceof AwsServiceException answer)) {
            return Optional.empty();
        }
        AwsErrorDetails details = answer.awsErrorDetails();
        SdkHttpResponse http = details == null ? null : details.sdkHttpResponse();
        return Optional.of(ErrorAnswer.of(
                answer.statusCode(),
                name -> http == null ? Optional.empty() : http.firstMatchingHeader(name),
                details == null ? "" : body(details),
                WallClock.system().millis()));
    }

    /** The answer's body, as far as the SDK keeps it: of some operations it keeps only what it read there. */
    private static String body(AwsErrorDetails details) {
        String raw = details.rawResponse() == null ? "" : details.rawResponse().asString(StandardCharsets.UTF_8);
        if (raw.contains("<Code>") || details.errorCode() == null) {
            return raw;
        }
        String text = details.errorMessage() == null ? "" : details.errorMessage();
        return "<Code>" + details.errorCode() + "</Code><Message>" + text + "</Message>";
    }

    /** What is wrong where no answer came. */
    static ServerFault faultOf(Throwable failure) {
        if (lacksCredentials(failure)) {
            return ServerFault.NO_CREDENTIALS;
        }
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof SSLHandshakeException
                    || cause instanceof SSLPeerUnverifiedException
                    || cause instanceof CertificateException) {
                return ServerFault.UNTRUSTED;
            }
        }
        return ServerFault.UNREACHABLE;
    }

    /** Whether the server may have seen the request that failed: not where nobody could be reached, or somebody gave it up. */
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

    /** The SDK's own words, which name timeouts, and the system's where they differ. */
    private static String reason(SdkException e) {
        String own = String.valueOf(e.getMessage());
        String system = Reasons.of(e);
        return own.contains(system) ? own : own + ": " + system;
    }

    /** Of a store that names its credentials the message says which, and why they are not found. */
    private static String lacking(SdkException e) {
        String message = String.valueOf(e.getMessage());
        return message.startsWith(S3Credentials.UNABLE)
                ? "this process has no credentials for it: " + message.substring(S3Credentials.UNABLE.length())
                : ServerFault.NO_CREDENTIALS.advice();
    }

    static boolean lacksCredentials(Throwable failure) {
        String message = failure.getMessage();
        return message != null && message.contains("Unable to load credentials");
    }

    /** The error code the store named; empty when it named none. */
    static String errorCode(AwsServiceException answer) {
        String code = answer.awsErrorDetails() == null
                ? null
                : answer.awsErrorDetails().errorCode();
        return code == null ? "" : code;
    }
}
