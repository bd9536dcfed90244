package io.cloudmw.core.monitor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.monitor.sketch.CensoredSketch;
import io.cloudmw.core.monitor.sketch.Sketch;
import io.cloudmw.core.status.fleet.ExpectedSpeed;
import io.cloudmw.core.status.fleet.SizeClass;
import io.cloudmw.core.status.fleet.SpeedKey;
import io.cloudmw.core.testing.FakeTicker;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class FleetSpeedsTest {
    private static final HelperId H1 = new HelperId("h1");
    private static final HelperId H2 = new HelperId("h2");
    private static final StoreId EAST = new StoreId("east");
    private static final SpeedKey KEY = new SpeedKey(EAST, SizeClass.SMALL);

    private final FakeTicker time = new FakeTicker();
    private final FleetSpeeds fleet = new FleetSpeeds(time, 3);

    @Test
    void readersAddUpToTheirStoresSpeed() {
        fleet.report(H1, Map.of(KEY, speed(10, 30_000, 10)));
        fleet.report(H2, Map.of(KEY, speed(10, 90_000, 30)));

        Speed east = FleetSpeeds.totals(fleet.all()).stores().getOrDefault(EAST, Speed.UNKNOWN);
        assertThat(east.attempts()).isEqualTo(20);
        assertThat(east.baseline().samples()).isEqualTo(20);
        assertThat((double) east.baseline().quantile(0.5)).isCloseTo(30_000, within(1000.0));
        assertThat((double) east.baseline().quantile(0.51)).isCloseTo(90_000, within(3000.0));
        assertThat(east.errors()).containsEntry(ErrorCode.STORE_UNAVAILABLE, 2.0);
        assertThat(FleetSpeeds.totals(fleet.all()).readers()).containsOnlyKeys(H1, H2);
    }

    @Test
    void aReportReplacesTheLastAndAges() {
        fleet.report(H1, Map.of(KEY, speed(64, 30_000, 10)));
        fleet.report(H1, Map.of(KEY, speed(16, 70_000, 10)));
        time.advance(Duration.ofSeconds(Speed.BASELINE_SECONDS));

        Speed aged = fleet.all().get(0).speed();
        assertThat(aged.baseline().samples()).isEqualTo(8);
        assertThat(aged.attempts()).isCloseTo(8, within(0.01));
        assertThat(aged.recent().samples()).isZero();
    }

    @Test
    void theReportThatCameLongestAgoMakesRoom() {
        fleet.report(H1, Map.of(KEY, Speed.UNKNOWN));
        fleet.report(H2, Map.of(KEY, Speed.UNKNOWN));
        fleet.report(H2, Map.of(new SpeedKey(EAST, SizeClass.TINY), Speed.UNKNOWN));
        fleet.report(H1, Map.of(KEY, Speed.UNKNOWN));
        fleet.report(H1, Map.of(new SpeedKey(EAST, SizeClass.LARGE), Speed.UNKNOWN));
        assertThat(fleet.all()).hasSize(3);
        assertThat(fleet.all().get(0).key().size()).isEqualTo(SizeClass.TINY);
    }

    @Test
    void bookFallsBackToTheNearestKnownSpeed() {
        fleet.report(H1, Map.of(KEY, speed(20, 30_000, 10)));
        fleet.report(H2, Map.of(KEY, speed(20, 300_000, 10)));
        fleet.report(H2, Map.of(new SpeedKey(EAST, SizeClass.TINY), speed(2, 5, 10)));

        SpeedBook book = new SpeedBook(fleet.expected(List.of(H1), List.of(EAST)));

        assertThat(millis(book.of(H1, EAST, 4 << 20))).isCloseTo(30, within(1.0));
        assertThat(millis(book.of(H1, EAST, 1L << 40))).as("another size").isCloseTo(30, within(1.0));
        assertThat(book.of(H2, EAST, 100)).as("not of interest: anybody's").isEqualTo(book.of(EAST, 100));
        assertThat(book.of(EAST, 100).firstByteP95Nanos()).isGreaterThan(290_000_000);
        assertThat(book.of(new StoreId("west"), 100)).isEqualTo(ExpectedSpeed.DEFAULT);
        assertThat(book.entries()).as("two samples are none").hasSize(2);
    }

    @Test
    void speedsOfAStoreAreComputedOnceASecondForAllPlans() {
        fleet.report(H1, Map.of(KEY, speed(20, 30_000, 10)));
        List<SpeedEntry> before = fleet.expected(List.of(H1), List.of(EAST));
        fleet.report(H1, Map.of(KEY, speed(20, 300_000, 10)));
        time.advance(FleetSpeeds.FRESH.minusNanos(1));
        assertThat(fleet.expected(List.of(H1), List.of(EAST)).get(0)).isSameAs(before.get(0));

        time.advance(Duration.ofNanos(1));
        SpeedBook book = new SpeedBook(fleet.expected(List.of(H1), List.of(EAST)));
        assertThat(millis(book.of(H1, EAST, 4 << 20))).isCloseTo(300, within(10.0));
        assertThat(millis(book.of(EAST, 4 << 20))).isCloseTo(300, within(10.0));
    }

    @Test
    void unreportedStoresTakeNoMoreRoomThanReports() {
        for (int i = 0; i < 100; i++) {
            assertThat(fleet.expected(List.of(H1), List.of(new StoreId("s" + i))))
                    .isEmpty();
            assertThat(fleet.outlooks()).isLessThanOrEqualTo(3);
        }
    }

    @Test
    void droppedReportsGiveNoExpectedSpeed() {
        fleet.report(H1, Map.of(KEY, speed(20, 30_000, 10)));
        StoreId west = new StoreId("west");
        for (SizeClass size : List.of(SizeClass.TINY, SizeClass.SMALL, SizeClass.LARGE)) {
            fleet.report(H2, Map.of(new SpeedKey(west, size), speed(20, 30_000, 10)));
        }

        assertThat(fleet.expected(List.of(H1), List.of(EAST))).isEmpty();
        assertThat(fleet.expected(List.of(H1), List.of(west))).as("anybody's").hasSize(3);
    }

    @Test
    void aBookIsBounded() {
        SpeedEntry line = new SpeedEntry(Optional.empty(), KEY, ExpectedSpeed.DEFAULT);
        assertThat(new SpeedBook(java.util.Collections.nCopies(5000, line)).entries())
                .hasSize(SpeedBook.MAX_ENTRIES);
    }

    @Test
    void theExpectedTimeOfAReadGrowsWithItsLengthAndFailures() {
        ExpectedSpeed sound = new ExpectedSpeed(10_000_000, 20_000_000, 30_000_000, 1 << 20, 1, 0, 1, 9);
        assertThat(sound.expectedNanos(2 << 20)).isEqualTo(2_010_000_000L);
        ExpectedSpeed failing = new ExpectedSpeed(10_000_000, 20_000_000, 30_000_000, 1 << 20, 1, 0.5, 1, 9);
        assertThat(failing.expectedNanos(0)).isEqualTo(25_000_000);
    }

    private static double millis(ExpectedSpeed speed) {
        return speed.firstByteP50Nanos() / 1e6;
    }

    private static Speed speed(int reads, long firstByteMicros, int mibPerSecond) {
        long[] waits = new long[reads];
        Arrays.fill(waits, firstByteMicros);
        long[] rates = new long[reads];
        Arrays.fill(rates, mibPerSecond * 1024L);
        CensoredSketch sketch = new CensoredSketch(Sketch.ofSamples(waits), Sketch.EMPTY);
        return new Speed(
                sketch,
                sketch,
                Sketch.ofSamples(rates),
                reads,
                Map.of(ErrorCode.STORE_UNAVAILABLE, 1.0),
                reads,
                reads * 1e6);
    }
}
