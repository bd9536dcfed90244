package io.cloudmw.coordinator.catalog.dynamodb.table;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import java.util.List;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.core.exception.AbortedException;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.services.dynamodb.model.CancellationReason;
import software.amazon.awssdk.services.dynamodb.model.TransactionCanceledException;

/** The mapping from SDK exceptions to {@link CloudMwException}. */
final class DynamoDbErrors {
    private static final String NO_CREDENTIALS =
            "the coordinator has no AWS credentials: start it with AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY set, or with"
                    + " AWS_PROFILE naming a profile of ~/.aws, or on a machine with a role";

    private DynamoDbErrors() {}

    static CloudMwException translate(String table, SdkException e) {
        String where = "catalog table " + table + ": ";
        if (e instanceof AbortedException) {
            Thread.currentThread().interrupt();
            return new CloudMwException(ErrorCode.CANCELLED, where + "interrupted", e);
        }
        if (e instanceof AwsServiceException answer) {
            return new CloudMwException(code(answer), where + describe(answer), e);
        }
        String message = String.valueOf(e.getMessage());
        if (message.contains("Unable to load credentials")) {
            return new CloudMwException(ErrorCode.STORE_DENIED, where + NO_CREDENTIALS, e);
        }
        return new CloudMwException(
                ErrorCode.COORDINATOR_UNAVAILABLE, where + "DynamoDB did not answer: " + message, e);
    }

    /**
     * Maps a cancelled transaction to a conflict.
     *
     * @return the conflict, after which the transaction is retried
     * @throws CloudMwException when a retry would not help
     */
    static TransactionConflict cancelled(String table, TransactionCanceledException e) throws CloudMwException {
        List<String> reasons = e.cancellationReasons().stream()
                .map(CancellationReason::code)
                .filter(code -> code != null && !code.equals("None"))
                .distinct()
                .toList();
        for (String reason : reasons) {
            boolean passes = switch (reason) {
                case "ConditionalCheckFailed",
                        "TransactionConflict",
                        "ThrottlingError",
                        "ProvisionedThroughputExceeded",
                        "RequestLimitExceeded" -> true;
                default -> false;
            };
            if (!passes) {
                throw new CloudMwException(
                        ErrorCode.INTERNAL,
                        "catalog table " + table + ": DynamoDB refused a transaction: " + e.getMessage(),
                        e);
            }
        }
        return new TransactionConflict(String.join(", ", reasons));
    }

    private static ErrorCode code(AwsServiceException answer) {
        if (answer.isThrottlingException()) {
            return ErrorCode.OVERLOADED;
        }
        return switch (name(answer)) {
            case "AccessDeniedException",
                    "UnrecognizedClientException",
                    "InvalidSignatureException",
                    "MissingAuthenticationTokenException",
                    "IncompleteSignatureException",
                    "ExpiredTokenException" -> ErrorCode.STORE_DENIED;
            case "LimitExceededException", "ReplicatedWriteConflictException", "TransactionConflictException" ->
                ErrorCode.OVERLOADED;
            // The table was deleted, or is in another region.
            case "ResourceNotFoundException" -> ErrorCode.COORDINATOR_UNAVAILABLE;
            default -> answer.statusCode() >= 500 ? ErrorCode.COORDINATOR_UNAVAILABLE : ErrorCode.INTERNAL;
        };
    }

    private static String name(AwsServiceException answer) {
        String name = answer.awsErrorDetails() == null
                ? null
                : answer.awsErrorDetails().errorCode();
        return name == null ? "" : name;
    }

    private static String describe(AwsServiceException answer) {
        String message = answer.awsErrorDetails() == null
                ? ""
                : ": " + answer.awsErrorDetails().errorMessage();
        return "DynamoDB answered " + answer.statusCode() + " " + name(answer) + message + " (request "
                + answer.requestId() + ")";
    }
}
