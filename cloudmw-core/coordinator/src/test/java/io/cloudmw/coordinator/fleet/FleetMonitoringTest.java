package io.cloudmw.coordinator.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.cloudmw.coordinator.testing.TestCluster;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.monitor.Speed;
import io.cloudmw.core.monitor.SpeedBook;
import io.cloudmw.core.monitor.sketch.CensoredSketch;
import io.cloudmw.core.monitor.sketch.Sketch;
import io.cloudmw.core.status.fleet.ExpectedSpeed;
import io.cloudmw.core.status.fleet.FleetView;
import io.cloudmw.core.status.fleet.HedgeCounts;
import io.cloudmw.core.status.fleet.HelperActivity;
import io.cloudmw.core.status.fleet.SizeClass;
import io.cloudmw.core.status.fleet.SpeedKey;
import java.util.Map;
import java.util.Optional;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

final class FleetMonitoringTest {
    @Test
    void reportsOfHelpersAreShownByStoreAndByHelper() throws Exception {
        TestCluster cluster = new TestCluster();
        HelperAddress h1 = cluster.helper(1);
        HelperAddress h2 = cluster.helper(2);
        StoreId disk = TestCluster.disk(1).id();
        FleetMonitoring monitoring = cluster.coordinator.monitoring();
        HelperActivity busy = new HelperActivity(2, 9, 5, 3, 1, 100, 50, HedgeCounts.NONE);
        SpeedKey key = new SpeedKey(disk, SizeClass.TINY);
        monitoring.heard(h1.id(), Map.of(key, speed(20_000)), busy);
        monitoring.heard(h2.id(), Map.of(key, speed(60_000)), HelperActivity.NONE);

        FleetView view = monitoring.view();

        assertThat(view.helpers()).extracting(FleetView.OfHelper::id).contains(h1.id(), h2.id());
        assertThat(view.helpers()).anySatisfy(row -> {
            assertThat(row.activity()).isEqualTo(busy);
            assertThat(row.speed().expected().firstByteP95Nanos() / 1e6).isCloseTo(20, within(1.0));
        });
        assertThat(view.stores()).anySatisfy(row -> {
            assertThat(row.id()).isEqualTo(disk);
            assertThat(row.speed().expected().samples()).isEqualTo(40);
            assertThat(row.speed().expected().firstByteP95Nanos() / 1e6).isCloseTo(60, within(2.0));
        });
        assertThat(view.stores())
                .filteredOn(row -> !row.id().equals(disk))
                .allSatisfy(row -> assertThat(row.speed().expected().isKnown()).isFalse());
    }

    @Test
    void speedsOfEachHelperAndStoreAreShownBySize() throws Exception {
        TestCluster cluster = new TestCluster();
        HelperId h1 = cluster.helper(1).id();
        SpeedKey tiny = new SpeedKey(TestCluster.disk(1).id(), SizeClass.TINY);
        SpeedKey large = new SpeedKey(TestCluster.disk(1).id(), SizeClass.LARGE);
        FleetMonitoring monitoring = cluster.coordinator.monitoring();
        monitoring.heard(h1, Map.of(tiny, Speed.UNKNOWN, large, speed(20_000)), HelperActivity.NONE);

        FleetView view = monitoring.view();

        assertThat(view.pairs()).extracting(FleetView.OfPair::key).containsExactly(large, tiny);
        assertThat(view.pairs().get(0).speed().expected().samples()).isEqualTo(20);
        assertThat(view.pairs().get(0).speed().streamBytesPerSecond())
                .as("nothing long was read")
                .isZero();
        assertThat(view.pairsLeftOut()).isZero();

        for (int i = 0; i < FleetView.MAX_PAIRS; i++) {
            SpeedKey other = new SpeedKey(new StoreId("other-" + i), SizeClass.TINY);
            monitoring.heard(h1, Map.of(other, Speed.UNKNOWN), HelperActivity.NONE);
        }
        assertThat(monitoring.view().pairs()).hasSize(FleetView.MAX_PAIRS);
        assertThat(monitoring.view().pairs().get(0).key()).isEqualTo(large);
        assertThat(monitoring.view().pairsLeftOut()).isEqualTo(2);
    }

    @Test
    void planContainsTheExpectedSpeedsOfItsStores() throws Exception {
        TestCluster cluster = new TestCluster().withVolume(1);
        FilePath file = FilePath.parse("v:/f");
        cluster.put(file, 100);
        HelperId h1 = new HelperId("h1");
        StoreId disk = TestCluster.disk(1).id();
        SpeedKey key = new SpeedKey(disk, SizeClass.TINY);
        FleetMonitoring monitoring = cluster.coordinator.monitoring();
        monitoring.heard(h1, Map.of(key, speed(20_000)), HelperActivity.NONE);
        SpeedKey elsewhere = new SpeedKey(new StoreId("elsewhere"), SizeClass.TINY);
        monitoring.heard(h1, Map.of(elsewhere, speed(20_000)), HelperActivity.NONE);

        SpeedBook book = cluster.coordinator
                .reads()
                .plan(file, Optional.empty(), Optional.empty())
                .speeds();

        assertThat(book.of(h1, disk, 100).firstByteP50Nanos() / 1e6).isCloseTo(20, within(1.0));
        assertThat(book.of(h1, TestCluster.disk(2).id(), 100)).isEqualTo(ExpectedSpeed.DEFAULT);
        assertThat(book.entries()).extracting(entry -> entry.key().store()).containsOnly(disk);
    }

    @Test
    void absentHelpersMakeRoom() throws Exception {
        TestCluster cluster = new TestCluster();
        cluster.helper(1);
        FleetMonitoring monitoring = cluster.coordinator.monitoring();
        for (int i = 0; i < 2 * HelperRegistry.MAX_HELPERS; i++) {
            monitoring.heard(new HelperId("gone-" + i), Map.of(), HelperActivity.NONE);
        }
        assertThat(monitoring.view().helpers()).hasSize(1);
    }

    private static Speed speed(long micros) {
        CensoredSketch waits = new CensoredSketch(
                Sketch.ofSamples(LongStream.range(0, 20).map(i -> micros).toArray()), Sketch.EMPTY);
        return new Speed(waits, waits, Sketch.EMPTY, 20, Map.of(), 20, 0);
    }
}
