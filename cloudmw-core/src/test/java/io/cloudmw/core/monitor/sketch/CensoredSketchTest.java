package io.cloudmw.core.monitor.sketch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class CensoredSketchTest {
    @Test
    void theQuantileWithoutCutsIsThePlainOne() {
        Sketch ended = Sketch.ofSamples(10, 20, 30, 40);
        CensoredSketch waits = new CensoredSketch(ended, Sketch.EMPTY);
        for (double quantile : new double[] {0.25, 0.5, 0.75, 1}) {
            assertThat(waits.quantile(quantile)).isEqualTo(ended.quantile(quantile));
        }
    }

    /** Kaplan and Meier by hand: 6 waits, of which the third and the fifth were cut. */
    @Test
    void quantilesOfASmallExampleAreExact() {
        CensoredSketch waits = new CensoredSketch(Sketch.ofSamples(1, 2, 4, 6), Sketch.ofSamples(3, 5));
        // S(1) = 5/6, S(2) = 4/6, S(4) = 4/6 * 2/3 = 4/9, S(6) = 0
        assertThat(waits.quantile(1.0 / 6)).isEqualTo(1);
        assertThat(waits.quantile(2.0 / 6)).isEqualTo(2);
        assertThat(waits.quantile(0.5)).isEqualTo(4);
        assertThat(waits.quantile(0.56)).isEqualTo(6);
        assertThat(waits.quantile(1)).isEqualTo(6);
    }

    @Test
    void losersThatWereCutDoNotMakeASlowStoreLookFast() {
        for (int seed = 0; seed < 50; seed++) {
            Random random = new Random(seed);
            int count = 4000;
            long[] truth = new long[count];
            long[] ended = new long[count];
            long[] cut = new long[count];
            int endedCount = 0;
            int cutCount = 0;
            for (int i = 0; i < count; i++) {
                long mine = wait(random, 200_000);
                long rival = wait(random, 100_000);
                truth[i] = mine;
                if (mine <= rival) {
                    ended[endedCount++] = mine;
                } else {
                    cut[cutCount++] = rival;
                }
            }
            Arrays.sort(truth);
            Sketch seen = Sketch.ofSamples(Arrays.copyOf(ended, endedCount));
            CensoredSketch waits = new CensoredSketch(seen, Sketch.ofSamples(Arrays.copyOf(cut, cutCount)));

            double half = truth[count / 2];
            assertThat((double) waits.quantile(0.5)).as("seed %d", seed).isCloseTo(half, within(0.1 * half));
            assertThat((double) seen.quantile(0.5)).as("the naive one").isLessThan(0.7 * half);
        }
    }

    @Test
    void aStoreThatNeverAnsweredTakesAtLeastAsLongAsItWasWaitedFor() {
        CensoredSketch silent = new CensoredSketch(Sketch.EMPTY, Sketch.ofSamples(100, 900));
        assertThat(silent.quantile(0.01)).isCloseTo(900, within(30L));
        assertThat(silent.samples()).isEqualTo(2);
        assertThat(CensoredSketch.EMPTY.quantile(0.5)).isZero();
    }

    @Test
    void mergingIsTheSameAsHavingSeenAll() {
        CensoredSketch some = new CensoredSketch(Sketch.ofSamples(1, 5, 9), Sketch.ofSamples(4));
        CensoredSketch others = new CensoredSketch(Sketch.ofSamples(2), Sketch.ofSamples(3, 8));
        assertThat(some.plus(others))
                .isEqualTo(new CensoredSketch(Sketch.ofSamples(1, 2, 5, 9), Sketch.ofSamples(3, 4, 8)));
    }

    private static long wait(Random random, double median) {
        return Math.round(median * Math.exp(0.8 * random.nextGaussian()));
    }
}
