package io.cloudmw.core.store.s3;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.StoreId;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.core.exception.AbortedException;
import software.amazon.awssdk.core.exception.SdkException;

/** Translates what the SDK throws, once. */
final class S3Errors {
    /** Said by the coordinator or a helper: clients need none. */
    private static final String NO_CREDENTIALS =
            "this process has no AWS credentials: start it with AWS_ACCESS_KEY_ID and"
                    + " AWS_SECRET_ACCESS_KEY set, or with AWS_PROFILE naming a profile of ~/.aws, or on a machine with a role";

    private S3Errors() {}

    static CloudMwException translate(StoreId store, String what, SdkException e) {
        String where = what + " store=" + store + ": ";
        if (e instanceof AbortedException) {
            return new CloudMwException(ErrorCode.CANCELLED, where + "cancelled", e);
        }
        if (e instanceof AwsServiceException answer) {
            return new CloudMwException(code(answer), where + describe(answer), e);
        }
        if (lacksCredentials(e)) {
            return new CloudMwException(ErrorCode.STORE_DENIED, where + NO_CREDENTIALS, e);
        }
        return new CloudMwException(ErrorCode.STORE_UNAVAILABLE, where + e.getMessage(), e);
    }

    /** The error code the store named; empty when it named none. */
    static String errorCode(AwsServiceException answer) {
        String code = answer.awsErrorDetails() == null
                ? null
                : answer.awsErrorDetails().errorCode();
        return code == null ? "" : code;
    }

    private static ErrorCode code(AwsServiceException answer) {
        return switch (errorCode(answer)) {
            case "NoSuchBucket" -> ErrorCode.STORE_UNAVAILABLE;
            case "ExpiredToken", "InvalidToken", "TokenRefreshRequired" -> ErrorCode.STORE_DENIED;
            case "QuotaExceeded", "XMinioStorageFull" -> ErrorCode.STORE_FULL;
            default -> code(answer.statusCode());
        };
    }

    private static ErrorCode code(int status) {
        return switch (status) {
            case 404 -> ErrorCode.REPLICA_MISSING;
            case 401, 403 -> ErrorCode.STORE_DENIED;
            case 416 -> ErrorCode.INVALID_ARGUMENT;
            case 507 -> ErrorCode.STORE_FULL;
            default -> ErrorCode.STORE_UNAVAILABLE;
        };
    }

    private static String describe(AwsServiceException answer) {
        return "S3 answered " + answer.statusCode() + " " + errorCode(answer) + " (request " + answer.requestId() + ")";
    }

    private static boolean lacksCredentials(SdkException e) {
        String message = e.getMessage();
        return message != null && message.contains("Unable to load credentials");
    }
}
