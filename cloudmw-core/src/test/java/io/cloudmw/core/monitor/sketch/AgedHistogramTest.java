package io.cloudmw.core.monitor.sketch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class AgedHistogramTest {
    private static final long HALF_LIFE = 1_000_000_000;

    private record Sample(long value, long atNanos) {}

    @Test
    void theHistogramAgreesWithWeighingEverySampleByItsAge() {
        for (int seed = 0; seed < 100; seed++) {
            Random random = new Random(seed);
            long now = random.nextLong();
            AgedHistogram histogram = new AgedHistogram(HALF_LIFE, now);
            List<Sample> samples = new ArrayList<>();
            for (int i = 0; i < 1000; i++) {
                now += random.nextLong(HALF_LIFE / 10);
                long value = 1 + random.nextLong(1_000_000);
                histogram.record(value, now);
                samples.add(new Sample(value, now));
            }
            Sketch sketch = histogram.sketch(now);
            for (double quantile : new double[] {0.25, 0.5, 0.9}) {
                double low = exact(samples, quantile - 0.03, now);
                double high = exact(samples, quantile + 0.03, now);
                assertThat((double) sketch.quantile(quantile))
                        .as("seed %d, quantile %s", seed, quantile)
                        .isBetween(low * 0.96 - 1, high * 1.04 + 1);
            }
            assertThat(sketch.samples()).isCloseTo(weight(samples, now), within(1.0));
        }
    }

    @Test
    void aSampleCountsHalfAfterEachHalfLife() {
        AgedHistogram histogram = new AgedHistogram(HALF_LIFE, 0);
        for (int i = 0; i < 64; i++) {
            histogram.record(500, 0);
        }
        assertThat(histogram.sketch(HALF_LIFE).samples()).isEqualTo(32);
        assertThat(histogram.sketch(6 * HALF_LIFE).samples()).isEqualTo(1);
        assertThat(histogram.sketch(40 * HALF_LIFE).isEmpty()).isTrue();
    }

    @Test
    void newSamplesAloneCountAfterAYearOfSilence() {
        AgedHistogram histogram = new AgedHistogram(HALF_LIFE, 0);
        histogram.record(500, 0);
        long year = 365L * 86_400 * 1_000_000_000;
        histogram.record(70, year);
        assertThat(histogram.sketch(year)).isEqualTo(Sketch.ofSamples(70));
    }

    private static double weight(List<Sample> samples, long now) {
        return samples.stream().mapToDouble(sample -> weight(sample, now)).sum();
    }

    private static double weight(Sample sample, long now) {
        return Math.pow(2, -(double) (now - sample.atNanos()) / HALF_LIFE);
    }

    private static double exact(List<Sample> samples, double quantile, long now) {
        double wanted = quantile * weight(samples, now);
        double sum = 0;
        for (Sample sample :
                samples.stream().sorted(Comparator.comparingLong(Sample::value)).toList()) {
            sum += weight(sample, now);
            if (sum >= wanted) {
                return sample.value();
            }
        }
        return Double.MAX_VALUE;
    }
}
