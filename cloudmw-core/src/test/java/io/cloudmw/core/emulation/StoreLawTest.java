package io.cloudmw.core.emulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import java.util.Arrays;
import java.util.function.IntToLongFunction;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class StoreLawTest {
    private static final int DRAWS = 200_000;
    private static final long TEN_SECONDS = Duration.ofSeconds(10).toNanos();

    @Test
    void paperTable2DrawsTheTwentyRatesEvenlyAndStallsInTwoPercent() {
        StoreLaw law = StoreLaw.parse("paper-table2,seed=1");
        long[] drawn = LongStream.range(0, DRAWS)
                .map(interval -> law.bytesPerSecondAt(interval * TEN_SECONDS))
                .toArray();

        assertThat(share(drawn, PaperTable2.STALL_BYTES_PER_SECOND)).isCloseTo(0.02, within(0.002));
        long[] rates = PaperTable2.rates();
        assertThat(rates).hasSize(20);
        for (long rate : rates) {
            long occurrences =
                    Arrays.stream(rates).filter(other -> other == rate).count();
            assertThat(share(drawn, rate)).isCloseTo(0.98 * occurrences / 20, within(0.005));
        }
        assertThat(Arrays.stream(drawn).average().orElseThrow()).isCloseTo(0.98 * 13.0675e6 + 0.02e6, within(0.05e6));
    }

    @Test
    void theRatesAreTheTimesOfTable2() {
        int[] seconds = {83, 73, 98, 77, 104, 80, 69, 77, 97, 95, 84, 85, 49, 55, 70, 84, 61, 90, 91, 102};
        long[] rates = PaperTable2.rates();
        for (int test = 0; test < seconds.length; test++) {
            // The paper's GB is 1024 MB, and it rounds: its fastest download, 49 s at 20.1 MB/s, by 4%.
            assertThat(rates[test] / 1e6 * seconds[test]).isCloseTo(1024, within(40.0));
        }
    }

    @Test
    void paperTable2HoldsARateForTenSeconds() {
        StoreLaw law = StoreLaw.parse("paper-table2,seed=2");

        assertThat(IntStream.range(0, 100))
                .allMatch(i -> law.bytesPerSecondAt(i * TEN_SECONDS)
                        == law.bytesPerSecondAt(i * TEN_SECONDS + TEN_SECONDS - 1));
        assertThat(law.shared()).isTrue();
        assertThat(law.answer(7, 0)).isEqualTo(ResponseTiming.PROMPT);
    }

    @Test
    void s3TailHasItsQuantilesAndItsStalls() {
        StoreLaw law = StoreLaw.parse("s3-tail,seed=1");
        double[] firstBytes = sorted(i -> law.answer(i, 0).firstByteNanos());

        assertThat(firstBytes[DRAWS / 2]).isCloseTo(0.030, within(0.0005));
        assertThat(firstBytes[DRAWS * 99 / 100]).isCloseTo(0.200, within(0.006));
        ResponseTiming[] stalled = IntStream.range(0, DRAWS)
                .mapToObj(i -> law.answer(i, 0))
                .filter(answer -> answer.stallNanos() > 0)
                .toArray(ResponseTiming[]::new);
        assertThat(stalled.length / (double) DRAWS).isCloseTo(0.003, within(0.0005));
        assertThat(stalled).allMatch(answer -> answer.stallNanos() == 5_000_000_000L);
        assertThat(Arrays.stream(stalled)
                        .mapToDouble(ResponseTiming::stallAt)
                        .average()
                        .orElseThrow())
                .isCloseTo(0.5, within(0.05));
        assertThat(law.bytesPerSecondAt(123)).isEqualTo(90_000_000);
        assertThat(law.shared()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"paper-table2", "s3-tail", "1..90MiB/s"})
    void theSameSeedDrawsTheSameAndAnotherDoesNot(String name) {
        StoreLaw one = StoreLaw.parse(name + ",seed=5");
        StoreLaw again = StoreLaw.parse(name + ",seed=5");
        StoreLaw neighbour = StoreLaw.parse(name).withSeed(6);

        assertThat(trace(again)).isEqualTo(trace(one));
        assertThat(trace(neighbour)).isNotEqualTo(trace(one));
    }

    @Test
    void storesDrawIndependently() {
        StoreLaw one = StoreLaw.parse("paper-table2,seed=1");
        StoreLaw two = StoreLaw.parse("paper-table2,seed=2");
        double[] x = LongStream.range(0, DRAWS)
                .mapToDouble(i -> one.bytesPerSecondAt(i * TEN_SECONDS))
                .toArray();
        double[] y = LongStream.range(0, DRAWS)
                .mapToDouble(i -> two.bytesPerSecondAt(i * TEN_SECONDS))
                .toArray();

        assertThat(correlation(x, y)).isCloseTo(0, within(0.01));
    }

    @Test
    void timeScaleShortensDelaysAndRaisesSpeeds() {
        StoreLaw paper = StoreLaw.parse("paper-table2,seed=3");
        StoreLaw fast = StoreLaw.parse("paper-table2,seed=3,time-scale=8");
        for (long second = 0; second < 100; second++) {
            long at = Duration.ofSeconds(second).toNanos();
            assertThat(fast.bytesPerSecondAt(at / 8)).isEqualTo(8 * paper.bytesPerSecondAt(at));
        }
        ResponseTiming answer = StoreLaw.parse("s3-tail,seed=3").answer(11, 0);
        ResponseTiming faster = StoreLaw.parse("s3-tail,seed=3").faster(4).answer(11, 0);
        assertThat(faster.firstByteNanos()).isEqualTo(answer.firstByteNanos() / 4);
        assertThat(faster.stallAt()).isEqualTo(answer.stallAt());
    }

    @Test
    void aSlowedStoreIsTenTimesWorseFromItsMomentOn() {
        StoreLaw law = StoreLaw.parse("s3-tail,seed=3");
        StoreLaw slowed = StoreLaw.parse("s3-tail,seed=3,slow-after=60s");
        long moment = Duration.ofSeconds(60).toNanos();

        assertThat(slowed.answer(1, moment - 1)).isEqualTo(law.answer(1, 0));
        assertThat(slowed.answer(1, moment).firstByteNanos())
                .isEqualTo(10 * law.answer(1, 0).firstByteNanos());
        assertThat(slowed.bytesPerSecondAt(moment)).isEqualTo(9_000_000);
        assertThat(slowed.answer(1, moment).stallNanos())
                .isEqualTo(law.answer(1, 0).stallNanos());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "paper-table3",
                "s3-tail,redraw=1s",
                "s3-tail,seed=x",
                "s3-tail,time-scale=0",
                "s3-tail,time-scale=fast",
                "s3-tail,slow-after=1",
                "paper-table2,seed=1,seed=2",
                "paper-table2,seed"
            })
    void anythingElseIsRefused(String text) {
        assertThatThrownBy(() -> StoreLaw.parse(text)).isInstanceOf(IllegalArgumentException.class);
    }

    private static String trace(StoreLaw law) {
        StringBuilder trace = new StringBuilder();
        for (int i = 0; i < 200; i++) {
            trace.append(law.bytesPerSecondAt(i * TEN_SECONDS)).append(law.answer(i, 0));
        }
        return trace.toString();
    }

    private static double share(long[] drawn, long value) {
        return Arrays.stream(drawn).filter(v -> v == value).count() / (double) drawn.length;
    }

    private static double[] sorted(IntToLongFunction nanos) {
        return IntStream.range(0, DRAWS)
                .mapToDouble(i -> nanos.applyAsLong(i) / 1e9)
                .sorted()
                .toArray();
    }

    private static double correlation(double[] x, double[] y) {
        double meanX = Arrays.stream(x).average().orElseThrow();
        double meanY = Arrays.stream(y).average().orElseThrow();
        double xy = 0;
        double xx = 0;
        double yy = 0;
        for (int i = 0; i < x.length; i++) {
            xy += (x[i] - meanX) * (y[i] - meanY);
            xx += (x[i] - meanX) * (x[i] - meanX);
            yy += (y[i] - meanY) * (y[i] - meanY);
        }
        return xy / Math.sqrt(xx * yy);
    }
}
