package io.cloudmw.core.monitor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.metrics.MonitorMetrics;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.status.fleet.SizeClass;
import io.cloudmw.core.status.fleet.SpeedKey;
import io.cloudmw.core.testing.FakeTicker;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class SpeedMonitorTest {
    private static final StoreId EAST = new StoreId("east");
    private static final long MIB = 1 << 20;

    private final FakeTicker time = new FakeTicker();
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final SpeedMonitor monitor = new SpeedMonitor(time, 4, new MonitorMetrics(meters));

    @Test
    void aReadGivesItsFirstByteAndItsThroughput() {
        ReadProbe probe = monitor.read(EAST, 10 * MIB);
        time.advance(Duration.ofMillis(30));
        probe.arrived(MIB);
        time.advance(Duration.ofMillis(450));
        probe.arrived(9 * MIB);
        probe.ended();

        Speed speed = speed(SizeClass.MEDIUM);
        assertThat((double) speed.baseline().quantile(0.5)).isCloseTo(30_000, within(1000.0));
        assertThat((double) speed.rate().quantile(0.5)).isCloseTo(20 * 1024, within(700.0));
        assertThat(speed.attempts()).isCloseTo(1, within(0.01));
        assertThat(speed.errorShare()).isZero();
        assertThat(speed.recentBytes()).isCloseTo(10 * MIB, within(0.05 * MIB));
    }

    @Test
    void bytesAfterAPauseOfTheReaderHaveNoThroughput() {
        ReadProbe probe = monitor.read(EAST, 10 * MIB);
        probe.asked();
        probe.arrived(MIB);
        time.advance(Duration.ofMillis(100));
        probe.arrived(2 * MIB);
        time.advance(Duration.ofSeconds(5));
        probe.asked();
        probe.arrived(7 * MIB);
        time.advance(Duration.ofSeconds(1));
        probe.ended();

        Speed speed = speed(SizeClass.MEDIUM);
        assertThat((double) speed.rate().quantile(0.5)).isCloseTo(20 * 1024, within(700.0));
        assertThat(speed.recentBytes()).isCloseTo(10 * MIB, within(6.0 * MIB));
    }

    @Test
    void aCancelledReadHasWaitedAtLeastSoLong() {
        ReadProbe probe = monitor.read(EAST, 100);
        time.advance(Duration.ofMillis(80));
        probe.ended();

        Speed speed = speed(SizeClass.TINY);
        assertThat(speed.baseline().ended().isEmpty()).isTrue();
        assertThat((double) speed.baseline().quantile(0.5)).isCloseTo(80_000, within(2600.0));
    }

    @Test
    void aStreamThatStoodStillWasSlowHoweverLittleCame() {
        ReadProbe probe = monitor.read(EAST, 100 * MIB);
        probe.arrived(MIB);
        time.advance(Duration.ofSeconds(5));
        probe.ended();
        assertThat(speed(SizeClass.LARGE).rate().quantile(0.5)).isEqualTo(1);
    }

    @Test
    void aShortReadSaysNothingOfThroughput() {
        ReadProbe probe = monitor.read(EAST, 2000);
        probe.arrived(1000);
        time.advance(Duration.ofMillis(1));
        probe.arrived(1000);
        probe.ended();
        assertThat(speed(SizeClass.TINY).rate().isEmpty()).isTrue();
    }

    @Test
    void failuresAreCountedByCodeAndCancellingIsNone() {
        monitor.read(EAST, 1).failed(ErrorCode.STORE_UNAVAILABLE);
        monitor.read(EAST, 1).failed(ErrorCode.CANCELLED);
        ReadProbe over = monitor.read(EAST, 1);
        over.ended();
        over.failed(ErrorCode.STORE_DENIED);

        Speed speed = speed(SizeClass.TINY);
        assertThat(speed.errors()).containsOnlyKeys(ErrorCode.STORE_UNAVAILABLE);
        assertThat(speed.errorShare()).isCloseTo(1.0 / 3, within(0.01));
    }

    @Test
    void theRecentMedianMovesBeforeTheBaseline() {
        for (int i = 0; i < 200; i++) {
            wait(Duration.ofMillis(20));
            time.advance(Duration.ofSeconds(1));
        }
        assertThat(speed(SizeClass.TINY).medianShift()).isCloseTo(1, within(0.05));
        for (int i = 0; i < 40; i++) {
            wait(Duration.ofMillis(200));
            time.advance(Duration.ofSeconds(1));
        }
        assertThat(speed(SizeClass.TINY).medianShift()).isCloseTo(10, within(0.7));
        time.advance(Duration.ofMinutes(10));
        assertThat(speed(SizeClass.TINY).medianShift()).as("nothing recent").isEqualTo(1);
    }

    @Test
    void anOutageInWhichEverythingIsCutMovesTheMedianToo() {
        for (int i = 0; i < 100; i++) {
            wait(Duration.ofMillis(20));
            time.advance(Duration.ofSeconds(1));
        }
        for (int i = 0; i < 40; i++) {
            ReadProbe probe = monitor.read(EAST, 1);
            time.advance(Duration.ofSeconds(1));
            probe.ended();
        }
        assertThat(speed(SizeClass.TINY).medianShift()).isGreaterThan(10);
    }

    @Test
    void theKeyNotReadForLongestIsForgotten() {
        for (String store : new String[] {"a", "b", "c", "d", "a", "e"}) {
            monitor.read(new StoreId(store), 1).ended();
        }
        assertThat(monitor.speeds().keySet())
                .extracting(key -> key.store().value())
                .containsExactlyInAnyOrder("a", "c", "d", "e");
        assertThat(meters.get(MonitorMetrics.KEYS).gauge().value()).isEqualTo(4);
        assertThat(meters.get(MonitorMetrics.EVICTED).counter().count()).isEqualTo(1);
    }

    @Test
    void speedsAreReportedOnceAndOldestFirst() {
        monitor.read(new StoreId("a"), 1).ended();
        monitor.read(new StoreId("b"), 1).ended();
        SpeedMonitor.News first = monitor.news(1);
        assertThat(first.speeds().keySet())
                .extracting(key -> key.store().value())
                .containsExactly("a");
        assertThat(monitor.news(9).speeds()).as("not told yet").hasSize(2);

        first.received();
        assertThat(monitor.news(1).speeds().keySet())
                .extracting(key -> key.store().value())
                .containsExactly("b");
        monitor.news(9).received();
        assertThat(monitor.news(9).speeds()).isEmpty();

        SpeedMonitor.News late = monitor.news(9);
        monitor.read(new StoreId("a"), 1).ended();
        late.received();
        assertThat(monitor.news(9).speeds()).hasSize(1);
        monitor.tellAgain();
        assertThat(monitor.news(9).speeds()).hasSize(2);
    }

    /** A key that is read all the time changes again before it is reported, and was last read most recently. */
    @Test
    void speedOfABusyStoreIsReportedAsOftenAsOthers() {
        List<String> told = new ArrayList<>();
        for (int round = 0; round < 4; round++) {
            for (String store : new String[] {"b", "c", "d", "busy"}) {
                monitor.read(new StoreId(store), 1).ended();
            }
            SpeedMonitor.News news = monitor.news(1);
            news.speeds().keySet().forEach(key -> told.add(key.store().value()));
            news.received();
        }
        assertThat(told).containsExactlyInAnyOrder("b", "c", "d", "busy");
    }

    private void wait(Duration firstByte) {
        ReadProbe probe = monitor.read(EAST, 1);
        time.advance(firstByte);
        probe.arrived(1);
        probe.ended();
    }

    private Speed speed(SizeClass size) {
        return monitor.speeds().getOrDefault(new SpeedKey(EAST, size), Speed.UNKNOWN);
    }
}
