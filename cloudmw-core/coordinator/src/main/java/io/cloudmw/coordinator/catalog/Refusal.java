package io.cloudmw.coordinator.catalog;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;

/**
 * Answers that say what is there speaks against a change, which may be otherwise later: a call they were given to takes no effect
 * any more. Catalogs keep them as they keep other answers, for the call's other tries.
 */
public final class Refusal {
    private Refusal() {}

    /** Whether a call that failed so was refused; what fails for now, or by a defect, is no answer. */
    public static boolean is(CloudMwException failure) {
        return switch (failure.code()) {
            case CONFLICT,
                    NOT_FOUND,
                    VOLUME_NOT_FOUND,
                    ALREADY_EXISTS,
                    VOLUME_NOT_EMPTY,
                    STORE_IN_USE,
                    INVALID_ARGUMENT -> true;
            default -> false;
        };
    }

    /** As it is kept. */
    public static String encode(CloudMwException refusal) {
        return refusal.code() + " " + refusal.getMessage();
    }

    /** As it was answered. */
    public static CloudMwException decode(String stored) {
        int end = stored.indexOf(' ');
        return new CloudMwException(ErrorCode.valueOf(stored.substring(0, end)), stored.substring(end + 1));
    }
}
