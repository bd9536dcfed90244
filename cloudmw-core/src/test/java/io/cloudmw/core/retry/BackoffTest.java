package io.cloudmw.core.retry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class BackoffTest {
    private static final Backoff BACKOFF = Backoff.between(Duration.ofNanos(50), Duration.ofNanos(1000));

    @Test
    void delayDoublesFromTheFirstToTheLongest() {
        assertThat(BACKOFF.delayNanos(1)).isEqualTo(50);
        assertThat(BACKOFF.delayNanos(2)).isEqualTo(100);
        assertThat(BACKOFF.delayNanos(5)).isEqualTo(800);
        assertThat(BACKOFF.delayNanos(6)).isEqualTo(1000);
        assertThat(BACKOFF.delayNanos(Integer.MAX_VALUE)).isEqualTo(1000);
    }

    @Test
    void delayOfAHugeBackoffDoesNotOverflow() {
        Backoff huge = new Backoff(Long.MAX_VALUE / 3, Long.MAX_VALUE);

        assertThat(huge.delayNanos(2)).isEqualTo(Long.MAX_VALUE / 3 * 2);
        assertThat(huge.delayNanos(3)).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void fullJitterIsFromZeroToTheDelay() {
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < 1000; i++) {
            assertThat(BACKOFF.fullJitterNanos(2, random)).isBetween(0L, 100L);
        }
    }

    @Test
    void halfJitterIsFromHalfTheDelayToAllOfIt() {
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < 1000; i++) {
            assertThat(BACKOFF.halfJitterNanos(2, random)).isBetween(50L, 100L);
        }
    }

    @Test
    void counterDelaysLongerWithEachFailureUntilReset() {
        RetryCounter counter = new RetryCounter(BACKOFF);
        SplittableRandom random = new SplittableRandom(1);

        assertThat(counter.nextDelayNanos(random)).isBetween(25L, 50L);
        assertThat(counter.nextDelayNanos(random)).isBetween(50L, 100L);
        counter.reset();
        assertThat(counter.nextDelayNanos(random)).isBetween(25L, 50L);
    }

    @Test
    void invalidValuesAreRefused() {
        assertThatThrownBy(() -> new Backoff(0, 1)).hasMessage("firstNanos: 0 (expected: > 0)");
        assertThatThrownBy(() -> new Backoff(2, 1)).hasMessage("longestNanos: 1 (expected: >= firstNanos, 2)");
        assertThatThrownBy(() -> BACKOFF.delayNanos(0)).hasMessage("failures: 0 (expected: >= 1)");
    }
}
