package io.cloudmw.core.wire;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.RetryVerdict;

/** Retry verdicts between processes: by name, and only where a failure's verdict is not the one of its code. */
public final class VerdictWire {
    private VerdictWire() {}

    public static String text(CloudMwException failure) {
        return failure.verdict() == failure.code().verdict()
                ? ""
                : failure.verdict().name();
    }

    /** The verdict of this name; the code's own for an empty name and for one this build does not know. */
    public static RetryVerdict verdict(ErrorCode code, String name) {
        for (RetryVerdict verdict : RetryVerdict.values()) {
            if (verdict.name().equals(name)) {
                return verdict;
            }
        }
        return code.verdict();
    }
}
