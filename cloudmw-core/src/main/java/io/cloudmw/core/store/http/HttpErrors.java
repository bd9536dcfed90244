package io.cloudmw.core.store.http;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.RetryVerdict;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Translates HTTP answers, once; they mean what they mean to the {@code s3} store. */
final class HttpErrors {
    private static final Pattern CODE = Pattern.compile("<Code>([A-Za-z0-9]{1,64})</Code>");

    private HttpErrors() {}

    /**
     * @param text the beginning of the body, in which S3 names the reason
     */
    static CloudMwException translate(String what, int status, String text) {
        Matcher found = CODE.matcher(text);
        String reason = found.find() ? found.group(1) : "";
        ErrorCode code = code(status, reason);
        boolean expired = text.contains("expired") || reason.startsWith("Expired");
        RetryVerdict verdict = expired ? RetryVerdict.AFTER_REFRESH : code.verdict();
        return new CloudMwException(
                code, verdict, what + ": HTTP answered " + status + " " + reason + (expired ? " (expired)" : ""), null);
    }

    private static ErrorCode code(int status, String reason) {
        if (reason.startsWith("Expired")) {
            return ErrorCode.STORE_DENIED;
        }
        return switch (status) {
            case 404 -> reason.equals("NoSuchBucket") ? ErrorCode.STORE_UNAVAILABLE : ErrorCode.REPLICA_MISSING;
            case 401, 403 -> ErrorCode.STORE_DENIED;
            case 416 -> ErrorCode.INVALID_ARGUMENT;
            default -> ErrorCode.STORE_UNAVAILABLE;
        };
    }
}
