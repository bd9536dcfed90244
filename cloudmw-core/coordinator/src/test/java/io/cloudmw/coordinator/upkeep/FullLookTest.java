package io.cloudmw.coordinator.upkeep;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.catalog.Commit;
import io.cloudmw.coordinator.testing.memory.InMemoryCatalog;
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

final class FullLookTest {
    private static final int SEGMENTS = 3;
    private static final int CHUNKS = 2;
    private static final FullLook.Standing STANDING = new FullLook.Standing(Map.of(), Set.of());

    private final FakeTicker ticker = new FakeTicker();
    private final Catalog catalog = new InMemoryCatalog();
    private final WorkQueue queue = new WorkQueue(ticker, 1, 0);

    @BeforeEach
    void aVolumeWithFiles() throws CloudMwException {
        Store store = Samples.bucket("s");
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
        catalog.commit(new Commit(version, Optional.empty(), List.of()));
    }

    private FullLook look(String from) {
        return new FullLook(catalog, queue, ticker, from, false, STANDING);
    }

    private static List<ChunkId> ids(Walk.Stretch stretch) {
        return stretch.chunks().stream().map(copies -> copies.chunk().id()).toList();
    }

    private static List<ChunkId> rest(FullLook look) throws CloudMwException {
        List<ChunkId> seen = new ArrayList<>();
        for (Optional<Walk.Stretch> next = look.next(); next.isPresent(); next = look.next()) {
            seen.addAll(ids(next.get()));
        }
        return seen;
    }

    private static Task.Copy copy(CurrentReplicas copies) {
        return new Task.Copy(copies.chunk(), Samples.disk("t"), Samples.FILE, List.of(), 1);
    }

    /** Wherever a look is given up, the next begins with what that one had not seen, and sees all the rest after it. */
    @Test
    void theNextGoesOnWhereTheLastOneWasAndThenSeesWhatWasBefore() throws CloudMwException {
        List<ChunkId> all = rest(look(""));
        assertThat(all).hasSize(5 * SEGMENTS * CHUNKS).doesNotHaveDuplicates();
        for (int seen = 0; seen <= 5 * SEGMENTS; seen++) {
            FullLook first = look("");
            for (int i = 0; i < seen; i++) {
                first.next();
            }
            List<ChunkId> second = rest(look(first.position()));
            List<ChunkId> unseen = all.subList(seen * CHUNKS, all.size());
            assertThat(second.subList(0, unseen.size())).isEqualTo(unseen);
            assertThat(new TreeSet<>(second.stream().map(ChunkId::toString).toList()))
                    .isEqualTo(new TreeSet<>(all.stream().map(ChunkId::toString).toList()));
            // No more than one version is seen twice.
            assertThat(second).hasSizeLessThan(all.size() + SEGMENTS * CHUNKS);
        }
    }

    @Test
    void theNextBeginsWithTheFirstTaskThereWasNoRoomFor() throws CloudMwException {
        FullLook look = look("");
        look.next();
        Walk.Stretch stretch = look.next().orElseThrow();
        look.leave(copy(stretch.chunks().get(1)));
        look.leave(copy(look.next().orElseThrow().chunks().get(0)));
        rest(look);
        FullLook.Outcome outcome = look.outcome();
        assertThat(outcome.left()).isTrue();
        assertThat(ids(look(outcome.from()).next().orElseThrow()))
                .containsExactly(stretch.chunks().get(1).chunk().id());
    }

    /** What was before it must not be in the queue any more: the queue dies with its coordinator. */
    @Test
    void aPositionIsNotedOnceWhatWasFoundBeforeItIsDone() throws CloudMwException {
        FullLook look = look("");
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
    void anotherLookIsDueAfterOneThatFoundSomethingOrMetAnObstacleThatIsGone() {
        assertThat(new FullLook.Outcome("", false, false, Optional.empty()).isToBeRepeated(STANDING))
                .isFalse();
        assertThat(new FullLook.Outcome("", false, true, Optional.empty()).isToBeRepeated(STANDING))
                .isTrue();
        FullLook.Outcome obstructed = new FullLook.Outcome("", false, false, Optional.of(STANDING));
        assertThat(obstructed.isToBeRepeated(STANDING)).isFalse();
        assertThat(obstructed.isToBeRepeated(new FullLook.Standing(Map.of(new StoreId("s"), List.of(true)), Set.of())))
                .isTrue();
    }
}
