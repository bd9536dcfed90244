package io.cloudmw.core.wire;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.RetryVerdict;

/** The form of retry verdicts between processes: a name, sent only when the verdict is not the code's own. */
public final class VerdictWire {
    private VerdictWire() {}

    public static String text(CloudMwException failure) {
        return failure.verdict() == failure.code().verdict()
                ? ""
                : failure.verdict().name();
    }

    /** The verdict of this name; the code's own verdict for an empty or unknown name. */
    public static RetryVerdict verdict(ErrorCode code, String name) {
        for (RetryVerdict verdict : RetryVerdict.values()) {
            if (verdict.name().equals(name)) {
                return verdict;
            }
        }
        return code.verdict();
    }
}
