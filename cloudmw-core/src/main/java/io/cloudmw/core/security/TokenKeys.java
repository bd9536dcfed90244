package io.cloudmw.core.security;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The keys that sign bound transfer tokens: one for each day (UTC), derived from the cluster's secret. Two are good at a
 * time, that of the day and that of the day before. Safe for any thread.
 */
final class TokenKeys {
    /** The longest life of a token: its key is good for at least so long. */
    static final Duration LIFE = Duration.ofDays(1);

    /** The time by which the clock of the coordinator may be ahead. */
    static final Duration CLOCK_SKEW = Duration.ofMinutes(10);

    private static final String LABEL = "cloudmw transfer tokens of day ";
    private static final int KEPT = 3;

    private final ClusterSecret secret;
    private volatile List<DayKey> derived = List.of();

    private record DayKey(long day, ClusterSecret key) {}

    TokenKeys(ClusterSecret secret) {
        this.secret = secret;
    }

    /** Returns the key of the day in which a token is issued. */
    ClusterSecret at(long issuedMillis) {
        return of(day(issuedMillis));
    }

    /**
     * Returns the key of a token that is shown.
     *
     * @throws CloudMwException {@code UNAUTHENTICATED} when the key of its day is not good now
     */
    ClusterSecret at(long issuedMillis, long nowMillis) throws CloudMwException {
        long day = day(issuedMillis);
        if (day < day(nowMillis) - 1 || day > day(nowMillis + CLOCK_SKEW.toMillis())) {
            throw new CloudMwException(
                    ErrorCode.UNAUTHENTICATED,
                    "token: of day " + day + ", whose key is not good on day " + day(nowMillis)
                            + " (expected: a token of this day or the one before)");
        }
        return of(day);
    }

    private static long day(long millis) {
        return Math.floorDiv(millis, Duration.ofDays(1).toMillis());
    }

    private ClusterSecret of(long day) {
        for (DayKey known : derived) {
            if (known.day() == day) {
                return known.key();
            }
        }
        return derive(day);
    }

    private synchronized ClusterSecret derive(long day) {
        byte[] label = LABEL.getBytes(StandardCharsets.US_ASCII);
        DayKey made = new DayKey(
                day,
                secret.derived(ByteBuffer.allocate(label.length + Long.BYTES)
                        .put(label)
                        .putLong(day)
                        .array()));
        List<DayKey> kept = new ArrayList<>(List.of(made));
        derived.stream().filter(other -> other.day() != day).limit(KEPT - 1).forEach(kept::add);
        derived = List.copyOf(kept);
        return made.key();
    }
}
