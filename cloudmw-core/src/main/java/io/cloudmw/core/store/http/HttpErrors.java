package io.cloudmw.core.store.http;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.RetryVerdict;
import io.cloudmw.core.store.error.S3ErrorResponse;

/**
 * The translation of error responses to presigned URLs; {@link S3ErrorResponse} gives them the same meaning as in the
 * {@code s3} store.
 */
final class HttpErrors {
    private HttpErrors() {}

    /** @param answer with the beginning of the body, in which S3 names the reason */
    static CloudMwException translate(String what, S3ErrorResponse answer) {
        boolean expired = answer.text().contains("expired") || answer.code().startsWith("Expired");
        String message = what + ": " + answer.describe("S3", "");
        return expired
                ? new CloudMwException(ErrorCode.STORE_DENIED, RetryVerdict.AFTER_REFRESH, message + " (expired)", null)
                : new CloudMwException(answer.fault().code(), answer.verdict(), message, null);
    }
}
