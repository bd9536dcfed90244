package io.cloudmw.core.time;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.core.testing.FakeTicker;
import java.time.Duration;
import org.junit.jupiter.api.Test;

final class PollingPolicyTest {
    private static final Duration AWAKE = Duration.ofNanos(200_000);

    private final FakeTicker ticker = new FakeTicker();
    /** The time for which other threads use the processor after a yield. */
    private Duration turn = Duration.ofNanos(1_000);

    private final PollingPolicy polling = new PollingPolicy(AWAKE, ticker, () -> ticker.advance(turn));

    private boolean after(Duration interval) {
        ticker.advance(interval);
        return polling.next();
    }

    private boolean sequence(Duration apart) {
        boolean fast = false;
        for (int i = 0; i < 100; i++) {
            fast = after(apart);
        }
        return fast;
    }

    @Test
    void requestsWithinAPollsTimeAreFast() {
        assertThat(sequence(AWAKE.minusNanos(1))).isTrue();
        assertThat(sequence(AWAKE)).isFalse();
    }

    @Test
    void fastSequenceSurvivesASinglePause() {
        assertThat(sequence(Duration.ofNanos(100_000))).isTrue();
        assertThat(after(Duration.ofHours(1))).isTrue();
        assertThat(sequence(Duration.ofHours(1))).isFalse();
    }

    @Test
    void occasionalSlowRequestsChangeNothing() {
        assertThat(sequence(Duration.ofNanos(100_000))).isTrue();
        for (int i = 0; i < 100; i++) {
            assertThat(after(i % 3 == 0 ? Duration.ofMillis(5) : Duration.ofNanos(100_000)))
                    .isTrue();
        }
    }

    @Test
    void repeatedPollsInVainEndPolling() {
        assertThat(sequence(Duration.ofNanos(100_000))).isTrue();
        polling.pollEndedInVain();
        assertThat(after(Duration.ofNanos(100_000))).as("once is nothing").isTrue();
        for (int i = 0; i < 10; i++) {
            polling.pollEndedInVain();
            after(Duration.ofNanos(100_000));
        }
        assertThat(after(Duration.ofNanos(100_000))).isFalse();
        assertThat(sequence(Duration.ofNanos(100_000)))
                .as("until they come fast")
                .isTrue();
    }

    @Test
    void pollingStopsForASecondWhenThreadsWaitForTheProcessor() {
        assertThat(sequence(Duration.ofNanos(100_000))).isTrue();
        turn = Duration.ofMillis(1).minusNanos(1);
        polling.yieldProcessor();
        assertThat(after(Duration.ofNanos(100_000))).as("nobody had a turn").isTrue();
        turn = Duration.ofMillis(3);
        polling.yieldProcessor();
        assertThat(sequence(Duration.ofNanos(100_000))).isFalse();
        ticker.advance(Duration.ofSeconds(1));
        assertThat(sequence(Duration.ofNanos(100_000))).isTrue();
    }

    @Test
    void theTimeOfPollsIsCounted() {
        polling.yieldProcessor();
        polling.yieldProcessor();
        assertThat(polling.spentNanos()).isEqualTo(2_000);
    }

    @Test
    void aFewFastRequestsAreNotEnough() {
        assertThat(after(Duration.ZERO)).isFalse();
        assertThat(after(Duration.ZERO)).isFalse();
        assertThat(sequence(Duration.ZERO)).isTrue();
    }

    @Test
    void requestsAreNeverFastWithoutAPollTime() {
        PollingPolicy never = new PollingPolicy(Duration.ZERO, ticker, () -> {});
        assertThat(never.next()).isFalse();
        assertThat(never.next()).isFalse();
    }
}
