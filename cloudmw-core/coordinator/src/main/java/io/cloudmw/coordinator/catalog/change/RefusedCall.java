package io.cloudmw.coordinator.catalog.change;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;

/**
 * The errors that are final answers: the present state forbids the change, though a later state may allow it. A refused
 * call never takes effect. Catalogs record refusals like other answers, for retries of the call.
 */
public final class RefusedCall {
    private RefusedCall() {}

    /** Returns whether an error is a refusal. Temporary failures and defects are no answers. */
    public static boolean is(CloudMwException failure) {
        return switch (failure.code()) {
            case CONFLICT,
                    LOCK_LOST,
                    NOT_FOUND,
                    VOLUME_NOT_FOUND,
                    ALREADY_EXISTS,
                    VOLUME_NOT_EMPTY,
                    NOT_EMPTY,
                    STORE_IN_USE,
                    INVALID_ARGUMENT -> true;
            default -> false;
        };
    }

    /** Encodes a refusal for storage. */
    public static String encode(CloudMwException refusal) {
        return refusal.code() + " " + refusal.getMessage();
    }

    /** Decodes a stored refusal. */
    public static CloudMwException decode(String stored) {
        int end = stored.indexOf(' ');
        return new CloudMwException(ErrorCode.valueOf(stored.substring(0, end)), stored.substring(end + 1));
    }
}
