package io.cloudmw.coordinator.upkeep.repair;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.catalog.change.CommitRequest;
import io.cloudmw.coordinator.testing.memory.InMemoryCatalog;
import io.cloudmw.coordinator.upkeep.UpkeepSamples;
import io.cloudmw.coordinator.upkeep.task.TaskQueue;
import io.cloudmw.coordinator.upkeep.walk.ChunkWalk;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.manifest.ManifestDigest;
import io.cloudmw.core.manifest.ManifestSegment;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.Mode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.chunk.LeafDigests;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.model.volume.Chunking;
import io.cloudmw.core.model.volume.Volume;
import io.cloudmw.core.placement.CurrentReplicas;
import io.cloudmw.core.testing.FakeTicker;
import io.cloudmw.core.upkeep.Task;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class FullRepairPassTest {
    private static final int SEGMENTS = 3;
    private static final int CHUNKS = 2;
    private static final FullRepairPass.CopyConditions STANDING = new FullRepairPass.CopyConditions(Map.of(), Set.of());

    private final FakeTicker ticker = new FakeTicker();
    private final Catalog catalog = new InMemoryCatalog();
    private final TaskQueue queue = new TaskQueue(ticker, 1, 0);

    @BeforeEach
    void aVolumeWithFiles() throws CloudMwException {
        Store store = UpkeepSamples.bucket("s");
        catalog.putStore(store);
        catalog.createVolume(new Volume(
                new VolumeName("v"), new Chunking.BySize(4096), 1, List.of(store.id()), 1, Mode.DEFAULT, false, 0));
        for (int i = 0; i < 5; i++) {
            put(FilePath.parse("v:/f" + i));
        }
    }

    private void put(FilePath file) throws CloudMwException {
        VersionId id = VersionId.random();
        ManifestDigest digest = new ManifestDigest();
        for (int segment = 0; segment < SEGMENTS; segment++) {
            List<Chunk> chunks = new ArrayList<>();
            for (int i = segment * CHUNKS; i < (segment + 1) * CHUNKS; i++) {
                chunks.add(new Chunk(
                        i,
                        new ChunkId(id, i),
                        new ByteRange(i * 8L, 8),
                        4,
                        new LeafDigests(new int[2], new byte[2 * LeafDigests.SHA256_BYTES]),
                        List.of(new StoreId("s"))));
            }
            byte[] bytes = new ManifestSegment(segment, chunks).encode();
            catalog.putSegment(id, segment, bytes, 1);
            digest.add(ManifestDigest.ofSegment(bytes));
        }
        long count = (long) SEGMENTS * CHUNKS;
        FileVersion version = new FileVersion(file, id, count * 8, count, SEGMENTS, 4, 1, digest.finish());
        catalog.commit(new CommitRequest(version, Optional.empty(), List.of()));
    }

    private FullRepairPass look(String from) {
        return new FullRepairPass(catalog, queue, ticker, from, false, STANDING);
    }

    private static List<ChunkId> ids(ChunkWalk.Stretch stretch) {
        return stretch.chunks().stream().map(copies -> copies.chunk().id()).toList();
    }

    private static List<ChunkId> rest(FullRepairPass look) throws CloudMwException {
        List<ChunkId> seen = new ArrayList<>();
        for (Optional<ChunkWalk.Stretch> next = look.next(); next.isPresent(); next = look.next()) {
            seen.addAll(ids(next.get()));
        }
        return seen;
    }

    private static Task.Copy copy(CurrentReplicas copies) {
        return new Task.Copy(copies.chunk(), UpkeepSamples.disk("t"), UpkeepSamples.FILE, List.of(), 1);
    }

    /** Wherever a pass stops, the next begins with the rest, and then covers everything before. */
    @Test
    void nextPassStartsWhereTheLastOneStoppedAndWrapsAround() throws CloudMwException {
        List<ChunkId> all = rest(look(""));
        assertThat(all).hasSize(5 * SEGMENTS * CHUNKS).doesNotHaveDuplicates();
        for (int seen = 0; seen <= 5 * SEGMENTS; seen++) {
            FullRepairPass first = look("");
            for (int i = 0; i < seen; i++) {
                first.next();
            }
            List<ChunkId> second = rest(look(first.position()));
            List<ChunkId> unseen = all.subList(seen * CHUNKS, all.size());
            assertThat(second.subList(0, unseen.size())).isEqualTo(unseen);
            assertThat(new TreeSet<>(second.stream().map(ChunkId::toString).toList()))
                    .isEqualTo(new TreeSet<>(all.stream().map(ChunkId::toString).toList()));
            // At most one version is seen twice.
            assertThat(second).hasSizeLessThan(all.size() + SEGMENTS * CHUNKS);
        }
    }

    @Test
    void nextPassBeginsWithTheFirstTaskWithoutRoom() throws CloudMwException {
        FullRepairPass look = look("");
        look.next();
        ChunkWalk.Stretch stretch = look.next().orElseThrow();
        look.leave(copy(stretch.chunks().get(1)));
        look.leave(copy(look.next().orElseThrow().chunks().get(0)));
        rest(look);
        FullRepairPass.Outcome outcome = look.outcome();
        assertThat(outcome.left()).isTrue();
        assertThat(ids(look(outcome.from()).next().orElseThrow()))
                .containsExactly(stretch.chunks().get(1).chunk().id());
    }

    /** Earlier tasks must not be in the queue any more, since the queue dies with its coordinator. */
    @Test
    void positionIsStoredOnceAllEarlierTasksAreDone() throws CloudMwException {
        FullRepairPass look = look("");
        Task.Copy task = copy(look.next().orElseThrow().chunks().get(0));
        queue.offer(task);
        look.offered(task);
        assertThat(look.reached(new ArrayDeque<>())).isEmpty();
        ticker.advance(Duration.ofSeconds(5));
        String position = look.position();
        assertThat(look.reached(new ArrayDeque<>())).isEmpty();
        look.next();
        queue.done(queue.take(task.store().owner().orElseThrow(), 1).get(0).number());
        assertThat(look.reached(new ArrayDeque<>())).contains(position);
        look.noted();
        assertThat(look.reached(new ArrayDeque<>())).isEmpty();
    }

    @Test
    void nextPassIsDueAfterFindingWorkOrAnObstacleThatIsGone() {
        assertThat(new FullRepairPass.Outcome("", false, false, Optional.empty()).isToBeRepeated(STANDING))
                .isFalse();
        assertThat(new FullRepairPass.Outcome("", false, true, Optional.empty()).isToBeRepeated(STANDING))
                .isTrue();
        FullRepairPass.Outcome obstructed = new FullRepairPass.Outcome("", false, false, Optional.of(STANDING));
        assertThat(obstructed.isToBeRepeated(STANDING)).isFalse();
        assertThat(obstructed.isToBeRepeated(
                        new FullRepairPass.CopyConditions(Map.of(new StoreId("s"), List.of(true)), Set.of())))
                .isTrue();
    }
}
