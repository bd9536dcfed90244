package io.cloudmw.lab.torture;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.status.RepairObstacle;
import io.cloudmw.core.status.RepairProgress;
import io.cloudmw.core.status.ScrubProgress;
import io.cloudmw.core.status.StoreCandidate;
import io.cloudmw.core.status.StoreCondition;
import io.cloudmw.core.status.UpkeepStatus;
import io.cloudmw.core.status.collect.CollectProgress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

final class ReplicationCheckTest {
    private static final StoreId LOST = new StoreId("disk-2");

    private final ReplicationCheck replication = new ReplicationCheck(Optional.of(LOST));

    private static UpkeepStatus status(boolean lost, long passes, long lacking, long awaited) {
        Map<Integer, Long> few = lacking == 0 ? Map.of() : Map.of(2, lacking);
        return new UpkeepStatus(
                List.of(condition("disk-1", false), condition(LOST.value(), lost)),
                List.of(),
                new RepairProgress(
                        new TreeMap<>(few),
                        Map.of(RepairObstacle.AWAITED, awaited),
                        new TreeMap<>(),
                        passes,
                        false,
                        0,
                        0,
                        0,
                        0),
                ScrubProgress.NONE,
                CollectProgress.NONE,
                0,
                0);
    }

    private static StoreCondition condition(String id, boolean lost) {
        Store store = new Store(new StoreId(id), id, new Store.Disk(new HelperId("h"), Path.of("/d")));
        return new StoreCondition(new StoreCandidate(store, "", 1), 1, !lost, Duration.ZERO, lost, false);
    }

    @Test
    void checkBeforeTheLossDoesNotCount() {
        assertThat(replication.isFull(status(false, 10, 0, 0))).isFalse();
        assertThat(replication.isFull(status(false, 20, 0, 0))).isFalse();
        assertThat(replication.isFull(status(true, 20, 0, 0))).isFalse();
        assertThat(replication.isFull(status(true, 21, 0, 0))).isFalse();
        assertThat(replication.isFull(status(true, 22, 0, 0))).isTrue();
    }

    @Test
    void missingReplicasAreAwaitedUnlessAWriterIsAboutToMakeThem() {
        assertThat(replication.isFull(status(true, 1, 0, 0))).isFalse();
        assertThat(replication.isFull(status(true, 3, 7, 2))).isFalse();
        assertThat(replication.isFull(status(true, 4, 2, 2))).isTrue();
    }

    @Test
    void checkBeginsAgainWhenTheCoordinatorRestarts() {
        assertThat(replication.isFull(status(true, 30, 0, 0))).isFalse();
        assertThat(replication.isFull(status(false, 0, 0, 0))).isFalse();
        assertThat(replication.isFull(status(true, 31, 0, 0))).isFalse();
        assertThat(replication.isFull(status(true, 32, 0, 0))).isFalse();
        assertThat(replication.isFull(status(true, 1, 0, 0))).isFalse();
        assertThat(replication.isFull(status(true, 2, 0, 0))).isFalse();
        assertThat(replication.isFull(status(true, 3, 0, 0))).isTrue();
    }

    @Test
    void onePassOfACoordinatorThatTookOverSinceTheLossSuffices() {
        assertThat(replication.isFull(status(true, 31, 0, 0))).isFalse();
        assertThat(replication.isFull(status(true, 0, 0, 0))).isFalse();
        assertThat(replication.isFull(status(true, 1, 0, 0))).isTrue();
    }

    @Test
    void checkWithoutALossSucceedsAfterFullPasses() {
        ReplicationCheck whole = new ReplicationCheck(Optional.empty());
        assertThat(whole.isFull(status(false, 5, 0, 0))).isFalse();
        assertThat(whole.isFull(status(false, 7, 1, 0))).isFalse();
        assertThat(whole.isFull(status(false, 8, 0, 0))).isTrue();
    }
}
