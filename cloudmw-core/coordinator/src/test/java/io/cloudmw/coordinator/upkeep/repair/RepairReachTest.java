package io.cloudmw.coordinator.upkeep.repair;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.coordinator.Administration;
import io.cloudmw.coordinator.fleet.HeartbeatReport;
import io.cloudmw.coordinator.testing.TestCluster;
import io.cloudmw.core.access.StoreFault;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.chunk.ReplicaReport;
import io.cloudmw.core.model.chunk.ReplicaState;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.status.MissingHelper;
import io.cloudmw.core.status.RepairObstacle;
import io.cloudmw.core.status.RepairProgress;
import io.cloudmw.core.upkeep.Task;
import io.cloudmw.core.upkeep.TaskBatch;
import io.cloudmw.core.upkeep.TaskResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests that copies are planned only where a helper can use source and target together; helpers are simulated. */
final class RepairReachTest {
    private static final FilePath FILE = FilePath.parse("v:/f");
    private static final long MIB = 1 << 20;
    private static final int CHUNKS = 24;
    private static final StoreId A = new StoreId("a");
    private static final StoreId B = new StoreId("b");
    private static final StoreId C = new StoreId("c");

    private final Map<HelperId, Long> epochs = new HashMap<>();
    private final Map<HelperId, Map<StoreId, StoreFault>> faults = new HashMap<>();
    private TestCluster cluster;
    private FileVersion version;

    @BeforeEach
    void twoHelpersAndAFileInThreeBuckets() throws CloudMwException {
        cluster = new TestCluster();
        for (int number = 1; number <= 2; number++) {
            HelperAddress helper = new HelperAddress(id(number), "127.0.0.1:" + number, "127.0.0.1:1" + number);
            epochs.put(
                    helper.id(),
                    administration().registerHelper(helper, 1, List.of()).epoch());
        }
        for (StoreId bucket : List.of(A, B, C)) {
            administration().addStore(TestCluster.bucket(bucket.value()), false, Optional.empty());
        }
        administration().createVolume(TestCluster.volume("v", 2, 1, "a", "b", "c"), Optional.empty());
        version = cluster.put(FILE, CHUNKS * MIB);
    }

    private Administration administration() {
        return cluster.coordinator.administration();
    }

    private static HelperId id(int number) {
        return new HelperId("h" + number);
    }

    /** Limits the stores that the helper can use from now on. */
    private void uses(int helper, StoreId... stores) {
        Map<StoreId, StoreFault> lacking = new HashMap<>();
        for (StoreId store : List.of(A, B, C)) {
            if (!List.of(stores).contains(store)) {
                lacking.put(store, new StoreFault(StoreFault.Kind.NO_CREDENTIALS, "no credentials here", 5));
            }
        }
        faults.put(id(helper), lacking);
    }

    /** Advances time; both helpers report in heartbeats which stores they cannot use. */
    private void pass(Duration time) throws CloudMwException {
        for (Duration left = time; !left.isNegative() && !left.isZero(); left = left.minusSeconds(1)) {
            cluster.ticker.advance(Duration.ofSeconds(1));
            for (Map.Entry<HelperId, Long> helper : epochs.entrySet()) {
                boolean unused = administration()
                        .heartbeat(
                                helper.getKey(),
                                helper.getValue(),
                                new HeartbeatReport(List.of(), faults.getOrDefault(helper.getKey(), Map.of())));
            }
            cluster.coordinator.upkeep().tick();
        }
    }

    /** Lets both helpers make their copies; returns those. */
    private List<Task.Copy> work() throws CloudMwException {
        List<Task.Copy> done = new ArrayList<>();
        for (int helper = 1; helper <= 2; helper++) {
            List<TaskBatch.Assignment> given = cluster.coordinator
                    .upkeep()
                    .work(id(helper), List.of(), 100)
                    .assignments();
            for (TaskBatch.Assignment one : given) {
                if (!(one.task() instanceof Task.Copy copy)) {
                    continue;
                }
                done.add(copy);
                TaskBatch unused = cluster.coordinator
                        .upkeep()
                        .work(
                                id(helper),
                                List.of(new TaskResult(
                                        one.number(), Optional.empty(), "", MIB, List.of(), Optional.empty())),
                                0);
            }
        }
        return done;
    }

    private List<Task.Copy> workAll() throws CloudMwException {
        List<Task.Copy> done = new ArrayList<>();
        List<Task.Copy> last = work();
        while (!last.isEmpty()) {
            done.addAll(last);
            last = work();
        }
        return done;
    }

    /** Damages the second copy of chunks in both stores; returns how many there are. */
    private long spoiled(StoreId kept, StoreId bad) throws CloudMwException {
        long spoiled = 0;
        for (Chunk chunk : cluster.segment(version.id(), 0)) {
            if (chunk.replicas().containsAll(List.of(kept, bad))) {
                cluster.catalog.report(
                        List.of(new ReplicaReport(chunk.id(), bad, ReplicaState.CORRUPT)), cluster.now());
                spoiled++;
            }
        }
        assertThat(spoiled).isPositive();
        return spoiled;
    }

    private RepairProgress progress() throws CloudMwException {
        return cluster.coordinator.upkeep().status().repair();
    }

    /** Regression: copies to the preferred store were planned, dropped, and planned again for ever. */
    @Test
    void copyGoesToAStoreThatAHelperCanUseTogetherWithASource() throws CloudMwException {
        uses(1, A, C);
        uses(2, B);
        pass(Duration.ofSeconds(2));
        long bad = spoiled(A, B);
        pass(Duration.ofSeconds(6));
        List<Task.Copy> done = workAll();
        assertThat(done)
                .hasSize((int) bad)
                .allSatisfy(copy -> assertThat(copy.store().id()).isEqualTo(C));
        pass(Duration.ofMinutes(1));
        assertThat(progress().underReplicated()).isEmpty();
        assertThat(progress().obstacles()).isEmpty();
    }

    @Test
    void copyThatNoHelperCanMakeIsReportedAndPlannedWhenOneCan() throws CloudMwException {
        uses(1, A);
        uses(2, B, C);
        pass(Duration.ofSeconds(2));
        long bad = spoiled(A, B);
        for (int second = 0; second < 60; second++) {
            pass(Duration.ofSeconds(1));
            assertThat(cluster.coordinator.upkeep().status().waitingTasks())
                    .as("nothing is planned that nobody can do")
                    .isZero();
            assertThat(work()).isEmpty();
        }
        assertThat(progress().obstacles()).isEqualTo(Map.of(RepairObstacle.NO_HELPER, bad));
        assertThat(progress().awaited()).isEqualTo(Map.of(new MissingHelper(List.of(A), List.of(B, C)), bad));

        uses(2, A, B, C);
        pass(Duration.ofSeconds(12));
        assertThat(workAll()).hasSize((int) bad);
        pass(Duration.ofMinutes(1));
        assertThat(progress().obstacles()).isEmpty();
        assertThat(progress().awaited()).isEmpty();
    }

    /** A full pass, caused by a drained store, is repeated as soon as a helper can make the copies it found. */
    @Test
    void findingsOfAFullPassAreCopiedSoonAfterAHelperCan() throws CloudMwException {
        uses(1, A);
        uses(2, B, C);
        pass(Duration.ofSeconds(2));
        administration().loseStore(B, Optional.empty());
        pass(Duration.ofSeconds(30));
        long waiting = progress().obstacles().getOrDefault(RepairObstacle.NO_HELPER, 0L);
        assertThat(waiting).as("chunks with one copy left").isPositive();
        List<Task.Copy> unused = workAll();

        uses(2, A, C);
        pass(Duration.ofSeconds(12));
        assertThat(workAll()).hasSize((int) waiting);
    }
}
