package io.cloudmw.core.cost.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.cloudmw.core.cost.Prediction;
import io.cloudmw.core.cost.ReadStrategy;
import io.cloudmw.core.hedge.RedundancyBudget;
import io.cloudmw.core.mode.ModePolicy;
import io.cloudmw.core.model.Mode;
import io.cloudmw.core.model.RedundancyLimits;
import io.cloudmw.core.status.fleet.ExpectedSpeed;
import io.cloudmw.core.testing.fleet.FleetSettings;
import io.cloudmw.core.testing.fleet.FleetWorkload;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class TransferModelTest {
    private static final long MIB = 1 << 20;

    /** 50 ms, then 10 MiB/s, always. */
    private static final ExpectedSpeed STEADY =
            new ExpectedSpeed(50_000_000, 50_000_000, 50_000_000, 10 * MIB, 10 * MIB, 0, 1, 100);

    /** Log-normal, about like S3: median 30 ms, p95 100 ms, p99 200 ms; 90 MiB/s. */
    private static final ExpectedSpeed TAILED =
            new ExpectedSpeed(30_000_000, 100_000_000, 200_000_000, 90 * MIB, 90 * MIB, 0, 1, 100);

    @Test
    void readFromSteadyStoresTakesTheExpectedTime() {
        ReadShape shape = shape(30 * MIB, 10 * MIB, STEADY, 3);
        for (double quantile : new double[] {0.01, 0.5, 0.99}) {
            assertThat(seconds(shape, Mode.SINGLE, 1, quantile)).isCloseTo(3.15, within(0.001));
            assertThat(seconds(shape, Mode.CHUNKED, 3, quantile)).isCloseTo(1.05, within(0.001));
            assertThat(seconds(shape, Mode.ROUNDS, 3, quantile)).isCloseTo(3.15, within(0.001));
            assertThat(seconds(shape, Mode.KN, 9, quantile)).isCloseTo(1.05, within(0.001));
            // Each chunk is two blocks.
            assertThat(seconds(shape, Mode.HEDGED, 1, quantile)).isCloseTo(3.3, within(0.001));
        }
        Prediction single = predict(shape, Mode.SINGLE, 1);
        assertThat(single.requests()).isEqualTo(3);
        assertThat(single.fetchedBytes()).isEqualTo(30 * MIB);
        Prediction rounds = predict(shape, Mode.ROUNDS, 3);
        assertThat(rounds.requests()).isEqualTo(9);
        assertThat(rounds.fetchedBytes()).isCloseTo(90.0 * MIB, within(1.0));
    }

    @Test
    void nothingIsFasterThanTheDestination() {
        ReadShape shape = new ReadShape(30 * MIB, 10 * MIB, List.of(STEADY, STEADY), 5 * MIB);
        for (Prediction prediction : TransferModel.predictAll(shape, 3, full())) {
            assertThat(prediction.time(0.5)).isGreaterThanOrEqualTo(Duration.ofSeconds(6));
        }
    }

    @Test
    void aSmallReadsTimeHasTheQuantilesOfTheFirstByte() {
        ReadShape shape = shape(1, MIB, TAILED, 1);
        assertThat(seconds(shape, Mode.SINGLE, 1, 0.50)).isCloseTo(0.030, within(0.0005));
        assertThat(seconds(shape, Mode.SINGLE, 1, 0.95)).isCloseTo(0.100, within(0.001));
        assertThat(seconds(shape, Mode.SINGLE, 1, 0.99)).isCloseTo(0.200, within(0.003));
    }

    @Test
    void aRaceOfAllHasTheQuantilesOfTheLeast() {
        ReadShape three = shape(1, MIB, TAILED, 3);
        ReadShape two = shape(1, MIB, TAILED, 2);
        double p90 = seconds(three, Mode.SINGLE, 1, 0.9);
        // All three later than p90: one in a thousand. Both: one in a hundred, also when the second goes at once.
        assertThat(seconds(three, Mode.KN, 3, 0.999)).isCloseTo(p90, within(0.15 * p90));
        assertThat(seconds(two, Mode.ROUNDS, 2, 0.99)).isCloseTo(p90, within(0.1 * p90));
        Prediction atOnce =
                TransferModel.predict(two, new ReadStrategy(Mode.HEDGED, 1, Optional.of(Duration.ZERO)), full());
        assertThat(atOnce.time(0.99).toNanos() / 1e9).isCloseTo(p90, within(0.1 * p90));
        assertThat(atOnce.requests()).isEqualTo(2);
    }

    @Test
    void hedgingAfterTheP95AndTheLeastPatienceCostsAboutThreePercentAndCutsTheTail() {
        ReadShape shape = shape(64 << 10, MIB, TAILED, 2);
        Prediction single = predict(shape, Mode.SINGLE, 1);
        Prediction hedged = predict(shape, Mode.HEDGED, 1);
        assertThat(hedged.requests()).isCloseTo(1.031, within(0.003));
        assertThat(hedged.fetchedBytes()).isLessThan(1.06 * (64 << 10));
        assertThat(hedged.time(0.999)).isLessThan(single.time(0.999).dividedBy(2));
        assertThat(hedged.time(0.5))
                .isBetween(single.time(0.5).minusMillis(1), single.time(0.5).plusMillis(1));
    }

    /** The paper's case: 1 GB in three chunks, three replicas of 10 to 22 MB/s, a destination of 25 MB/s. */
    @Test
    void cooperativeReachesTheDestinationWhereRoundsPaysWithBytes() {
        ExpectedSpeed paper = new ExpectedSpeed(50_000_000, 80_000_000, 90_000_000, 13_000_000, 8_000_000, 0, 1, 100);
        ReadShape shape = new ReadShape(1_000_000_000, 333_333_334, Collections.nCopies(3, paper), 25_000_000);
        Prediction single = predict(shape, Mode.SINGLE, 1);
        Prediction rounds = predict(shape, Mode.ROUNDS, 3);
        Prediction cooperative = predict(shape, Mode.COOPERATIVE, 12);
        assertThat(rounds.time(0.5)).isLessThan(single.time(0.5));
        assertThat(rounds.fetchedBytes() / 1e9).isBetween(2.2, 2.9);
        assertThat(cooperative.time(0.99)).isLessThan(Duration.ofSeconds(41));
        assertThat(cooperative.fetchedBytes() / 1e9).isLessThan(1.05);
    }

    /**
     * 150 ms on, 7 MiB are missing: both streams have read them 375 ms later, one of them after a first byte of 50 ms.
     */
    @Test
    void anIdleStreamTakesTheEndOfABlock() {
        ReadShape shape = shape(8 * MIB, 8 * MIB, STEADY, 2);
        Prediction split = predict(shape, Mode.COOPERATIVE, 2);
        assertThat(split.time(0.5).toNanos() / 1e9).isCloseTo(0.525, within(0.001));
        assertThat(split.requests()).isEqualTo(2);
        assertThat(split.secondAttempts()).isZero();
        assertThat(split.fetchedBytes()).isCloseTo(8.0 * MIB, within(1.0));
    }

    @Test
    void noStreamTakesAnEndWithoutABudget() {
        ReadShape shape = shape(8 * MIB, 8 * MIB, STEADY, 2);
        RedundancyBudget none = new RedundancyBudget(RedundancyLimits.ofShare(0));
        Prediction whole = TransferModel.predict(shape, new ReadStrategy(Mode.COOPERATIVE, 2, Optional.empty()), none);
        assertThat(whole.time(0.5).toNanos() / 1e9).isCloseTo(0.85, within(0.001));
        assertThat(whole.requests()).isEqualTo(1);
    }

    @Test
    void blocksThatEndSoonOrWaitForTheDestinationAreNotSplit() {
        Prediction quick = predict(shape(96 * MIB, 96 * MIB, TAILED, 3), Mode.COOPERATIVE, 12);
        assertThat(quick.requests() - quick.secondAttempts()).isCloseTo(12, within(1e-9));
        ReadShape narrow = new ReadShape(8 * MIB, 8 * MIB, List.of(STEADY, STEADY), 5 * MIB);
        assertThat(predict(narrow, Mode.COOPERATIVE, 2).requests()).isEqualTo(1);
    }

    /** A long read has one end, like a short one. */
    @Test
    void splitsAreNotManyMoreInALongRead() {
        Prediction huge = predict(shape(1L << 40, 64 * MIB, STEADY, 2), Mode.COOPERATIVE, 4);
        assertThat(huge.requests()).isBetween((double) (1 << 17), (double) (1 << 17) + 8);
        assertThat(huge.time(0.5).toNanos() / 1e9).isCloseTo((1 << 17) * 0.85 / 4, within(1.0));
    }

    /**
     * The predicted requests agree with those of the race for the same reads over stores with the same quantiles, in
     * virtual time. Where no end of a block is worth splitting, the means agree within a twentieth: the model has
     * neither the stores' rare pauses nor the store that is tried now and then. Where ends are split, the race takes a
     * few more, up to a fifth of all requests. It judges the speed of blocks and stores by the responses so far, and
     * the first of these reads has none.
     *
     * @param slow ten times slower than usual: ends of blocks are worth splitting
     */
    @ParameterizedTest
    @CsvSource({
        "false, 96, 1, 5",
        "false, 10, 9, 5",
        "false, 64, 5, 5",
        "true, 96, 1, 20",
        "true, 10, 9, 20",
        "true, 64, 5, 20"
    })
    void requestsAreThoseThatTheRaceMakes(boolean slow, int chunkMib, int chunks, int percent) {
        ReadShape shape = shape(chunks * (chunkMib * MIB), chunkMib * MIB, slow ? tail(10) : tail(1), 3);
        FleetSettings stores = slow ? FleetSettings.outage(0) : FleetSettings.tail();
        List<Long> chunkBytes = Collections.nCopies(chunks, chunkMib * MIB);

        FleetWorkload.Figures made = FleetWorkload.alone(Mode.COOPERATIVE, stores, chunkBytes, 30, 1);

        double planned = predict(shape, Mode.COOPERATIVE, 12).requests();
        assertThat(made.requests()).isCloseTo(planned, withinPercentage(percent));
    }

    /** The speed of {@link io.cloudmw.core.testing.fleet.TailStores}. */
    private static ExpectedSpeed tail(int slower) {
        long rate = 90_000_000 / slower;
        return new ExpectedSpeed(
                30_000_000L * slower, 114_700_000L * slower, 200_000_000L * slower, rate, rate, 0, 1, 100);
    }

    /** The model's usual strategy of a mode is the race's policy. */
    @Test
    void aModesUsualWayIsItsPolicy() {
        for (Mode mode : Mode.values()) {
            for (boolean inOrder : new boolean[] {false, true}) {
                ModePolicy usual = SlaPlanner.policy(ReadStrategy.usual(mode, 3, 3), inOrder, 3);
                ModePolicy policy = ModePolicy.of(mode, inOrder);
                assertThat(usual.blocks()).isEqualTo(policy.blocks());
                assertThat(usual.extras()).isEqualTo(policy.extras());
                assertThat(usual.lanes(3)).isEqualTo(policy.lanes(3));
                assertThat(usual.lineup().racers())
                        .isIn(policy.lineup().racers(), 3 * policy.lineup().lanes());
            }
        }
    }

    @Test
    void storesThatAreSlowerNowTakeLongerNow() {
        ExpectedSpeed slower = new ExpectedSpeed(30_000_000, 100_000_000, 200_000_000, 90 * MIB, 90 * MIB, 0, 10, 100);
        assertThat(seconds(shape(1, MIB, slower, 1), Mode.SINGLE, 1, 0.95)).isCloseTo(1.0, within(0.01));
        Prediction hedged = predict(shape(1, MIB, slower, 2), Mode.HEDGED, 1);
        assertThat(hedged.requests()).as("what is usual now is not late").isLessThan(1.05);
    }

    @Test
    void hugeAndEmptyReadsArePredictedToo() {
        ReadShape empty = shape(0, MIB, STEADY, 2);
        ReadShape huge = shape(1L << 44, 64 * MIB, STEADY, 2);
        for (Mode mode : Mode.values()) {
            assertThat(predict(empty, mode, 4).requests()).isZero();
            assertThat(predict(empty, mode, 4).time(0.99)).isZero();
        }
        assertThat(predict(huge, Mode.SINGLE, 1).requests()).isCloseTo(1 << 18, within(1.0));
        assertThat(seconds(huge, Mode.SINGLE, 1, 0.5)).isCloseTo((1 << 18) * 6.45, within(10.0));
    }

    @Test
    void theSamePredictionComesOutAgain() {
        ReadShape shape = shape(100 * MIB, 8 * MIB, TAILED, 3);
        assertThat(predict(shape, Mode.COOPERATIVE, 4).time(0.95))
                .isEqualTo(predict(shape, Mode.COOPERATIVE, 4).time(0.95));
    }

    @Test
    void normalScoresAreThoseOfTheTables() {
        assertThat(NormalDistribution.inverse(0.5)).isCloseTo(0, within(1e-12));
        assertThat(NormalDistribution.inverse(0.975)).isCloseTo(1.959963984540054, within(1e-8));
        assertThat(NormalDistribution.inverse(0.001)).isCloseTo(-3.090232306167813, within(1e-8));
        assertThat(NormalDistribution.inverse(0.999)).isCloseTo(3.090232306167813, within(1e-8));
    }

    @Test
    void invalidStrategiesAreRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> shape(-1, MIB, STEADY, 1));
        assertThatIllegalArgumentException().isThrownBy(() -> shape(1, 0, STEADY, 1));
        assertThatIllegalArgumentException().isThrownBy(() -> shape(1, 1, STEADY, 0));
        assertThatIllegalArgumentException().isThrownBy(() -> new ReadShape(1, 1, List.of(STEADY), 0));
        assertThatIllegalArgumentException().isThrownBy(() -> new ReadStrategy(Mode.SINGLE, 0, Optional.empty()));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new ReadStrategy(Mode.HEDGED, 1, Optional.of(Duration.ofMillis(-1))));
    }

    private static RedundancyBudget full() {
        return new RedundancyBudget(RedundancyLimits.DEFAULT);
    }

    private static ReadShape shape(long bytes, long chunkBytes, ExpectedSpeed speed, int replicas) {
        return new ReadShape(bytes, chunkBytes, Collections.nCopies(replicas, speed), Long.MAX_VALUE);
    }

    private static Prediction predict(ReadShape shape, Mode mode, int streams) {
        return TransferModel.predict(shape, new ReadStrategy(mode, streams, Optional.empty()), full());
    }

    private static double seconds(ReadShape shape, Mode mode, int streams, double quantile) {
        return predict(shape, mode, streams).time(quantile).toNanos() / 1e9;
    }
}
