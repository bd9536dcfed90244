package io.cloudmw.core.model.volume;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ReadTargetTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "p99 of 64MiB under 900ms",
                "p50 of 1 under 1ms",
                "p99.9 of 1GiB under 2h",
                "p90 of 100 under 1500us",
                "p95 of 3TiB under 1d"
            })
    void theWrittenFormComesBack(String text) {
        assertThat(ReadTarget.parse(text)).hasToString(text);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "p99 of 64MiB",
                "p98 of 64MiB under 900ms",
                "p99.5 of 64MiB under 900ms",
                "p50.9 of 64MiB under 900ms",
                "99 of 64MiB under 900ms",
                "p99 of 64QB under 900ms",
                "p99 of 0 under 900ms",
                "p99 of -1 under 900ms",
                "p99 of 64MiB under 900",
                "p99 of 64MiB under 0s",
                "p99 of 64MiB under 999us",
                "p99 of 64MiB under 2d",
                "p99 of 64MiB under 900ms ",
                "P99 of 64MiB under 900ms",
                "p99  of 64MiB under 900ms",
                "p99 of 64MiB under 900ms please"
            })
    void anythingElseIsRefused(String text) {
        assertThatIllegalArgumentException().isThrownBy(() -> ReadTarget.parse(text));
    }

    @Test
    void longerReadsHaveProportionallyMoreTime() {
        ReadTarget target = ReadTarget.parse("p99 of 64MiB under 900ms");
        assertThat(target.quantile()).isEqualTo(0.99);
        assertThat(target.deadline(0)).isEqualTo(Duration.ofMillis(900));
        assertThat(target.deadline(64 << 20)).isEqualTo(Duration.ofMillis(900));
        assertThat(target.deadline(640L << 20)).isEqualTo(Duration.ofSeconds(9));
    }
}
