package io.cloudmw.core.testing.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.core.model.Mode;
import io.cloudmw.core.testing.fleet.FleetWorkload.Figures;
import java.util.logging.Logger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The figures of the modes, and the invariants at the size of a fleet, in virtual time. Sizes grow with {@code
 * cloudmw.simulation.scale}; the printed figures go into {@code docs/benchmarks/race-simulation.md}.
 */
@Tag("simulation")
class FleetSimulationTest {
    private static final Logger LOG = Logger.getLogger(FleetSimulationTest.class.getName());
    private static final int SCALE = Integer.getInteger("cloudmw.simulation.scale", 1);
    private static final long SEED = Long.getLong("cloudmw.simulation.seed", 1);
    private static final double FLOOR_SECONDS = 40;

    /**
     * The invariants of a race at every leaf: 1 (nothing from a relay that was not accepted) and 2 (nothing twice, no
     * stream out of order). At every end: 3 (it ends, whole). At every start: 4 (no attempt at a block known to be
     * another's). At both: 6 (one attempt a lane, bounded state at the destination). Wrong bytes and budgets are
     * {@code RaceSimulationTest}'s.
     */
    @ParameterizedTest
    @EnumSource(Mode.class)
    void noInvariantBreaksInAFleetInAStorm(Mode mode) {
        Figures figures = FleetWorkload.storm(mode, 10_000, 1_000, 100 * SCALE, SEED);

        print("storm", figures);
        assertThat(figures.transfers()).isEqualTo(100 * SCALE);
        if (mode == Mode.COOPERATIVE) {
            assertThat(figures.seconds(0.99))
                    .as("a helper that is cut off keeps nobody waiting")
                    .isLessThan(1.5);
        }
    }

    /** The same in fleets so small that transfers meet. */
    @ParameterizedTest
    @EnumSource(Mode.class)
    void noInvariantBreaksInASmallFleetWithAnySeed(Mode mode) {
        for (long seed = SEED; seed < SEED + 4L * SCALE; seed++) {
            assertThat(FleetWorkload.storm(mode, 300, 30, 25, seed).transfers())
                    .as("seed %d", seed)
                    .isEqualTo(25);
        }
    }

    @Test
    void cooperativeReachesTheDestinationsLimitAtHardlyAnyBytesTwice() {
        Figures figures = FleetWorkload.paper(Mode.COOPERATIVE, 40 * SCALE, SEED);

        print("paper-table2", figures);
        assertThat(figures.seconds(0.5) / FLOOR_SECONDS).isLessThanOrEqualTo(1.03);
        assertThat(figures.seconds(0.99) / figures.seconds(0.5)).isLessThanOrEqualTo(1.05);
        assertThat(figures.bytesRatio()).isLessThanOrEqualTo(1.05);
    }

    @Test
    void roundsMovesTheBytesThePaperMoves() {
        Figures figures = FleetWorkload.paper(Mode.ROUNDS, 40, SEED);

        print("paper-table2", figures);
        assertThat(figures.bytesRatio()).isBetween(2.3, 2.9);
    }

    @Test
    void hedgedCutsTheTailOfSmallReads() {
        Figures single = FleetWorkload.reads(Mode.SINGLE, FleetSettings.tail(), 4_000 * SCALE, SEED);
        Figures hedged = FleetWorkload.reads(Mode.HEDGED, FleetSettings.tail(), 4_000 * SCALE, SEED);

        print("s3-tail", single);
        print("s3-tail", hedged);
        assertThat(hedged.seconds(0.999)).isLessThanOrEqualTo(0.15 * single.seconds(0.999));
        assertThat(hedged.requestsRatio()).isLessThanOrEqualTo(1.05);
    }

    @ParameterizedTest
    @EnumSource(names = {"HEDGED", "COOPERATIVE"})
    void slowdownOfAllStoresCausesFewExtraRequests(Mode mode) {
        Figures figures = FleetWorkload.reads(mode, FleetSettings.outage(100_000_000_000L), 2_000 * SCALE, SEED);

        print("all slow from 100 s", figures);
        assertThat(figures.requestsRatio()).isLessThanOrEqualTo(1.05);
    }

    /**
     * The first 20 s, five reads a second: the buckets are full, and no monitor has noticed. Part of the saved budget
     * is left.
     */
    @ParameterizedTest
    @EnumSource(names = {"HEDGED", "COOPERATIVE"})
    void outageLeavesMostOfTheSavedBudgetInItsFirstSeconds(Mode mode) {
        FleetSettings outage = FleetSettings.outage(100_000_000_000L);
        int extras = 0;
        for (int run = 0; run < 20; run++) {
            extras += FleetWorkload.reads(mode, outage, 500, 600, SEED + run).extras();
        }

        double mean = extras / 20.0;
        LOG.info(() -> "all slow, the first 100 reads of " + mode + ": " + mean + " extras in the mean of 20 runs");
        assertThat(mean).isLessThanOrEqualTo(5);
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void theSameSeedGivesTheSameFigures(Mode mode) {
        assertThat(FleetWorkload.storm(mode, 100, 10, 5, 3))
                .hasToString(FleetWorkload.storm(mode, 100, 10, 5, 3).toString());
    }

    private static void print(String workload, Figures figures) {
        LOG.info(() -> workload + ": " + figures);
    }
}
