package io.cloudmw.lab.load;

import io.cloudmw.core.model.FilePath;
import java.util.Locale;
import java.util.Optional;

/**
 * A finished operation of a client.
 *
 * @param phase in which the operation began
 * @param startNanos since the start of the load
 * @param failure the error, or the difference between the result and the expected result
 */
record LoadOperation(
        String phase, int client, Kind kind, FilePath path, long startNanos, long nanos, Optional<String> failure) {
    /** The kinds of operations. */
    enum Kind {
        PUT,
        READ,
        RANGE,
        LIST,
        REMOVE;

        String label() {
            return name().toLowerCase(Locale.ROOT);
        }

        boolean isRead() {
            return this == READ || this == RANGE;
        }
    }

    double millis() {
        return nanos / 1e6;
    }

    /** Returns a line that says what was done when, on which file, and how it ended. */
    String line() {
        return String.format(
                Locale.ROOT,
                "%9.3f s  %-8s client %d  %-6s %s  %.1f ms  %s",
                startNanos / 1e9,
                phase,
                client,
                kind.label(),
                path,
                millis(),
                failure.orElse("ok"));
    }
}
