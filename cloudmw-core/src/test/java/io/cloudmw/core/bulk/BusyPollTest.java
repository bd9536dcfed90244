package io.cloudmw.core.bulk;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.core.testing.FakeTicker;
import io.cloudmw.core.time.PollingPolicy;
import io.netty.channel.SelectStrategy;
import java.time.Duration;
import org.junit.jupiter.api.Test;

final class BusyPollTest {
    private static final Duration AWAKE = Duration.ofNanos(200_000);
    private static final int SEQUENCE = 100;

    private final FakeTicker ticker = new FakeTicker();
    /** The time for which other threads use the processor after a yield. */
    private Duration turn = Duration.ZERO;

    private final BusyPoll poll = new BusyPoll(new PollingPolicy(AWAKE, ticker, () -> ticker.advance(turn)), ticker);
    private int ready;
    private int looks;

    private int wait(boolean hasTasks) throws Exception {
        return poll.calculateStrategy(
                () -> {
                    looks++;
                    return ready;
                },
                hasTasks);
    }

    private void requests(int count, Duration apart) {
        for (int i = 0; i < count; i++) {
            ticker.advance(apart);
            poll.expect();
        }
    }

    @Test
    void theLoopSleepsUntilAnEventComes() throws Exception {
        assertThat(wait(false)).isEqualTo(SelectStrategy.SELECT);
        assertThat(looks).isZero();
    }

    @Test
    void theLoopPollsOnceWhenItHasTasks() throws Exception {
        ready = 3;
        assertThat(wait(true)).isEqualTo(3);
    }

    @Test
    void theLoopPollsForItsTimeWhileRequestsFollowOneAnother() throws Exception {
        requests(SEQUENCE, Duration.ofNanos(100_000));
        assertThat(wait(false)).isZero();
        ticker.advance(AWAKE.minusNanos(1));
        assertThat(wait(false)).isZero();
        ready = 1;
        assertThat(wait(false)).isEqualTo(1);
        ready = 0;
        ticker.advance(Duration.ofNanos(1));
        assertThat(wait(false)).isEqualTo(SelectStrategy.SELECT);
        int before = looks;
        assertThat(wait(false)).isEqualTo(SelectStrategy.SELECT);
        assertThat(looks).as("asleep, it does not look").isEqualTo(before);
    }

    /** Polls to the end of the poll's time after the last request, if the loop polls at all. */
    private int waitToTheEnd(int readyMeanwhile) throws Exception {
        requests(3, Duration.ofNanos(10_000));
        ready = readyMeanwhile;
        int first = wait(false);
        ready = 0;
        ticker.advance(AWAKE);
        assertThat(wait(false)).isEqualTo(SelectStrategy.SELECT);
        return first;
    }

    @Test
    void theLoopSleepsAgainAfterPollsInVain() throws Exception {
        requests(SEQUENCE, Duration.ofNanos(100_000));
        for (int i = 0; i < SEQUENCE; i++) {
            assertThat(waitToTheEnd(1)).as("what came was worth it").isEqualTo(1);
        }
        int first = 0;
        for (int i = 0; i < 10; i++) {
            first = waitToTheEnd(0);
        }
        assertThat(first).isEqualTo(SelectStrategy.SELECT);
    }

    @Test
    void aSingleRequestAfterAPauseIsNoSequence() throws Exception {
        poll.expect();
        assertThat(wait(false)).isEqualTo(SelectStrategy.SELECT);
    }

    @Test
    void theLoopSleepsWhenRequestsTakeLongerThanAPoll() throws Exception {
        requests(SEQUENCE, Duration.ofNanos(500_000));
        assertThat(wait(false)).isEqualTo(SelectStrategy.SELECT);
    }

    @Test
    void theLoopSleepsWhenProcessorsAreCrowded() throws Exception {
        requests(SEQUENCE, Duration.ofNanos(100_000));
        turn = Duration.ofMillis(3);
        assertThat(wait(false)).as("it looked, then others had their turn").isZero();
        assertThat(poll.spentNanos()).isEqualTo(turn.toNanos());
        requests(SEQUENCE, Duration.ofNanos(100_000));
        assertThat(wait(false)).isEqualTo(SelectStrategy.SELECT);
    }

    @Test
    void aLoopWithoutPollTimeNeverPolls() throws Exception {
        BusyPoll never = new BusyPoll(new PollingPolicy(Duration.ZERO, ticker, () -> {}), ticker);
        for (int i = 0; i < SEQUENCE; i++) {
            never.expect();
        }
        assertThat(never.calculateStrategy(() -> 0, false)).isEqualTo(SelectStrategy.SELECT);
    }
}
