package io.cloudmw.core.emulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.function.ToDoubleFunction;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/**
 * The paper's protocol over the law of its Table 2, computed piece by piece: the time of an ideal race for 1 GB in
 * three chunks with three replicas.
 */
final class PaperModelTest {
    private static final int RUNS = 1000;
    private static final double FILE_BYTES = 1e9;
    private static final int CHUNKS = 3;
    private static final int REPLICAS = 3;
    private static final double DESTINATION_BYTES_PER_SECOND = 25e6;
    private static final double STEP_SECONDS = 0.05;

    /** The result of one transfer: when the last chunk is won, when the destination has it, and how many bytes were fetched. */
    private record Outcome(double wonSeconds, double deliveredSeconds, double bytes) {}

    private static StoreLaw store(long run, int store) {
        return new PaperTable2(run * REPLICAS + store);
    }

    private static double rate(StoreLaw store, double seconds) {
        return store.bytesPerSecondAt((long) (seconds * 1e9));
    }

    private static Outcome rounds(long run) {
        double now = 0;
        double fetched = 0;
        double delivered = 0;
        for (int chunk = 0; chunk < CHUNKS; chunk++) {
            double[] got = new double[REPLICAS];
            while (Arrays.stream(got).max().orElse(0) < FILE_BYTES / CHUNKS) {
                for (int i = 0; i < REPLICAS; i++) {
                    got[i] += rate(store(run, i), now) * STEP_SECONDS;
                }
                now += STEP_SECONDS;
            }
            fetched += Arrays.stream(got).sum();
            delivered = Math.max(delivered, now) + FILE_BYTES / CHUNKS / DESTINATION_BYTES_PER_SECOND;
        }
        return new Outcome(now, delivered, fetched);
    }

    private static double single(long run) {
        double now = 0;
        for (double got = 0; got < FILE_BYTES; now += STEP_SECONDS) {
            got += Math.min(DESTINATION_BYTES_PER_SECOND, rate(store(run, 0), now)) * STEP_SECONDS;
        }
        return now;
    }

    private static double median(ToDoubleFunction<Outcome> of) {
        return LongStream.range(0, RUNS)
                .mapToObj(PaperModelTest::rounds)
                .mapToDouble(of)
                .sorted()
                .toArray()[RUNS / 2];
    }

    @Test
    void aSingleStreamTakesAboutAsLongAsInThePaper() {
        double[] seconds = LongStream.range(0, RUNS)
                .mapToDouble(PaperModelTest::single)
                .sorted()
                .toArray();

        assertThat(seconds[RUNS / 2]).isCloseTo(82, within(8.2));
    }

    @Test
    void roundsAreWonWhenTheModelSaysAtTheModelsBytes() {
        assertThat(median(Outcome::wonSeconds)).isCloseTo(68, within(6.8));
        assertThat(median(Outcome::bytes) / FILE_BYTES).isBetween(2.3, 2.9);
    }

    /** The model ends with the last win; a destination of 25 MB/s still has the last chunk to receive. */
    @Test
    void theLastChunksRelayComesOnTop() {
        assertThat(median(Outcome::deliveredSeconds) - median(Outcome::wonSeconds))
                .isCloseTo(FILE_BYTES / CHUNKS / DESTINATION_BYTES_PER_SECOND, within(0.2));
    }
}
