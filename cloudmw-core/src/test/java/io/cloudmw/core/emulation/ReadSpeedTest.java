package io.cloudmw.core.emulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ReadSpeedTest {
    private static final long MIB = 1 << 20;

    @Test
    void aConstantSpeedIsTheSameAtAllTimes() {
        ReadSpeed speed = ReadSpeed.parse("20MiB/s");

        assertThat(speed.bytesPerSecondAt(0)).isEqualTo(20 * MIB);
        assertThat(speed.bytesPerSecondAt(Duration.ofDays(3).toNanos())).isEqualTo(20 * MIB);
    }

    @Test
    void aVaryingSpeedIsDrawnBetweenItsBoundsAndHoldsForAnInterval() {
        ReadSpeed speed = ReadSpeed.parse("10..40MiB/s,redraw=2s,seed=7");
        long interval = Duration.ofSeconds(2).toNanos();

        assertThat(speed).isEqualTo(new ReadSpeed(10 * MIB, 40 * MIB, Duration.ofSeconds(2), 7));
        assertThat(speed.bytesPerSecondAt(interval - 1)).isEqualTo(speed.bytesPerSecondAt(0));
        assertThat(LongStream.range(0, 200).map(i -> speed.bytesPerSecondAt(i * interval)))
                .allMatch(s -> s >= 10 * MIB && s <= 40 * MIB)
                .anyMatch(s -> s < 15 * MIB)
                .anyMatch(s -> s > 35 * MIB);
    }

    @Test
    void equalSeedsGiveEqualSpeedsAndOthersDoNot() {
        ReadSpeed seven = ReadSpeed.parse("1..100MiB/s,seed=7");
        ReadSpeed eight = ReadSpeed.parse("1..100MiB/s,seed=8");

        assertThat(seven.bytesPerSecondAt(0))
                .isEqualTo(ReadSpeed.parse("1..100MiB/s,seed=7").bytesPerSecondAt(0));
        assertThat(seven.bytesPerSecondAt(0)).isNotEqualTo(eight.bytesPerSecondAt(0));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"20MiB/s", "1500KiB/s", "10MiB..40MiB/s,redraw=500ms,seed=-3", "10MiB..1GiB/s,redraw=2s,seed=0"})
    void speedReadsBackAsWritten(String text) {
        assertThat(ReadSpeed.parse(text)).hasToString(text);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "20MiB",
                "20/s",
                "40..10MiB/s",
                "..10MiB/s",
                "10MiB/s,speed=3",
                "10MiB/s,seed",
                "10MiB/s,seed=x",
                "10MiB/s,redraw=0s",
                "10MiB/s,seed=1,seed=2",
                "x..yMiB/s"
            })
    void anythingElseIsRefused(String text) {
        assertThatThrownBy(() -> ReadSpeed.parse(text)).isInstanceOf(IllegalArgumentException.class);
    }
}
