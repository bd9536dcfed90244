package io.cloudmw.coordinator.upkeep.replace;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.coordinator.testing.TestCluster;
import io.cloudmw.coordinator.testing.memory.InMemoryCatalog;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.identity.DiskClaim;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.Page;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.chunk.StoredChunk;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.model.fleet.StoreIdentity;
import io.cloudmw.core.status.RepairProgress;
import io.cloudmw.core.status.ReplacedProgress;
import io.cloudmw.core.upkeep.Task;
import io.cloudmw.core.upkeep.TaskBatch;
import io.cloudmw.core.upkeep.TaskResult;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Tests of a replaced disk: its copies are found missing and made again. Over a catalog in memory with simulated
 * helpers.
 */
final class ReplacedStoresTest {
    private static final long MIB = 1 << 20;
    private static final int FILES = 12;
    private static final StoreId LOST = new StoreId("d1");

    /** The chunks on each disk. */
    private final Map<StoreId, Set<ChunkId>> disks = new HashMap<>();

    private TestCluster cluster;

    @BeforeEach
    void fourHelpersWithFiles() throws CloudMwException {
        cluster = new TestCluster(new InMemoryCatalog());
        for (int number = 1; number <= 4; number++) {
            cluster.register(address(number), claim(number, identity(number), false));
        }
        cluster.coordinator
                .administration()
                .createVolume(TestCluster.volume("v", 2, 1, "d1", "d2", "d3", "d4"), Optional.empty());
        for (int file = 0; file < FILES; file++) {
            put("v:/f" + file);
        }
        pass();
    }

    private static HelperAddress address(int number) {
        return new HelperAddress(new HelperId("h" + number), "127.0.0.1:" + number, "127.0.0.1:" + (100 + number));
    }

    private static StoreIdentity identity(int number) {
        return new StoreIdentity(String.format("%032x", number), "", 0);
    }

    private static DiskClaim claim(int number, StoreIdentity identity, boolean replaces) {
        return new DiskClaim(TestCluster.disk(number).with(identity), true, replaces);
    }

    private Set<ChunkId> disk(StoreId store) {
        return disks.computeIfAbsent(store, none -> new HashSet<>());
    }

    private void put(String path) throws CloudMwException {
        FileVersion version = cluster.put(FilePath.parse(path), 8 * MIB);
        cluster.segment(version.id(), 0)
                .forEach(chunk -> chunk.replicas().forEach(store -> disk(store).add(chunk.id())));
    }

    /** Advances time; helpers renew their leases, and upkeep runs. */
    private void pass() throws CloudMwException {
        cluster.ticker.advance(Duration.ofSeconds(2));
        for (int number = 1; number <= 4; number++) {
            cluster.heartbeat(number);
        }
        cluster.coordinator.upkeep().tick();
    }

    private void replaceFirst(int serial) throws CloudMwException {
        disk(LOST).clear();
        cluster.register(address(1), claim(1, identity(100 + serial), true));
    }

    /** Lets helpers do their tasks of this kind. */
    private void work(Class<? extends Task> kind) throws CloudMwException {
        for (int number = 1; number <= 4; number++) {
            HelperId helper = new HelperId("h" + number);
            for (TaskBatch.Assignment given :
                    cluster.coordinator.upkeep().work(helper, List.of(), 100).assignments()) {
                if (kind.isInstance(given.task())) {
                    cluster.coordinator.upkeep().work(helper, List.of(done(given)), 0);
                }
            }
        }
    }

    private TaskResult done(TaskBatch.Assignment given) {
        Set<ChunkId> there = disk(given.task().store().id());
        List<StoredChunk> listed = List.of();
        if (given.task() instanceof Task.Look look) {
            listed = look.chunks().stream()
                    .filter(there::contains)
                    .map(chunk -> new StoredChunk(chunk, 0))
                    .toList();
        } else if (given.task() instanceof Task.Copy copy) {
            there.add(copy.chunk().id());
        }
        return new TaskResult(
                given.number(), Optional.empty(), "", MIB, List.of(), Optional.empty(), new Page<>(listed, ""));
    }

    private RepairProgress repair() throws CloudMwException {
        return cluster.coordinator.upkeep().status().repair();
    }

    private ReplacedProgress replaced() throws CloudMwException {
        return repair().replaced().getOrDefault(LOST, new ReplacedProgress(0, 0, 0, 0, false, false));
    }

    private void untilLookedThrough() throws CloudMwException {
        for (int i = 0; i < 100 && !replaced().lookedThrough(); i++) {
            pass();
            work(Task.Look.class);
        }
        assertThat(replaced().lookedThrough()).isTrue();
    }

    private void untilComplete() throws CloudMwException {
        for (int i = 0; i < 1000 && !replaced().complete(); i++) {
            assertThat(repair().underReplicatedChunks()).isPositive();
            pass();
            work(Task.class);
        }
        assertThat(replaced().complete()).isTrue();
        assertThat(repair().underReplicatedChunks()).isZero();
    }

    @Test
    void allCopiesOfAReplacedDiskAreFoundMissingAndMadeAgain() throws Exception {
        int had = disk(LOST).size();
        assertThat(had).isPositive();
        replaceFirst(1);
        pass();
        assertThat(repair().isCounted()).isFalse();
        assertThat(repair().underReplicatedChunks())
                .as("before anything was looked for")
                .isPositive();
        untilLookedThrough();
        assertThat(replaced().missing()).isEqualTo(had);
        assertThat(replaced().made()).isZero();

        untilComplete();

        assertThat(replaced().made()).isEqualTo(had);
        Map<ChunkId, Integer> copies = new HashMap<>();
        disks.values().forEach(disk -> disk.forEach(chunk -> copies.merge(chunk, 1, Integer::sum)));
        assertThat(copies).hasSize(FILES * 8);
        assertThat(copies.values()).allMatch(count -> count >= 2);
    }

    @Test
    void copiesWrittenToTheNewDiskAreNotMissing() throws Exception {
        int had = disk(LOST).size();
        replaceFirst(1);
        put("v:/new");
        int written = disk(LOST).size();
        assertThat(written).isPositive();
        untilLookedThrough();
        assertThat(replaced().missing()).isEqualTo(had);
        assertThat(replaced().looked()).isEqualTo(had + written);
    }

    @Test
    void nextCoordinatorContinuesTheWalkAndTheCopies() throws Exception {
        int had = disk(LOST).size();
        replaceFirst(1);
        pass();
        restart();
        untilLookedThrough();
        assertThat(replaced().missing()).isEqualTo(had);
        restart();
        assertThat(replaced().missing()).isEqualTo(had);
        untilComplete();
        restart();
        assertThat(replaced().complete()).as("nothing is begun anew").isTrue();
        assertThat(replaced().made()).isEqualTo(had);
    }

    private void restart() throws CloudMwException {
        pass();
        pass();
        cluster.restart();
        cluster.register(address(1), claim(1, cluster.stored(LOST).identity(), true));
        for (int number = 2; number <= 4; number++) {
            cluster.register(address(number), claim(number, identity(number), false));
        }
        for (int i = 0; i < 30 && cluster.coordinator.upkeep().progress().isEmpty(); i++) {
            pass();
        }
    }

    @Test
    void diskReplacedAgainIsCheckedAgain() throws Exception {
        replaceFirst(1);
        untilLookedThrough();
        untilComplete();
        int had = disk(LOST).size();
        replaceFirst(2);
        pass();
        assertThat(replaced().lookedThrough()).isFalse();
        untilLookedThrough();
        assertThat(replaced().missing()).isEqualTo(had);
        untilComplete();
    }
}
