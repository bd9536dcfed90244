package io.cloudmw.coordinator.upkeep.scrub;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.coordinator.testing.TestCluster;
import io.cloudmw.coordinator.upkeep.schedule.UpkeepOptions;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.chunk.ReplicaReport;
import io.cloudmw.core.model.chunk.ReplicaState;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.status.ScrubProgress;
import io.cloudmw.core.upkeep.Task;
import io.cloudmw.core.upkeep.TaskBatch;
import io.cloudmw.core.upkeep.TaskResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests of scrubbing, over a catalog in memory with simulated helpers and time. */
final class ScrubberTest {
    private static final FilePath FILE = FilePath.parse("v:/f");
    private static final long MIB = 1 << 20;
    private static final Duration EVERY = UpkeepOptions.defaults().scrubEvery();
    private static final long RATE = UpkeepOptions.defaults().scrubBytesPerSecond();

    private final Set<Integer> alive = new TreeSet<>(Set.of(1, 2, 3));
    private final Map<String, Integer> looked = new HashMap<>();
    private TestCluster cluster;

    @BeforeEach
    void threeHelpersAndAVolumeOfThreeReplicas() throws CloudMwException {
        cluster = new TestCluster().withVolume(1);
        second();
    }

    /** Advances time by a second; live helpers renew their leases, and upkeep runs. */
    private void second() throws CloudMwException {
        cluster.ticker.advance(Duration.ofSeconds(1));
        for (int number : alive) {
            cluster.heartbeat(number);
        }
        cluster.coordinator.upkeep().tick();
    }

    /** Lets the next round be due at once. */
    private void due() throws CloudMwException {
        cluster.ticker.advance(EVERY);
        for (int number : alive) {
            cluster.helper(number);
        }
        cluster.coordinator.upkeep().tick();
    }

    private List<TaskBatch.Assignment> asked(int helper) throws CloudMwException {
        List<TaskBatch.Assignment> all = new ArrayList<>();
        List<TaskBatch.Assignment> some;
        do {
            some = cluster.coordinator
                    .upkeep()
                    .work(new HelperId("h" + helper), List.of(), 100)
                    .assignments();
            all.addAll(some);
        } while (!some.isEmpty());
        return all;
    }

    private void report(int helper, long task, Optional<ErrorCode> failure, ReplicaReport... faults)
            throws CloudMwException {
        TaskResult result = new TaskResult(task, failure, "", MIB, List.of(faults), Optional.empty());
        var unused = cluster.coordinator.upkeep().work(new HelperId("h" + helper), List.of(result), 0);
    }

    /** Lets every helper do its tasks; returns how many copies were read. */
    private int work() throws CloudMwException {
        int done = 0;
        for (int helper : alive) {
            for (TaskBatch.Assignment given : asked(helper)) {
                if (given.task() instanceof Task.Verify) {
                    looked.merge(given.task().about(), 1, Integer::sum);
                    done++;
                }
                report(helper, given.number(), Optional.empty());
            }
        }
        return done;
    }

    private ScrubProgress progress() throws CloudMwException {
        return cluster.coordinator.upkeep().status().scrub();
    }

    @Test
    void roundVerifiesEveryCopyOnceAndTheNextBeginsWhenItIsDue() throws CloudMwException {
        cluster.put(FILE, 40 * MIB);
        cluster.put(FilePath.parse("v:/empty"), 0);
        for (int i = 0; i < 10; i++) {
            second();
            assertThat(work()).as("before the first round is due").isZero();
        }
        due();
        while (progress().underWay()) {
            work();
            second();
        }
        assertThat(looked)
                .hasSize(3 * 40)
                .allSatisfy((copy, times) -> assertThat(times).isOne());
        assertThat(progress().rounds()).isOne();
        assertThat(progress().verified()).isEqualTo(3 * 40);
        assertThat(progress().verifiedBytes()).isEqualTo(3 * 40 * MIB);
        for (int i = 0; i < 10; i++) {
            second();
            assertThat(work()).as("between rounds").isZero();
        }
        due();
        second();
        assertThat(progress().underWay()).isTrue();
    }

    /** However fast the helpers are, a store is read at its rate plus a burst, and not much less. */
    @Test
    void storeIsReadNoFasterThanTheRateAllows() throws CloudMwException {
        int chunks = 400;
        cluster.put(FILE, chunks * MIB);
        due();
        int seconds = 0;
        long perStore = 0;
        while (progress().underWay()) {
            second();
            seconds++;
            assertThat(seconds).isLessThan(100);
            perStore += work() / 3;
            assertThat(perStore * MIB).isLessThanOrEqualTo((seconds + 6) * RATE);
        }
        assertThat((seconds - 6) * RATE).isLessThanOrEqualTo(chunks * MIB);
    }

    @Test
    void slowHelperGetsALimitedNumberOfTasksAtOnce() throws CloudMwException {
        for (int i = 0; i < 300; i++) {
            cluster.put(FilePath.parse("v:/small" + i), 1);
        }
        due();
        for (int i = 0; i < 60; i++) {
            second();
        }
        // The rest are listings of each store, since the collector's round is due, too.
        assertThat(cluster.coordinator.upkeep().status().waitingTasks()).isEqualTo(3 * (128 + 1));
    }

    @Test
    void badCopyIsRecordedAndMadeAgain() throws CloudMwException {
        FileVersion version = cluster.put(FILE, 1);
        ChunkId chunk = new ChunkId(version.id(), 0);
        due();
        second();
        for (TaskBatch.Assignment given : asked(1)) {
            report(
                    1,
                    given.number(),
                    Optional.empty(),
                    new ReplicaReport(chunk, given.task().store().id(), ReplicaState.CORRUPT));
        }
        work();
        second();
        assertThat(progress().bad()).isOne();
        assertThat(progress().verified()).isEqualTo(2);
        assertThat(cluster.coordinator.names().stat(FILE).underReplicatedChunks())
                .isOne();
        for (int i = 0; i < 10; i++) {
            second();
            work();
        }
        assertThat(cluster.coordinator.names().stat(FILE).underReplicatedChunks())
                .isZero();
    }

    @Test
    void unreadableCopyIsSkipped() throws CloudMwException {
        cluster.put(FILE, 8 * MIB);
        alive.remove(3);
        due();
        while (progress().underWay()) {
            second();
            for (TaskBatch.Assignment given : asked(1)) {
                report(1, given.number(), Optional.of(ErrorCode.STORE_UNAVAILABLE));
            }
            work();
        }
        assertThat(progress().verified()).isEqualTo(8);
        assertThat(progress().skipped()).isEqualTo(2 * 8);
        assertThat(progress().bad()).isZero();
    }

    /** The next coordinator does the rest of a round, and repeats some seconds' work at most. */
    @Test
    void roundContinuesWhereAnotherCoordinatorStopped() throws CloudMwException {
        int chunks = 300;
        cluster.put(FILE, chunks * MIB);
        cluster.put(FilePath.parse("v:/other"), chunks * MIB);
        due();
        int restarts = 0;
        for (int i = 1; progress().underWay(); i++) {
            assertThat(i).isLessThan(200);
            second();
            work();
            if (i % 12 == 0) {
                cluster.restart();
                alive.forEach(this::register);
                second();
                restarts++;
            }
        }
        assertThat(restarts).isGreaterThan(1);
        assertThat(looked).as("every copy").hasSize(2 * 3 * chunks);
        long again = looked.values().stream().mapToLong(times -> times - 1).sum();
        assertThat(again * MIB).as("done twice").isLessThan(36L * restarts * RATE);
        assertThat(progress().rounds()).isOne();
        assertThat(progress().verified()).isGreaterThan(3L * chunks);
    }

    private void register(int number) {
        try {
            var unused = cluster.helper(number);
        } catch (CloudMwException e) {
            throw new AssertionError(e);
        }
    }
}
