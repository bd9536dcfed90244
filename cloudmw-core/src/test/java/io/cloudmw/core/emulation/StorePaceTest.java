package io.cloudmw.core.emulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.cloudmw.core.testing.FakeTicker;
import java.time.Duration;
import org.junit.jupiter.api.Test;

final class StorePaceTest {
    private static final long SECOND = Duration.ofSeconds(1).toNanos();

    private final FakeTicker time = new FakeTicker();

    /** A law with the same timing for all requests. */
    private record Fixed(long bytesPerSecond, ResponseTiming answer, boolean shared) implements StoreLaw {
        @Override
        public long bytesPerSecondAt(long sinceStartNanos) {
            return bytesPerSecond;
        }

        @Override
        public ResponseTiming answer(long request, long sinceStartNanos) {
            return answer;
        }

        @Override
        public StoreLaw withSeed(long seed) {
            return this;
        }
    }

    @Test
    void bytesArriveAfterTheFirstByteAtTheSpeed() {
        StorePace store = new StorePace(new Fixed(1000, new ResponseTiming(SECOND / 2, 0, 0), false), time);
        ResponsePace response = store.request();
        response.length(1000);

        assertThat(response.firstByteNanos()).isEqualTo(SECOND / 2);
        assertThat(response.arrivalNanos(500)).isEqualTo(SECOND);
        assertThat(response.arrivalNanos(500)).isEqualTo(SECOND * 3 / 2);
    }

    @Test
    void aStallComesWhereItWasDrawn() {
        StorePace store = new StorePace(new Fixed(1000, new ResponseTiming(0, 0.5, 5 * SECOND), false), time);
        ResponsePace response = store.request();
        response.length(1000);

        assertThat(response.arrivalNanos(499)).isEqualTo(SECOND * 499 / 1000);
        assertThat(seconds(response.arrivalNanos(2))).isCloseTo(5.501, within(0.001));
        assertThat(seconds(response.arrivalNanos(499))).isCloseTo(6.0, within(0.001));
    }

    @Test
    void aStallBeforeTheFirstByteComesAfterTheHead() {
        StorePace store = new StorePace(new Fixed(1000, new ResponseTiming(SECOND, 0, 5 * SECOND), false), time);
        ResponsePace response = store.request();
        response.length(1000);

        assertThat(response.firstByteNanos()).isEqualTo(SECOND);
        assertThat(response.arrivalNanos(1000)).isEqualTo(7 * SECOND);
    }

    @Test
    void aSharedSpeedIsSharedAndAnotherIsNot() {
        assertThat(lastOfTwo(true)).isEqualTo(2 * SECOND);
        assertThat(lastOfTwo(false)).isEqualTo(SECOND);
    }

    private long lastOfTwo(boolean shared) {
        StorePace store = new StorePace(new Fixed(1000, ResponseTiming.PROMPT, shared), time);
        ResponsePace one = store.request();
        one.length(1000);
        ResponsePace two = store.request();
        two.length(1000);
        return Math.max(one.arrivalNanos(1000), two.arrivalNanos(1000));
    }

    @Test
    void aReaderThatIsALittleLateCatchesUpAndOneThatPausesDoesNot() {
        StorePace store = new StorePace(new Fixed(1000, ResponseTiming.PROMPT, false), time);
        ResponsePace response = store.request();
        response.length(3000);
        response.arrivalNanos(1000);

        time.advance(Duration.ofMillis(1010));
        assertThat(response.arrivalNanos(1000)).isEqualTo(2 * SECOND);
        time.advance(Duration.ofSeconds(100));
        assertThat(seconds(response.arrivalNanos(1000))).isCloseTo(102.01, within(0.021));
    }

    private static double seconds(long nanos) {
        return nanos / 1e9;
    }
}
