package io.cloudmw.core.recording;

import java.util.List;

/**
 * A reader's report about a read that it records.
 *
 * @param id id of the record, from the plan
 * @param wantedBytes bytes that the read delivers
 * @param elapsedNanos since the read began
 * @param error the failure of a failed read; otherwise empty; cut to {@value #MAX_ERROR} characters
 * @param attempts the attempts that are new or changed since the report before, at most
 *     {@value RecordedRead#MAX_ATTEMPTS}
 * @param omittedAttempts number of attempts so far that are in no report, because there were too many
 */
public record ReadReport(
        String id,
        long wantedBytes,
        long elapsedNanos,
        RecordedRead.State state,
        String error,
        List<RecordedAttempt> attempts,
        long omittedAttempts) {
    /** The longest text of a failure, in characters. */
    public static final int MAX_ERROR = 1024;

    public ReadReport {
        attempts = List.copyOf(attempts);
        error = error.substring(0, Math.min(MAX_ERROR, error.length()));
        if (wantedBytes < 0 || elapsedNanos < 0 || omittedAttempts < 0) {
            throw new IllegalArgumentException("report: wanted=" + wantedBytes + " elapsed=" + elapsedNanos
                    + " omitted=" + omittedAttempts + " (expected: >= 0)");
        }
        if (attempts.size() > RecordedRead.MAX_ATTEMPTS) {
            throw new IllegalArgumentException(
                    "attempts: " + attempts.size() + " (expected: <= " + RecordedRead.MAX_ATTEMPTS + ")");
        }
    }
}
