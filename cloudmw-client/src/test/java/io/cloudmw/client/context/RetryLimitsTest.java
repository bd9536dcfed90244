package io.cloudmw.client.context;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.client.edit.EditTransfer;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class RetryLimitsTest {
    private static final long SECOND = Duration.ofSeconds(1).toNanos();
    private final CloudMwException refusal = CloudMwException.overloaded("no room", Duration.ofSeconds(7));

    @Test
    void delaysGrowToASecondAndLastAboutAMinuteInAll() {
        assertThat(RetryLimits.pauseNanos(1)).isEqualTo(TimeUnit.MILLISECONDS.toNanos(100));
        assertThat(RetryLimits.pauseNanos(2)).isEqualTo(TimeUnit.MILLISECONDS.toNanos(200));
        assertThat(RetryLimits.pauseNanos(Integer.MAX_VALUE)).isEqualTo(TimeUnit.SECONDS.toNanos(1));
        long all = IntStream.rangeClosed(1, RetryLimits.MAX_REFUSALS)
                .mapToLong(RetryLimits::pauseNanos)
                .sum();
        assertThat(TimeUnit.NANOSECONDS.toSeconds(all)).isBetween(50L, 60L);
    }

    @Test
    void delayIsAtLeastTheRetryAfter() {
        assertThat(RetryLimits.pauseNanos(1, refusal, Long.MAX_VALUE)).isEqualTo(7 * SECOND);
    }

    @Test
    void delayEndsAtTheDeadline() {
        assertThat(RetryLimits.pauseNanos(1, refusal, 2 * SECOND)).isEqualTo(2 * SECOND);
        assertThat(RetryLimits.pauseNanos(1, refusal, -SECOND)).isEqualTo(RetryLimits.pauseNanos(1));
    }

    @Test
    void delayWithoutRetryAfterBacksOff() {
        CloudMwException plain = new CloudMwException(ErrorCode.OVERLOADED, "no room");

        assertThat(RetryLimits.pauseNanos(1, plain, Long.MAX_VALUE)).isEqualTo(RetryLimits.pauseNanos(1));
        assertThat(RetryLimits.pauseNanos(3, plain, Long.MAX_VALUE)).isGreaterThan(RetryLimits.pauseNanos(2));
    }

    @Test
    void delaysAfterConflictsDifferWithinABound() {
        SplittableRandom random = new SplittableRandom(1);
        Set<Long> pauses = new HashSet<>();
        for (int i = 0; i < 100; i++) {
            long pause = RetryLimits.pauseNanos(EditTransfer.MAX_APPENDS, random);
            assertThat(pause).isBetween(0L, TimeUnit.SECONDS.toNanos(1));
            pauses.add(pause / TimeUnit.MILLISECONDS.toNanos(100));
        }
        assertThat(pauses).hasSizeGreaterThanOrEqualTo(10);
    }
}
