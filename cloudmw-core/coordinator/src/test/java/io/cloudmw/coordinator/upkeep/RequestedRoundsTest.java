package io.cloudmw.coordinator.upkeep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.cloudmw.coordinator.testing.TestCluster;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.chunk.ReplicaReport;
import io.cloudmw.core.model.chunk.ReplicaState;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.status.RoundProgress;
import io.cloudmw.core.status.RoundProgress.Kind;
import io.cloudmw.core.status.RoundProgress.State;
import io.cloudmw.core.status.RoundScope;
import io.cloudmw.core.upkeep.Task;
import io.cloudmw.core.upkeep.TaskBatch;
import io.cloudmw.core.upkeep.TaskResult;
import io.cloudmw.core.wire.UpkeepWire;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests of requested rounds of scrub and repair, with simulated helpers and time. */
final class RequestedRoundsTest {
    private static final FilePath FILE = FilePath.parse("v:/f");
    private static final FilePath OTHER = FilePath.parse("w:/f");
    private static final long MIB = 1 << 20;
    private static final int CHUNKS = 10;

    private final List<Task> done = new ArrayList<>();
    private final Set<ChunkId> damaged = new HashSet<>();
    private TestCluster cluster;
    private FileVersion version;

    @BeforeEach
    void threeHelpersAndTwoVolumes() throws CloudMwException {
        cluster = new TestCluster().withVolume(1);
        cluster.coordinator.administration().createVolume(TestCluster.volume("w", 2, 1, "d1", "d2"), Optional.empty());
        version = cluster.put(FILE, CHUNKS * MIB);
        cluster.put(OTHER, CHUNKS * MIB);
        second();
    }

    private void second() throws CloudMwException {
        cluster.ticker.advance(Duration.ofSeconds(1));
        for (int number = 1; number <= 3; number++) {
            cluster.heartbeat(number);
        }
        cluster.coordinator.upkeep().tick();
    }

    /** Lets every helper do its tasks; a damaged copy in {@code d1} is found. */
    private void work() throws CloudMwException {
        for (int number = 1; number <= 3; number++) {
            HelperId helper = new HelperId("h" + number);
            for (TaskBatch.Assignment given :
                    cluster.coordinator.upkeep().work(helper, List.of(), 100).assignments()) {
                done.add(given.task());
                List<ReplicaReport> faults = new ArrayList<>();
                if (given.task() instanceof Task.Verify verify
                        && verify.store().id().value().equals("d1")
                        && damaged.remove(verify.chunk().id())) {
                    faults.add(new ReplicaReport(
                            verify.chunk().id(), verify.store().id(), ReplicaState.CORRUPT));
                }
                TaskResult result = new TaskResult(given.number(), Optional.empty(), "", MIB, faults, Optional.empty());
                var unused = cluster.coordinator.upkeep().work(helper, List.of(result), 0);
            }
        }
    }

    private long begin(Kind kind, RoundScope scope) throws CloudMwException {
        return cluster.coordinator.upkeep().beginRound(kind, scope, true);
    }

    private RoundProgress awaited(long round) throws CloudMwException {
        for (int i = 0; i < 1000; i++) {
            RoundProgress progress = cluster.coordinator.upkeep().round(round);
            if (progress.state().isOver()) {
                return progress;
            }
            second();
            work();
        }
        throw new AssertionError("not over: " + cluster.coordinator.upkeep().round(round));
    }

    private static RoundScope ofVolume(String volume) {
        return new RoundScope(Optional.of(new VolumeName(volume)), Optional.empty());
    }

    private static RoundScope ofStore(String store) {
        return new RoundScope(Optional.empty(), Optional.of(new StoreId(store)));
    }

    private long verified(String store) {
        return done.stream()
                .filter(task ->
                        task instanceof Task.Verify && task.store().id().value().equals(store))
                .count();
    }

    @Test
    void scrubReadsEveryCopyOnceAndRepairsBadOnes() throws CloudMwException {
        List<Chunk> chunks = cluster.segment(version.id(), 0);
        damaged.add(chunks.get(3).id());
        damaged.add(chunks.get(7).id());

        RoundProgress round = awaited(begin(Kind.SCRUB, RoundScope.ALL));

        assertThat(round.state()).isEqualTo(State.DONE);
        assertThat(round.looked()).isEqualTo(2 * CHUNKS);
        assertThat(round.read()).isEqualTo(3 * CHUNKS + 2 * CHUNKS);
        assertThat(round.readBytes()).isEqualTo(5 * CHUNKS * MIB);
        assertThat(round.bad()).isEqualTo(2);
        assertThat(round.repaired()).isEqualTo(2);
        assertThat(round.left()).isZero();
        assertThat(verified("d1") + verified("d2") + verified("d3")).isEqualTo(5 * CHUNKS);
    }

    /** Regression: the status said that there had been no round of scrubbing. */
    @Test
    void statusHasTheLastRequestedRound() throws CloudMwException {
        assertThat(cluster.coordinator.upkeep().status().asked()).isEmpty();
        RoundProgress round = awaited(begin(Kind.SCRUB, RoundScope.ALL));
        assertThat(cluster.coordinator.upkeep().status().asked()).contains(round);
        assertThat(UpkeepWire.status(
                                UpkeepWire.status(cluster.coordinator.upkeep().status()))
                        .asked())
                .contains(round);
    }

    @Test
    void scrubOfAStoreOrAVolumeReadsNothingElse() throws CloudMwException {
        assertThat(awaited(begin(Kind.SCRUB, ofStore("d2"))).read()).isEqualTo(2 * CHUNKS);
        assertThat(verified("d2")).isEqualTo(2 * CHUNKS);
        assertThat(verified("d1") + verified("d3")).isZero();

        assertThat(awaited(begin(Kind.SCRUB, ofVolume("w"))).read()).isEqualTo(2 * CHUNKS);
        assertThat(verified("d3")).isZero();
    }

    @Test
    void repairMakesMissingCopiesAtOnceAndReportsTheRest() throws CloudMwException {
        ChunkId missing = cluster.segment(version.id(), 0).get(0).id();
        cluster.catalog.report(
                List.of(new ReplicaReport(missing, new StoreId("d3"), ReplicaState.MISSING)), cluster.now());

        RoundProgress other = awaited(begin(Kind.REPAIR, ofVolume("w")));
        assertThat(other.looked()).isEqualTo(CHUNKS);
        assertThat(other.left()).isZero();
        RoundProgress round = awaited(begin(Kind.REPAIR, RoundScope.ALL));

        assertThat(round.state()).isEqualTo(State.DONE);
        assertThat(round.looked()).isEqualTo(2 * CHUNKS);
        assertThat(round.left()).isZero();
        assertThat(done.stream().filter(task -> task instanceof Task.Copy)).hasSize(1);
    }

    @Test
    void endedRoundQueuesNothingMore() throws CloudMwException {
        long round = begin(Kind.SCRUB, RoundScope.ALL);
        second();
        assertThat(cluster.coordinator.upkeep().status().waitingTasks()).isPositive();

        assertThat(cluster.coordinator.upkeep().endRound(round).state()).isEqualTo(State.CANCELLED);
        second();

        assertThat(cluster.coordinator.upkeep().status().waitingTasks()).isZero();
        work();
        assertThat(done).isEmpty();
        assertThat(cluster.coordinator.upkeep().round(round).state()).isEqualTo(State.CANCELLED);
        assertThat(awaited(begin(Kind.REPAIR, RoundScope.ALL)).state()).isEqualTo(State.DONE);
    }

    @Test
    void attendedRoundEndsWhenItIsNotPolled() throws CloudMwException {
        long attended = begin(Kind.SCRUB, RoundScope.ALL);
        for (int i = 0; i < 31; i++) {
            second();
        }
        assertThat(cluster.coordinator.upkeep().round(attended).state()).isEqualTo(State.CANCELLED);

        long left = cluster.coordinator.upkeep().beginRound(Kind.SCRUB, RoundScope.ALL, false);
        for (int i = 0; i < 31; i++) {
            second();
        }
        assertThat(cluster.coordinator.upkeep().round(left).state()).isEqualTo(State.READING);
    }

    @Test
    void secondRoundIsRefusedAndErrorsNameTheMistake() throws CloudMwException {
        long round = begin(Kind.SCRUB, RoundScope.ALL);
        assertThat(code(() -> begin(Kind.REPAIR, RoundScope.ALL))).isEqualTo(ErrorCode.ALREADY_EXISTS);
        assertThat(code(() -> cluster.coordinator.upkeep().round(round + 1))).isEqualTo(ErrorCode.NOT_FOUND);
        assertThat(code(() -> begin(Kind.SCRUB, ofVolume("none")))).isEqualTo(ErrorCode.VOLUME_NOT_FOUND);
        assertThat(code(() -> begin(Kind.SCRUB, ofStore("none")))).isEqualTo(ErrorCode.NOT_FOUND);
    }

    private static ErrorCode code(org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
        return catchThrowableOfType(CloudMwException.class, call).code();
    }
}
