package io.cloudmw.core.store.s3;

import java.time.Duration;

/**
 * The limits and timeouts of this process's use of S3.
 *
 * @param connectTimeout to open a connection
 * @param stallTimeout without a single byte before a connection is given up
 * @param callTimeout for a whole small request (length, delete, list), its retries included
 * @param slowestPutBytesPerSecond a put is given {@code callTimeout} and the time this speed takes
 * @param maxConnections at once, to all buckets together
 * @param extraConnections besides those, for second attempts beside late reads
 * @param warmConnections to each bucket that ordinary reads keep open for second attempts, as far as so many run at
 *     once; they never use more than half of the extra connections together
 * @param maxAttempts of one request: 1 means no retries. A read that broke off in its middle is never retried here:
 *     there are other replicas
 */
public record S3Settings(
        Duration connectTimeout,
        Duration stallTimeout,
        Duration callTimeout,
        long slowestPutBytesPerSecond,
        int maxConnections,
        int extraConnections,
        int warmConnections,
        int maxAttempts) {
    public static final S3Settings DEFAULT = new S3Settings(
            Duration.ofSeconds(3), Duration.ofSeconds(20), Duration.ofSeconds(30), 256 * 1024, 64, 16, 4, 3);

    private static final Duration LONGEST_ANSWER = Duration.ofSeconds(5);

    public S3Settings {
        checkPositive("connectTimeout", connectTimeout);
        checkPositive("stallTimeout", stallTimeout);
        checkPositive("callTimeout", callTimeout);
        if (slowestPutBytesPerSecond < 1) {
            throw new IllegalArgumentException(
                    "slowestPutBytesPerSecond: " + slowestPutBytesPerSecond + " (expected: >= 1)");
        }
        if (maxConnections < 1 || maxConnections > 4096) {
            throw new IllegalArgumentException("maxConnections: " + maxConnections + " (expected: 1..4096)");
        }
        if (extraConnections < 1 || extraConnections > 4096) {
            throw new IllegalArgumentException("extraConnections: " + extraConnections + " (expected: 1..4096)");
        }
        if (warmConnections < 0 || warmConnections > extraConnections) {
            throw new IllegalArgumentException(
                    "warmConnections: " + warmConnections + " (expected: 0.." + extraConnections + ")");
        }
        if (maxAttempts < 1 || maxAttempts > 10) {
            throw new IllegalArgumentException("maxAttempts: " + maxAttempts + " (expected: 1..10)");
        }
    }

    /** The same settings with so many connections, so many extra ones, and so many of those kept open. */
    public S3Settings withConnections(int most, int extra, int warm) {
        return new S3Settings(
                connectTimeout, stallTimeout, callTimeout, slowestPutBytesPerSecond, most, extra, warm, maxAttempts);
    }

    /** The timeout of a response that a server could send before it has the body. */
    Duration answerTimeout() {
        return stallTimeout.compareTo(LONGEST_ANSWER) < 0 ? stallTimeout : LONGEST_ANSWER;
    }

    Duration putTimeout(long bytes) {
        return callTimeout.plusSeconds(bytes / slowestPutBytesPerSecond);
    }

    private static void checkPositive(String name, Duration value) {
        if (value.isNegative() || value.isZero()) {
            throw new IllegalArgumentException(name + ": " + value + " (expected: > 0)");
        }
    }
}
