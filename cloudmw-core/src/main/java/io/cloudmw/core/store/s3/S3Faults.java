package io.cloudmw.core.store.s3;

import io.cloudmw.core.access.StoreFault;
import io.cloudmw.core.error.Reasons;
import io.cloudmw.core.model.Store;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.core.exception.SdkException;

/** Says of a request that failed what is wrong with the store's settings, and what to do, in one line. Stateless. */
final class S3Faults {
    private static final Pattern REGION = Pattern.compile("expecting ['\"]([a-z0-9-]+)['\"]");
    private static final Pattern BUCKET = Pattern.compile("[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]");

    private S3Faults() {}

    /** What can be said before a request is sent; empty: nothing is wrong. */
    static Optional<StoreFault> ofName(Store.S3 bucket, long nowMillis) {
        boolean right =
                BUCKET.matcher(bucket.bucket()).matches() && !bucket.bucket().contains("..");
        return right
                ? Optional.empty()
                : Optional.of(new StoreFault(
                        StoreFault.Kind.DENIED,
                        "bucket name \"" + bucket.bucket()
                                + "\" is invalid (expected: 3 to 63 of a-z, 0-9, . and -, first and last a letter or digit)",
                        nowMillis));
    }

    /**
     * What a failure says.
     *
     * @param action the permission that the request needs, like {@code s3:PutObject}
     */
    static StoreFault of(Store.S3 bucket, String action, SdkException e, long nowMillis) {
        if (e instanceof AwsServiceException answer) {
            return answered(bucket, action, answer, nowMillis);
        }
        String message = String.valueOf(e.getMessage());
        if (S3Errors.lacksCredentials(e)) {
            return new StoreFault(
                    StoreFault.Kind.NO_CREDENTIALS, "no credentials here: " + lacking(message), nowMillis);
        }
        return new StoreFault(StoreFault.Kind.UNREACHABLE, unreachable(bucket, e), nowMillis);
    }

    private static String lacking(String message) {
        int end = message.indexOf(" from any of the providers");
        return end > 0
                ? "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY or AWS_PROFILE for this process, or name a profile or"
                        + " file with cloudmw store set"
                : message.replace(S3Credentials.UNABLE, "").replaceAll("\\s+", " ");
    }

    private static StoreFault answered(Store.S3 bucket, String action, AwsServiceException answer, long nowMillis) {
        String code = S3Errors.errorCode(answer);
        Optional<String> region = rightRegion(bucket, answer);
        if (region.isPresent()) {
            return denied("region " + bucket.region() + " is wrong, it is " + region.get(), nowMillis);
        }
        return switch (code) {
            case "NoSuchBucket" ->
                new StoreFault(
                        StoreFault.Kind.MISSING,
                        "there is no bucket " + bucket.bucket() + at(bucket)
                                + " (make it, or add the store with --create)",
                        nowMillis);
            case "InvalidBucketName" -> denied("bucket name \"" + bucket.bucket() + "\" is invalid", nowMillis);
            case "AuthorizationHeaderMalformed", "IllegalLocationConstraintException", "PermanentRedirect" ->
                denied("region " + bucket.region() + " is wrong: " + said(answer), nowMillis);
            case "InvalidAccessKeyId", "XAdminUserNotFound" ->
                denied(
                        "the store does not know the access key of "
                                + bucket.credentials().describe(),
                        nowMillis);
            case "SignatureDoesNotMatch" ->
                denied("the secret key of " + bucket.credentials().describe() + " is wrong", nowMillis);
            case "ExpiredToken", "InvalidToken", "TokenRefreshRequired" ->
                denied("the temporary keys of " + bucket.credentials().describe() + " have expired", nowMillis);
            case "RequestTimeTooSkewed" ->
                denied("the clocks of this machine and of the store differ too much: " + said(answer), nowMillis);
            default -> byStatus(bucket, action, answer, nowMillis);
        };
    }

    private static StoreFault byStatus(Store.S3 bucket, String action, AwsServiceException answer, long nowMillis) {
        int status = answer.statusCode();
        if (status == 401 || status == 403) {
            return denied(
                    "the credentials (" + bucket.credentials().describe() + ") may not " + action + ", or are wrong: "
                            + said(answer),
                    nowMillis);
        }
        if (status >= 500 || status == 408 || status == 429) {
            return new StoreFault(
                    StoreFault.Kind.UNREACHABLE, "the store answered " + said(answer) + at(bucket), nowMillis);
        }
        return denied(
                action + ": the store answered " + said(answer) + at(bucket) + " (is it an S3 endpoint?)", nowMillis);
    }

    private static StoreFault denied(String reason, long nowMillis) {
        return new StoreFault(StoreFault.Kind.DENIED, reason, nowMillis);
    }

    private static Optional<String> rightRegion(Store.S3 bucket, AwsServiceException answer) {
        Optional<String> told =
                answer.awsErrorDetails() == null || answer.awsErrorDetails().sdkHttpResponse() == null
                        ? Optional.empty()
                        : answer.awsErrorDetails().sdkHttpResponse().firstMatchingHeader("x-amz-bucket-region");
        if (told.isEmpty()) {
            Matcher expecting = REGION.matcher(said(answer));
            told = expecting.find() ? Optional.of(expecting.group(1)) : Optional.empty();
        }
        return told.filter(region -> !region.equals(bucket.region()));
    }

    private static String said(AwsServiceException answer) {
        String message = answer.awsErrorDetails() == null
                ? ""
                : String.valueOf(answer.awsErrorDetails().errorMessage());
        return (answer.statusCode() + " " + S3Errors.errorCode(answer) + " " + (message.equals("null") ? "" : message))
                .strip()
                .replaceAll("\\s+", " ");
    }

    private static String at(Store.S3 bucket) {
        return " at " + (bucket.endpoint().isEmpty() ? bucket.region() : bucket.endpoint());
    }

    private static String unreachable(Store.S3 bucket, SdkException e) {
        String at = bucket.endpoint().isEmpty() ? "S3 in " + bucket.region() : bucket.endpoint();
        Optional<Throwable> certificate = find(e, SSLException.class);
        if (certificate.isPresent()) {
            return at + ": the certificate or the TLS handshake is refused: "
                    + String.valueOf(certificate.get().getMessage()).replaceAll("\\s+", " ");
        }
        if (find(e, UnknownHostException.class).isPresent()) {
            return at + ": no such host (expected: --endpoint or --region that resolves)";
        }
        if (find(e, ConnectException.class).isPresent()) {
            return at + ": the connection is refused (is the server running there?)";
        }
        return at + ": " + Reasons.of(e).replaceAll("\\s+", " ");
    }

    private static Optional<Throwable> find(@Nullable Throwable from, Class<? extends Throwable> type) {
        Throwable next = from;
        for (int depth = 0; next != null && depth < 16; depth++) {
            if (type.isInstance(next)) {
                return Optional.of(next);
            }
            next = next.getCause();
        }
        return Optional.empty();
    }
}
