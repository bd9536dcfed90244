package io.cloudmw.client.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.client.context.RetryLimits;
import org.junit.jupiter.api.Test;

final class ReplanLimitTest {
    private final ReplanLimit plans = new ReplanLimit();

    @Test
    void ninePlansFollowTheFirstUnlessAChunkWasDone() {
        for (int i = 1; i < RetryLimits.MAX_PLANS; i++) {
            assertThat(plans.mayFollow(0, 0, i)).as("after %d", i).isTrue();
        }
        assertThat(plans.mayFollow(0, 0, 10)).isFalse();
        assertThat(plans.mayFollow(1, 0, 11)).isTrue();
        assertThat(plans.count()).isEqualTo(1);
    }

    @Test
    void noPlanFollowsTwoMinutesWithoutAByte() {
        long first = 1_000_000_000_000L;
        assertThat(plans.mayFollow(0, 0, first)).as("however long it took").isTrue();
        assertThat(plans.mayFollow(0, 0, first + RetryLimits.MAX_IDLE_NANOS - 1))
                .isTrue();
        assertThat(plans.mayFollow(0, 0, first + RetryLimits.MAX_IDLE_NANOS)).isFalse();
    }

    @Test
    void newByteRestartsTheTimeAtTheNextFailure() {
        long limit = RetryLimits.MAX_IDLE_NANOS;
        assertThat(plans.mayFollow(0, 0, 10)).isTrue();
        assertThat(plans.mayFollow(0, 20, 5 * limit)).isTrue();
        assertThat(plans.mayFollow(0, 20, 6 * limit - 1)).isTrue();
        assertThat(plans.mayFollow(0, 20, 6 * limit)).isFalse();
    }
}
