package io.cloudmw.core.monitor.sketch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class SketchTest {
    private static final double[] QUANTILES = {0.01, 0.25, 0.5, 0.9, 0.95, 0.99, 1};

    @Test
    void quantilesAreWithinTheErrorOfTheExactOnes() {
        for (int seed = 0; seed < 200; seed++) {
            Random random = new Random(seed);
            long[] samples = samples(random, 1 + random.nextInt(2000));
            Sketch sketch = Sketch.ofSamples(samples);
            Arrays.sort(samples);
            for (double quantile : QUANTILES) {
                long exact = samples[(int) Math.max(0, Math.ceil(quantile * samples.length) - 1)];
                assertThat((double) sketch.quantile(quantile))
                        .as("seed %d, quantile %s", seed, quantile)
                        .isCloseTo((double) exact, within(1 + exact * Sketch.MAX_ERROR_PERCENT / 100));
            }
        }
    }

    @Test
    void mergingIsTheSameAsHavingSeenAll() {
        for (int seed = 0; seed < 200; seed++) {
            Random random = new Random(seed);
            long[] some = samples(random, random.nextInt(500));
            long[] others = samples(random, random.nextInt(500));
            long[] all = Arrays.copyOf(some, some.length + others.length);
            System.arraycopy(others, 0, all, some.length, others.length);

            Sketch merged = Sketch.ofSamples(some).plus(Sketch.ofSamples(others));

            assertThat(merged).as("seed %d", seed).isEqualTo(Sketch.ofSamples(all));
            assertThat(merged).isEqualTo(Sketch.ofSamples(others).plus(Sketch.ofSamples(some)));
        }
    }

    @Test
    void scalingKeepsTheQuantiles() {
        Random random = new Random(7);
        Sketch sketch = Sketch.ofSamples(samples(random, 4000));
        Sketch half = sketch.times(0.5);
        assertThat(half.samples()).isCloseTo(2000, within(1.0));
        for (double quantile : QUANTILES) {
            assertThat(half.quantile(quantile)).isEqualTo(sketch.quantile(quantile));
        }
        assertThat(sketch.times(1e-9).isEmpty()).isTrue();
    }

    @Test
    void sketchOfAnySamplesHasBoundedEntries() {
        Random random = new Random(1);
        Sketch sketch = Sketch.EMPTY;
        for (int i = 0; i < 200; i++) {
            sketch = sketch.plus(
                    Sketch.ofSamples(random.longs(500, 0, Long.MAX_VALUE).toArray()));
            sketch = sketch.plus(Sketch.ofSamples(
                    random.longs(500, 0, 1L << random.nextInt(40)).toArray()));
        }
        assertThat(sketch.entries()).isLessThanOrEqualTo(Sketch.MAX_ENTRIES);
        assertThat(sketch.quantile(1)).isLessThanOrEqualTo((long) ((1L << 30) * 1.04));
    }

    @Test
    void receivedValuesArePutOnTheGridOrRefused() {
        Sketch sketch = Sketch.of(new long[] {1000, 1001, 5000}, new long[] {16, 16, Long.MAX_VALUE});
        assertThat(sketch.entries()).isEqualTo(2);
        assertThat(sketch.weight(0)).isEqualTo(32);
        assertThat(sketch.weight(1)).isEqualTo(Sketch.MAX_WEIGHT);
        assertThat(Sketch.of(new long[] {-5}, new long[] {16}).value(0)).isEqualTo(1);

        assertThatIllegalArgumentException().isThrownBy(() -> Sketch.of(new long[] {1}, new long[] {}));
        assertThatIllegalArgumentException().isThrownBy(() -> Sketch.of(new long[] {1}, new long[] {-1}));
        assertThatIllegalArgumentException().isThrownBy(() -> Sketch.of(new long[] {2, 1}, new long[] {1, 1}));
        assertThatIllegalArgumentException().isThrownBy(() -> Sketch.of(new long[433], new long[433]));
    }

    @Test
    void emptySketchHasNoSamplesAndQuantileZero() {
        assertThat(Sketch.EMPTY.quantile(0.5)).isZero();
        assertThat(Sketch.EMPTY.samples()).isZero();
        assertThat(Sketch.EMPTY.plus(Sketch.EMPTY)).isEqualTo(Sketch.EMPTY);
    }

    private static long[] samples(Random random, int count) {
        long[] samples = new long[count];
        for (int i = 0; i < count; i++) {
            samples[i] = 1 + Math.round(Math.exp(10 + 2 * random.nextGaussian()));
        }
        return samples;
    }
}
