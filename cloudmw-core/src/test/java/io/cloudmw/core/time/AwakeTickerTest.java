package io.cloudmw.core.time;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.core.testing.FakeTicker;
import java.time.Duration;
import org.junit.jupiter.api.Test;

final class AwakeTickerTest {
    private static final Duration STEP = Duration.ofSeconds(1);

    private final FakeTicker ticker = new FakeTicker();
    private final AwakeTicker awake = new AwakeTicker(ticker, STEP);

    @Test
    void theTickerFollowsTheOtherWhileItIsRead() {
        for (int i = 1; i <= 100; i++) {
            ticker.advance(Duration.ofMillis(900));
            assertThat(awake.nanos()).isEqualTo(i * 900_000_000L);
        }
    }

    @Test
    void aStretchInWhichNobodyReadItIsOneStep() {
        ticker.advance(Duration.ofHours(1));
        assertThat(awake.nanos()).isEqualTo(STEP.toNanos());
        ticker.advance(Duration.ofMillis(1));
        assertThat(awake.nanos()).isEqualTo(STEP.toNanos() + 1_000_000);
    }
}
