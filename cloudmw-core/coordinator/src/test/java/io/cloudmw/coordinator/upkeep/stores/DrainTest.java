package io.cloudmw.coordinator.upkeep.stores;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.cloudmw.coordinator.testing.TestCluster;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.placement.PlannedChunk;
import io.cloudmw.core.status.DrainOrder;
import io.cloudmw.core.status.RepairProgress;
import io.cloudmw.core.status.StoreStatus;
import io.cloudmw.core.upkeep.TaskBatch;
import io.cloudmw.core.upkeep.TaskResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests of draining stores, over a catalog in memory with simulated helpers. */
final class DrainTest {
    private static final FilePath FILE = FilePath.parse("v:/f");
    private static final long MIB = 1 << 20;
    private static final StoreId D1 = new StoreId("d1");
    private TestCluster cluster;

    @BeforeEach
    void fiveHelpersAndAVolumeOfThreeReplicasOnFour() throws CloudMwException {
        cluster = new TestCluster();
        register();
        cluster.coordinator
                .administration()
                .createVolume(TestCluster.volume("v", 3, 1, "d1", "d2", "d3", "d4"), Optional.empty());
        pass(1);
    }

    private void register() throws CloudMwException {
        for (int number = 1; number <= 5; number++) {
            cluster.helper(number);
        }
    }

    private void pass(int seconds) throws CloudMwException {
        for (int i = 0; i < seconds; i++) {
            cluster.ticker.advance(Duration.ofSeconds(1));
            for (int number = 1; number <= 5; number++) {
                cluster.heartbeat(number);
            }
            cluster.coordinator.upkeep().tick();
        }
    }

    /** Lets every helper do up to {@code most} of its tasks; returns how many there were. */
    private int work(int most) throws CloudMwException {
        int done = 0;
        for (int number = 1; number <= 5; number++) {
            HelperId helper = new HelperId("h" + number);
            for (TaskBatch.Assignment given :
                    cluster.coordinator.upkeep().work(helper, List.of(), most).assignments()) {
                TaskResult result =
                        new TaskResult(given.number(), Optional.empty(), "", MIB, List.of(), Optional.empty());
                var unused = cluster.coordinator.upkeep().work(helper, List.of(result), 0);
                done++;
            }
        }
        return done;
    }

    private List<StoreId> order(boolean begins, String... stores) throws CloudMwException {
        return cluster.coordinator
                .upkeep()
                .drain(new DrainOrder(List.of(stores).stream().map(StoreId::new).toList(), Optional.empty(), begins));
    }

    private List<List<StoreId>> placed(FileVersion version) throws CloudMwException {
        List<List<StoreId>> stores = new ArrayList<>();
        for (PlannedChunk chunk : cluster.coordinator
                .reads()
                .segment(FILE, version.id(), 0, List.of(), false)
                .chunks()) {
            assertThat(chunk.bad()).isEmpty();
            stores.add(chunk.chunk().replicas());
        }
        return stores;
    }

    private Map<StoreId, Long> left() throws CloudMwException {
        return cluster.coordinator.upkeep().status().repair().left();
    }

    private boolean isShownDraining() throws CloudMwException {
        return cluster.coordinator.upkeep().status().stores().stream()
                .anyMatch(store -> store.id().equals(D1) && store.draining());
    }

    @Test
    void statusShowsAnOrderBeforeTheNextLookAndTheAgeOfItsCounts() throws CloudMwException {
        assertThat(isShownDraining()).isFalse();
        order(true, "d1");
        assertThat(isShownDraining()).isTrue();
        order(false, "d1");
        assertThat(isShownDraining()).isFalse();
        order(true, "d1");
        pass(10);
        assertThat(isShownDraining()).isTrue();
        long age = cluster.coordinator.upkeep().status().repair().countAgeMillis();
        assertThat(age).isNotEqualTo(RepairProgress.NOT_COUNTED);
        cluster.ticker.advance(Duration.ofSeconds(3));
        assertThat(cluster.coordinator.upkeep().status().repair().countAgeMillis())
                .isEqualTo(age + 3000);
    }

    @Test
    void copiesInADrainedStoreAreCopiedElsewhereAndOnlyThenDropped() throws CloudMwException {
        FileVersion version = cluster.put(FILE, 20 * MIB);
        long concerned =
                placed(version).stream().filter(stores -> stores.contains(D1)).count();
        assertThat(concerned).isPositive();
        assertThat(order(true, "d1")).containsExactly(D1);
        pass(10);
        assertThat(left()).isEqualTo(Map.of(D1, concerned));
        assertThat(cluster.coordinator.upkeep().status().repair().underReplicated())
                .isEmpty();
        int done = 0;
        for (int i = 0; i < 30 && done < concerned; i++) {
            done += work(1);
            long gone = done;
            assertThat(placed(version)).allSatisfy(stores -> assertThat(stores).hasSize(3));
            assertThat(placed(version).stream().filter(stores -> stores.contains(D1)))
                    .hasSize((int) (concerned - gone));
            pass(1);
        }
        pass(180);
        assertThat(left()).isEqualTo(Map.of(D1, 0L));
        assertThat(work(16)).isZero();
    }

    @Test
    void drainedStoreTakesNothingUntilTheDrainEnds() throws CloudMwException {
        order(true, "d1");
        assertThat(placed(cluster.put(FILE, 20 * MIB)))
                .allSatisfy(stores -> assertThat(stores).hasSize(3).doesNotContain(D1));
        order(false, "d1");
        assertThat(placed(cluster.put(FILE, 20 * MIB)))
                .anySatisfy(stores -> assertThat(stores).contains(D1));
        pass(10);
        assertThat(left()).isEmpty();
        assertThat(work(16)).isZero();
    }

    @Test
    void restartedCoordinatorContinues() throws CloudMwException {
        FileVersion version = cluster.put(FILE, 20 * MIB);
        order(true, "d1");
        pass(10);
        work(1);
        cluster.restart();
        register();
        for (int i = 0; i < 100; i++) {
            pass(2);
            work(16);
        }
        assertThat(placed(version))
                .allSatisfy(stores -> assertThat(stores).hasSize(3).doesNotContain(D1));
        assertThat(left()).isEqualTo(Map.of(D1, 0L));
    }

    @Test
    void drainThatWouldLeaveTooFewStoresIsRefused() throws CloudMwException {
        order(true, "d1");
        CloudMwException refusal = catchThrowableOfType(CloudMwException.class, () -> order(true, "d5", "d2"));
        assertThat(refusal.code()).isEqualTo(ErrorCode.NOT_ENOUGH_STORES);
        assertThat(refusal).hasMessageContaining("volume v: 2 stores would be left that are not drained");
        pass(10);
        assertThat(left()).containsOnlyKeys(D1);
        assertThat(order(true, "d5", "d1"))
                .as("one that no volume needs, and one again")
                .hasSize(2);
        assertThat(catchThrowableOfType(
                                CloudMwException.class,
                                () -> cluster.coordinator
                                        .administration()
                                        .createVolume(
                                                TestCluster.volume("w", 3, 1, "d1", "d2", "d3"), Optional.empty()))
                        .code())
                .isEqualTo(ErrorCode.NOT_ENOUGH_STORES);
    }

    @Test
    void helpersDisksAreDrainedTogetherAndUnknownOnesAreRefused() throws CloudMwException {
        assertThat(cluster.coordinator.upkeep().drain(new DrainOrder(List.of(), Optional.of(new HelperId("h1")), true)))
                .containsExactly(D1);
        assertThat(cluster.coordinator.administration().stores())
                .filteredOn(StoreStatus::draining)
                .extracting(status -> status.store().id())
                .containsExactly(D1);
        for (DrainOrder stranger : List.of(
                new DrainOrder(List.of(), Optional.of(new HelperId("nobody")), true),
                new DrainOrder(List.of(new StoreId("nothing")), Optional.empty(), true),
                new DrainOrder(List.of(), Optional.empty(), true))) {
            assertThat(catchThrowableOfType(
                                    CloudMwException.class,
                                    () -> cluster.coordinator.upkeep().drain(stranger))
                            .code())
                    .isEqualTo(ErrorCode.NOT_FOUND);
        }
    }
}
