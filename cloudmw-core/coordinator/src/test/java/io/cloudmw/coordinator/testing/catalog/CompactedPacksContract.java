package io.cloudmw.coordinator.testing.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.coordinator.catalog.change.BatchCommit;
import io.cloudmw.coordinator.catalog.change.CommitOutcome;
import io.cloudmw.coordinator.catalog.change.Pack;
import io.cloudmw.coordinator.catalog.version.ChunkReference;
import io.cloudmw.coordinator.catalog.version.PackedChunks;
import io.cloudmw.coordinator.catalog.version.VersionState;
import io.cloudmw.coordinator.lease.Lease;
import io.cloudmw.coordinator.testing.PackSamples;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.manifest.ManifestSegment;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.chunk.PackRelocation;
import io.cloudmw.core.model.chunk.ReplicaReport;
import io.cloudmw.core.model.chunk.ReplicaState;
import io.cloudmw.core.model.file.FileVersion;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Contract of packs that are replaced by smaller ones. */
public abstract class CompactedPacksContract extends CatalogFixture {
    /** Long enough after the closing of a pack, for a catalog that commits files in several steps. */
    private static final long LATER_MILLIS = 3_600_000;

    private static final int FILE = PackSamples.FILE_BYTES;

    private BatchCommit commit(String... paths) throws CloudMwException {
        BatchCommit batch = PackSamples.batch(catalog.volume(VOLUME).orElseThrow(), List.of(S1, S2), paths);
        for (CommitOutcome outcome : catalog.commitAll(batch)) {
            assertThat(outcome).isInstanceOf(CommitOutcome.Committed.class);
        }
        return batch;
    }

    private static VersionId id(BatchCommit batch) {
        return batch.pack().orElseThrow().version().id();
    }

    private static FileVersion version(BatchCommit batch, int file) {
        return batch.files().get(file).version();
    }

    private static FilePath path(String path) {
        return new FilePath(VOLUME, path);
    }

    /** Returns a pack in one store with ranges of an earlier pack, each the place of a file and a number of files. */
    private Pack smaller(VersionId original, int[]... kept) throws CloudMwException {
        List<ByteRange> ranges = new ArrayList<>();
        int files = 0;
        for (int[] range : kept) {
            ranges.add(new ByteRange((long) FILE * range[0], (long) FILE * range[1]));
            files += range[1];
        }
        Pack whole = PackSamples.batch(
                        catalog.volume(VOLUME).orElseThrow(),
                        List.of(S2),
                        java.util.stream.IntStream.range(0, files)
                                .mapToObj(i -> "/x" + i)
                                .toArray(String[]::new))
                .pack()
                .orElseThrow();
        return whole.with(
                new PackRelocation(original, whole.version().id(), whole.chunk().replicas(), ranges));
    }

    private Lease lease() throws CloudMwException {
        return lease("collection");
    }

    private void close(VersionId pack) throws CloudMwException {
        assertThat(catalog.closePack(lease(), pack, 2) || catalog.closePack(lease(), pack, 2 + LATER_MILLIS))
                .isTrue();
    }

    private Pack compact(VersionId replaced, VersionId original, int[]... kept) throws CloudMwException {
        close(replaced);
        Pack pack = smaller(original, kept);
        assertThat(catalog.replacePack(lease(), replaced, pack, 3 + LATER_MILLIS))
                .isTrue();
        return pack;
    }

    private boolean retire(VersionId pack) throws CloudMwException {
        return catalog.retirePack(lease(), pack, 4) || catalog.retirePack(lease(), pack, 4 + 2 * LATER_MILLIS);
    }

    private List<VersionId> packs() throws CloudMwException {
        return catalog.packs("", 100).items().stream().map(FileVersion::id).toList();
    }

    private List<VersionId> files(VersionId pack, long since) throws CloudMwException {
        List<VersionId> files = new ArrayList<>();
        String token = "";
        do {
            var page = catalog.filesSince(pack, since, token, 2);
            page.items().forEach(file -> files.add(file.id()));
            token = page.nextToken();
        } while (!token.isEmpty());
        return files;
    }

    private Chunk located(FileVersion file) throws CloudMwException {
        List<Chunk> named = ManifestSegment.decode(
                        0, catalog.segment(file.id(), 0).orElseThrow())
                .chunks();
        return PackedChunks.located(catalog, named).get(0);
    }

    private static ChunkId slice(VersionId pack, int place) {
        return new ChunkId(pack, 0).slice(new ByteRange((long) FILE * place, FILE));
    }

    @Test
    void filesOfACompactedPackAreInTheNewOne() throws Exception {
        BatchCommit batch = commit("/a", "/b", "/c");
        catalog.remove(path("/b"), 2);
        Pack pack = compact(id(batch), id(batch), new int[] {0, 1}, new int[] {2, 1});
        VersionId now = pack.version().id();
        assertThat(packs()).containsExactly(now);
        assertThat(catalog.state(now)).contains(VersionState.CURRENT);
        assertThat(catalog.state(id(batch))).contains(VersionState.RETIRED);
        assertThat(catalog.segment(now, 0))
                .get()
                .satisfies(segment -> assertThat(ManifestSegment.decode(0, segment))
                        .isEqualTo(pack.segment().segment()));
        assertThat(catalog.relocation(id(batch))).isEqualTo(pack.relocation());
        assertThat(catalog.relocationTo(now)).isEqualTo(pack.relocation());
        assertThat(located(version(batch, 0)).id()).isEqualTo(slice(now, 0));
        assertThat(located(version(batch, 2)).id()).isEqualTo(slice(now, 1));
        assertThat(located(version(batch, 2)).replicas()).containsExactly(S2);
        assertThat(files(now, Long.MAX_VALUE))
                .containsExactlyInAnyOrder(
                        version(batch, 0).id(), version(batch, 2).id());
    }

    @Test
    void compactedPackIsNeededByNoFileAnyMore() throws Exception {
        BatchCommit batch = commit("/a", "/b");
        ChunkId before = new ChunkId(id(batch), 0);
        Pack pack = compact(id(batch), id(batch), new int[] {1, 1});
        assertThat(catalog.namer(before))
                .hasValueSatisfying(last -> assertThat(last).isEqualTo(ChunkReference.ofWriter(id(batch), false)));
        assertThat(catalog.namedElsewhere(id(batch), Set.of(before))).isEmpty();
        ChunkId now = pack.chunk().id();
        assertThat(catalog.namer(now)).contains(ChunkReference.ofWriter(now.version(), true));
        assertThat(catalog.namedBy(version(batch, 1).id(), List.of(now, before)))
                .as("readers report copies of either")
                .containsExactlyInAnyOrder(now, before);
        BatchCommit other = commit("/other");
        assertThat(catalog.namedBy(version(other, 0).id(), List.of(now))).isEmpty();
        assertThat(catalog.namedElsewhere(
                        id(other), Set.of(other.pack().orElseThrow().chunk().id())))
                .hasSize(1);
    }

    @Test
    void compactedPackIsCompactedAgain() throws Exception {
        BatchCommit batch = commit("/a", "/b", "/c", "/d");
        Pack first = compact(id(batch), id(batch), new int[] {1, 3});
        Pack second = compact(first.version().id(), id(batch), new int[] {1, 1}, new int[] {3, 1});
        VersionId now = second.version().id();
        assertThat(packs()).containsExactly(now);
        assertThat(catalog.state(first.version().id())).contains(VersionState.RETIRED);
        assertThat(catalog.relocationTo(first.version().id())).isEmpty();
        assertThat(located(version(batch, 1)).id()).isEqualTo(slice(now, 0));
        assertThat(located(version(batch, 3)).id()).isEqualTo(slice(now, 1));
        assertThat(located(version(batch, 0)).id()).as("was not kept").isEqualTo(slice(id(batch), 0));
        assertThat(catalog.namer(first.chunk().id()).orElseThrow().current()).isFalse();
        assertThat(files(now, Long.MAX_VALUE)).hasSize(4);
    }

    @Test
    void newPackIsRetiredAfterTheLastFile() throws Exception {
        BatchCommit batch = commit("/a", "/b");
        VersionId now =
                compact(id(batch), id(batch), new int[] {0, 2}).version().id();
        assertThat(retire(now)).isFalse();
        catalog.snapshots().create(VOLUME, "s", 3);
        catalog.remove(path("/a"), 4);
        catalog.remove(path("/b"), 4);
        assertThat(retire(now)).as("the snapshot needs it").isFalse();
        catalog.snapshots().remove(VOLUME, "s");
        String token = "";
        do {
            token = catalog.snapshots().prune(lease(), token, 10, 6);
        } while (!token.isEmpty());
        assertThat(retire(now)).isTrue();
        assertThat(packs()).isEmpty();
        assertThat(catalog.state(now)).contains(VersionState.RETIRED);
    }

    @Test
    void placeIsForgottenWithTheLastVersionThatNamesIt() throws Exception {
        BatchCommit batch = commit("/a", "/b");
        VersionId now =
                compact(id(batch), id(batch), new int[] {0, 2}).version().id();
        catalog.forget(lease(), id(batch));
        assertThat(catalog.state(id(batch))).contains(VersionState.LENT);
        assertThat(catalog.namer(new ChunkId(id(batch), 0))).isEmpty();
        assertThat(located(version(batch, 1)).id()).isEqualTo(slice(now, 1));
        catalog.remove(path("/a"), 4);
        catalog.remove(path("/b"), 4);
        assertThat(retire(now)).isTrue();
        for (VersionId gone :
                List.of(now, version(batch, 0).id(), version(batch, 1).id())) {
            assertThat(catalog.relocation(id(batch))).isPresent();
            catalog.forget(lease(), gone);
        }
        assertThat(catalog.relocation(id(batch))).isEmpty();
        assertThat(catalog.state(id(batch))).isEmpty();
    }

    @Test
    void versionsRetiredMeanwhileAreListed() throws Exception {
        BatchCommit batch = commit("/a", "/b", "/c");
        catalog.remove(path("/a"), 100);
        catalog.remove(path("/b"), 200);
        assertThat(files(id(batch), 150))
                .containsExactlyInAnyOrder(
                        version(batch, 1).id(), version(batch, 2).id());
        assertThat(files(id(batch), 200)).hasSize(2);
        assertThat(files(id(batch), 201)).containsExactly(version(batch, 2).id());
        assertThat(files(id(batch), 100)).hasSize(3);
    }

    @Test
    void closedPackTakesNoFile() throws Exception {
        BatchCommit batch = PackSamples.batch(catalog.volume(VOLUME).orElseThrow(), List.of(S1, S2), "/a", "/b");
        BatchCommit first = new BatchCommit(batch.pack(), batch.files().subList(0, 1));
        var unused = catalog.commitAll(first);
        close(id(batch));
        List<CommitOutcome> outcomes = catalog.commitAll(batch);
        assertThat(outcomes.get(0)).isEqualTo(new CommitOutcome.Committed(version(batch, 0)));
        assertThat(((CommitOutcome.Refused) outcomes.get(1)).reason().code()).isEqualTo(ErrorCode.CONFLICT);
        assertThat(catalog.current(path("/b"))).isEmpty();
        assertThat(packs()).containsExactly(id(batch));
    }

    @Test
    void packThatMayTakeFilesIsNotReplaced() throws Exception {
        BatchCommit batch = commit("/a");
        Pack pack = smaller(id(batch), new int[] {0, 1});
        refused(ErrorCode.CONFLICT, () -> catalog.replacePack(lease(), id(batch), pack, 3));
        assertThat(packs()).containsExactly(id(batch));
        assertThat(catalog.relocation(id(batch))).isEmpty();
        assertThat(catalog.closePack(lease(), VersionId.random(), 3))
                .as("no pack")
                .isFalse();
    }

    @Test
    void packIsReplacedOnce() throws Exception {
        BatchCommit batch = commit("/a");
        Pack pack = compact(id(batch), id(batch), new int[] {0, 1});
        assertThat(catalog.replacePack(lease(), id(batch), pack, 5 + LATER_MILLIS))
                .as("the answer was lost")
                .isTrue();
        assertThat(catalog.replacePack(lease(), id(batch), smaller(id(batch), new int[] {0, 1}), 5 + LATER_MILLIS))
                .as("another one")
                .isFalse();
        assertThat(catalog.relocation(id(batch))).isEqualTo(pack.relocation());
        assertThat(packs()).containsExactly(pack.version().id());
    }

    @Test
    void replacementNeedsTheLeaseAndAnOpenVersion() throws Exception {
        BatchCommit batch = commit("/a");
        close(id(batch));
        Pack pack = smaller(id(batch), new int[] {0, 1});
        assertThat(catalog.giveUp(pack.version().id(), 3)).isEmpty();
        refused(ErrorCode.CONFLICT, () -> catalog.replacePack(lease(), id(batch), pack, 3 + LATER_MILLIS));
        Lease old = lease();
        catalog.leases().release(old);
        Pack other = smaller(id(batch), new int[] {0, 1});
        refused(ErrorCode.LEASE_LOST, () -> catalog.replacePack(old, id(batch), other, 3 + LATER_MILLIS));
        refused(ErrorCode.LEASE_LOST, () -> catalog.closePack(old, id(batch), 3));
        assertThat(packs()).containsExactly(id(batch));
        assertThat(catalog.relocation(id(batch))).isEmpty();
    }

    @Test
    void faultsOfTheNewPackAreThoseOfItsFiles() throws Exception {
        BatchCommit batch = commit("/a");
        Pack pack = compact(id(batch), id(batch), new int[] {0, 1});
        report(id(batch), 0, S1, ReplicaState.MISSING);
        assertThat(catalog.underReplicatedChunks(version(batch, 0).id())).isZero();
        assertThat(catalog.underReplicated(VOLUME, "", 10).items()).isEmpty();
        report(pack.version().id(), 0, S2, ReplicaState.CORRUPT);
        assertThat(catalog.underReplicatedChunks(version(batch, 0).id())).isEqualTo(1);
        assertThat(catalog.underReplicated(VOLUME, "", 10).items())
                .containsExactly(new ReplicaReport(pack.chunk().id(), S2, ReplicaState.CORRUPT));
    }

    /** Recovery makes a compacted pack current again, whose original this catalog has never seen. */
    @Test
    void packIsAddedWithThePlaceOfUnknownSlices() throws Exception {
        BatchCommit batch = PackSamples.batch(catalog.volume(VOLUME).orElseThrow(), List.of(S1, S2), "/a", "/b");
        Pack pack = smaller(id(batch), new int[] {1, 1});
        catalog.addPack(pack);
        catalog.addPack(pack);
        FileVersion file = batch.files().get(1).version();
        byte[] segment = batch.files().get(1).segment().orElseThrow().bytes();
        catalog.putSegment(
                file.id(),
                0,
                segment,
                io.cloudmw.coordinator.catalog.version.SharedRun.of(
                        file.id(), batch.files().get(1).segment().orElseThrow().chunks()),
                1);
        var unused = catalog.commit(batch.files().get(1).commit(Optional.empty()));
        assertThat(located(file).id()).isEqualTo(slice(pack.version().id(), 0));
        assertThat(files(pack.version().id(), Long.MAX_VALUE)).containsExactly(file.id());
        assertThat(retire(pack.version().id())).isFalse();
        List<StoreId> stores = located(file).replicas();
        assertThat(stores).containsExactly(S2);
    }
}
