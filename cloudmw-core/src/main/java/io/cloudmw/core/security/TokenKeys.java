package io.cloudmw.core.security;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The keys that sign bound transfer tokens: one for each period, derived from the cluster's secret. A period is a day
 * (UTC) unless {@code tls.token-key-life} is shorter. Two keys are good at a time, that of the present period and that of
 * the one before. Safe for any thread.
 */
final class TokenKeys {
    /** The longest period, and the default. */
    static final Duration LIFE = Duration.ofDays(1);

    /** The shortest period. */
    static final Duration SHORTEST_LIFE = Duration.ofSeconds(10);

    /** The time by which the clock of the coordinator may be ahead. */
    static final Duration CLOCK_SKEW = Duration.ofMinutes(10);

    private static final String LABEL = "cloudmw transfer tokens of day ";
    private static final int KEPT = 3;

    private final ClusterSecret secret;
    private final long lifeMillis;
    private volatile List<PeriodKey> derived = List.of();

    private record PeriodKey(long period, ClusterSecret key) {}

    /** @param life the period of each key */
    TokenKeys(ClusterSecret secret, Duration life) {
        if (life.compareTo(SHORTEST_LIFE) < 0 || life.compareTo(LIFE) > 0) {
            throw new IllegalArgumentException(
                    "life of token keys: " + life + " (expected: " + SHORTEST_LIFE + ".." + LIFE + ")");
        }
        this.secret = secret;
        this.lifeMillis = life.toMillis();
    }

    /** Returns the key of the period in which a token is issued. */
    ClusterSecret at(long issuedMillis) {
        return of(period(issuedMillis));
    }

    /**
     * Returns the key of a token that is shown.
     *
     * @throws CloudMwException {@code UNAUTHENTICATED} when the key of its period is not good now
     */
    ClusterSecret at(long issuedMillis, long nowMillis) throws CloudMwException {
        long period = period(issuedMillis);
        if (period < period(nowMillis) - 1 || period > period(nowMillis + CLOCK_SKEW.toMillis())) {
            throw new CloudMwException(
                    ErrorCode.UNAUTHENTICATED,
                    "token: its key is not good now: that of period " + period + " (expected: that of period "
                            + period(nowMillis) + " or the one before, of " + Duration.ofMillis(lifeMillis) + " each)");
        }
        return of(period);
    }

    private long period(long millis) {
        return Math.floorDiv(millis, lifeMillis);
    }

    private ClusterSecret of(long period) {
        for (PeriodKey known : derived) {
            if (known.period() == period) {
                return known.key();
            }
        }
        return derive(period);
    }

    private synchronized ClusterSecret derive(long period) {
        byte[] label = LABEL.getBytes(StandardCharsets.US_ASCII);
        PeriodKey made = new PeriodKey(
                period,
                secret.derived(ByteBuffer.allocate(label.length + Long.BYTES)
                        .put(label)
                        .putLong(period)
                        .array()));
        List<PeriodKey> kept = new ArrayList<>(List.of(made));
        derived.stream()
                .filter(other -> other.period() != period)
                .limit(KEPT - 1)
                .forEach(kept::add);
        derived = List.copyOf(kept);
        return made.key();
    }
}
