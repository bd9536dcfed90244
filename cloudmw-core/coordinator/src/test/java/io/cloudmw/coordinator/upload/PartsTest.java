package io.cloudmw.coordinator.upload;

import static io.cloudmw.coordinator.AdministrationTest.refused;
import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.catalog.change.ChangeRequest;
import io.cloudmw.coordinator.catalog.change.CommitRequest;
import io.cloudmw.coordinator.catalog.version.ChunkReference;
import io.cloudmw.coordinator.testing.TestCluster;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.manifest.ManifestDigest;
import io.cloudmw.core.manifest.ManifestSegment;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.chunk.ReplicaReport;
import io.cloudmw.core.model.chunk.ReplicaState;
import io.cloudmw.core.model.file.Edit;
import io.cloudmw.core.model.file.FileCopy;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.model.file.VersionPart;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests of versions that share chunks of other files at other indexes. */
final class PartsTest {
    private static final FilePath FILE = FilePath.parse("v:/f");
    private static final FilePath PART = FilePath.parse("v:/p");
    private static final long MIB = 1 << 20;

    private TestCluster cluster;

    @BeforeEach
    void start() throws Exception {
        cluster = new TestCluster();
        for (int i = 1; i <= 3; i++) {
            cluster.helper(i);
        }
        cluster.coordinator
                .administration()
                .createVolume(TestCluster.volume("v", 3, 2, "d1", "d2", "d3"), Optional.empty());
    }

    private FileVersion commit(CommitRequest request) throws CloudMwException {
        return cluster.coordinator.uploads().commit(request);
    }

    private FileVersion concatenate(FileVersion... parts) throws CloudMwException {
        return commit(cluster.concatenated(FILE, List.of(parts)));
    }

    private List<ChunkId> ids(FileVersion version) throws CloudMwException {
        List<ChunkId> ids = new ArrayList<>();
        for (int segment = 0; segment < version.segmentCount(); segment++) {
            cluster.segment(version.id(), segment).forEach(chunk -> ids.add(chunk.id()));
        }
        return ids;
    }

    private static List<ChunkId> chunks(FileVersion owner, int first, int end) {
        return IntStream.range(first, end)
                .mapToObj(index -> new ChunkId(owner.id(), index))
                .toList();
    }

    @SafeVarargs
    private static List<ChunkId> all(List<ChunkId>... some) {
        List<ChunkId> all = new ArrayList<>();
        for (List<ChunkId> chunks : some) {
            all.addAll(chunks);
        }
        return all;
    }

    @Test
    void chunksOfPartsAreSharedBehindThoseOfTheBase() throws Exception {
        FileVersion base = cluster.put(FILE, 3 * MIB);
        FileVersion part = cluster.put(PART, 2 * MIB);
        FileVersion last = cluster.put(FilePath.parse("v:/q"), MIB + 5);
        FileVersion whole = concatenate(part, last);
        assertThat(whole.sizeBytes()).isEqualTo(6 * MIB + 5);
        assertThat(ids(whole)).isEqualTo(all(chunks(base, 0, 3), chunks(part, 0, 2), chunks(last, 0, 2)));
        FileVersion edited = cluster.edit(FILE, Edit.write(4 * MIB, MIB));
        assertThat(ids(edited).get(3)).isEqualTo(new ChunkId(part.id(), 0));
        assertThat(ids(edited).get(4).version()).isEqualTo(edited.id());
        FileVersion again = concatenate(cluster.put(PART, MIB));
        assertThat(ids(again))
                .as("the last chunk grew")
                .filteredOn(chunk -> chunk.version().equals(again.id()))
                .containsExactly(new ChunkId(again.id(), 6), new ChunkId(again.id(), 7));
    }

    /** A segment has at most 1024 chunks: those of a part lie in two segments, and some are of two parts. */
    @Test
    void partsAcrossSegmentsAreShared() throws Exception {
        FileVersion base = cluster.put(FILE, 600 * MIB);
        FileVersion part = cluster.put(PART, 1500 * MIB);
        FileVersion last = cluster.put(FilePath.parse("v:/q"), 1100 * MIB);
        FileVersion whole = concatenate(part, last);
        assertThat(whole.segmentCount()).isGreaterThan(2);
        assertThat(ids(whole)).isEqualTo(all(chunks(base, 0, 600), chunks(part, 0, 1500), chunks(last, 0, 1100)));
    }

    @Test
    void chunkIsNamedOnce() throws Exception {
        cluster.put(FILE, 2 * MIB);
        FileVersion copy = cluster.catalog.copy(new FileCopy(FILE, PART, false), ChangeRequest.once(1));
        FileVersion whole = concatenate(copy);
        assertThat(ids(whole)).isEqualTo(all(chunks(copy, 0, 2), chunks(whole, 2, 4)));
        cluster.put(PART, MIB);
        FileVersion base = cluster.put(FILE, 2 * MIB);
        FileVersion twice = cluster.catalog.copy(new FileCopy(FILE, PART, true), ChangeRequest.once(1));
        CommitRequest request = cluster.concatenated(FILE, List.of(twice));
        FileVersion repeating = changed(
                request.version(),
                chunk -> chunk.index() < 2
                        ? chunk
                        : cluster.segment(base.id(), 0)
                                .get((int) chunk.index() - 2)
                                .placedAt(chunk.index(), chunk.range().offset()));
        refused(ErrorCode.INVALID_ARGUMENT, () -> commit(request.of(repeating)));
    }

    /**
     * A coordinator of an earlier release puts the segment, and records references that are far apart where they are not
     * found; another one of this release commits the version.
     */
    @Test
    void commitRecordsReferencesThatAreFarApartAgain() throws Exception {
        FileVersion whole = cluster.put(PART, 2500 * MIB);
        FilePath head = FilePath.parse("v:/head");
        var unusedCopy = cluster.catalog.copy(new FileCopy(PART, head, false), ChangeRequest.once(1));
        FileVersion first = cluster.edit(head, Edit.truncate(MIB));
        var unusedBase = cluster.edit(PART, Edit.write(0, MIB));
        CommitRequest request = cluster.concatenated(PART, List.of(first));
        VersionId version = request.version().id();
        byte[] segment = cluster.catalog.segment(version, 2).orElseThrow();
        assertThat(cluster.segment(version, 2))
                .extracting(Chunk::id)
                .contains(new ChunkId(whole.id(), 0), new ChunkId(whole.id(), 2499));
        cluster.catalog.putSegment(version, 2, segment, List.of(), cluster.now());
        commit(request);
        cluster.catalog.remove(head, cluster.now());
        for (long index : new long[] {0, 2048, 2499}) {
            assertThat(cluster.catalog.namer(new ChunkId(whole.id(), index)))
                    .contains(new ChunkReference(version, OptionalInt.of(2), true));
        }
    }

    @FunctionalInterface
    private interface Change {
        Chunk of(Chunk chunk) throws CloudMwException;
    }

    /** Puts other entries of the only segment of a version that is not committed. */
    private FileVersion changed(FileVersion version, Change change) throws CloudMwException {
        List<Chunk> chunks = new ArrayList<>();
        for (Chunk chunk : cluster.segment(version.id(), 0)) {
            chunks.add(change.of(chunk));
        }
        cluster.coordinator.uploads().putSegment(version.id(), 0, chunks);
        ManifestDigest digest = new ManifestDigest();
        digest.add(ManifestDigest.ofSegment(new ManifestSegment(0, chunks).encode()));
        return new FileVersion(
                version.file(),
                version.id(),
                version.sizeBytes(),
                version.chunkCount(),
                version.segmentCount(),
                version.leafSizeBytes(),
                0,
                digest.finish(),
                version.chunkSizeBytes());
    }

    /** Places of copies are overlaid on every manifest that has the chunk, so that its entries must be equal. */
    @Test
    void sharedEntryMustBeThePartsEntry() throws Exception {
        cluster.put(FILE, MIB);
        FileVersion part = cluster.put(PART, 2 * MIB);
        FileVersion other = cluster.put(FilePath.parse("v:/other"), 2 * MIB);
        List<UnaryOperator<Chunk>> changes = List.of(
                chunk -> chunk.at(List.of(new StoreId("d2"), new StoreId("d1"), new StoreId("d3"))),
                chunk -> named(chunk, new ChunkId(part.id(), chunk.index())),
                chunk -> named(chunk, new ChunkId(other.id(), chunk.index() - 1)));
        for (UnaryOperator<Chunk> change : changes) {
            CommitRequest request = cluster.concatenated(FILE, List.of(part));
            FileVersion forged = changed(request.version(), chunk -> chunk.index() == 1 ? change.apply(chunk) : chunk);
            refused(ErrorCode.INVALID_ARGUMENT, () -> commit(request.of(forged)));
        }
        CommitRequest honest = cluster.concatenated(FILE, List.of(part));
        refused(ErrorCode.INVALID_ARGUMENT, () -> commit(honest.with(List.of())));
        commit(honest);
    }

    private static Chunk named(Chunk chunk, ChunkId id) {
        return new Chunk(chunk.index(), id, chunk.range(), chunk.leafSizeBytes(), chunk.leaves(), chunk.replicas());
    }

    @Test
    void partsThatAreMisplacedOrTooManyAreRefused() throws Exception {
        FileVersion base = cluster.put(FILE, MIB);
        FileVersion part = cluster.put(PART, 2 * MIB);
        CommitRequest request = cluster.concatenated(FILE, List.of(part));
        List<List<VersionPart>> wrong = List.of(
                List.of(new VersionPart(PART, part.id(), 1)),
                List.of(new VersionPart(PART, part.id(), 2 * MIB)),
                List.of(new VersionPart(PART, part.id(), MIB), new VersionPart(FILE, base.id(), 0)),
                List.of(new VersionPart(FilePath.parse("w:/p"), part.id(), MIB)),
                Collections.nCopies(VersionPart.MAX_PARTS + 1, new VersionPart(PART, part.id(), MIB)));
        for (List<VersionPart> parts : wrong) {
            refused(ErrorCode.INVALID_ARGUMENT, () -> commit(request.with(parts)));
        }
        commit(request);
    }

    @Test
    void partThatWasReplacedIsAConflict() throws Exception {
        FileVersion base = cluster.put(FILE, MIB);
        FileVersion part = cluster.put(PART, 2 * MIB);
        CommitRequest request = cluster.concatenated(FILE, List.of(part));
        cluster.put(PART, MIB);
        refused(ErrorCode.CONFLICT, () -> commit(request));
        VersionPart unknown = new VersionPart(PART, VersionId.random(), MIB);
        CommitRequest other = cluster.concatenated(FILE, List.of());
        refused(ErrorCode.CONFLICT, () -> commit(other.with(List.of(unknown))));
        assertThat(cluster.catalog.current(FILE)).contains(base);
    }

    /** The other attempt commits first, after which the part is collected; then this attempt reads the segments. */
    @Test
    void commitThatAnotherAttemptOvertakesReturnsTheCommittedVersion() throws Exception {
        AtomicReference<Callable<?>> beforeSegment = new AtomicReference<>();
        Catalog catalog = cluster.catalog;
        TestCluster overtaken = new TestCluster((Catalog) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Catalog.class}, (proxy, method, arguments) -> {
                    Callable<?> first = method.getName().equals("segment") ? beforeSegment.getAndSet(null) : null;
                    if (first != null) {
                        var unused = first.call();
                    }
                    return method.invoke(catalog, arguments);
                }));
        cluster.put(FILE, MIB);
        FileVersion part = cluster.put(PART, 2 * MIB);
        CommitRequest request = cluster.concatenated(FILE, List.of(part));
        List<FileVersion> committed = new ArrayList<>();
        beforeSegment.set(() -> {
            committed.add(commit(request));
            catalog.remove(PART, cluster.now());
            catalog.forget(
                    catalog.leases()
                            .acquire("test", "test", Duration.ofSeconds(1), 0)
                            .orElseThrow(),
                    part.id());
            return true;
        });
        assertThat(overtaken.coordinator.uploads().commit(request)).isEqualTo(committed.get(0));
    }

    /** The chunk has another index in the version that was read. */
    @Test
    void badCopyOfAChunkOfAPartIsReportedAndPlanned() throws Exception {
        cluster.put(FILE, 3 * MIB);
        FileVersion part = cluster.put(PART, 2 * MIB);
        FileVersion whole = concatenate(part);
        cluster.catalog.remove(PART, cluster.now());
        ChunkId chunk = new ChunkId(part.id(), 1);
        ReplicaReport missing = new ReplicaReport(chunk, new StoreId("d1"), ReplicaState.MISSING);
        cluster.coordinator.replicas().report(FILE, whole.id(), List.of(missing));
        assertThat(cluster.coordinator.names().stat(FILE).underReplicatedChunks())
                .isOne();
        var plan = cluster.coordinator.reads().segment(FILE, whole.id(), 0, List.of(), false);
        assertThat(plan.chunks().get(4).chunk().id()).isEqualTo(chunk);
        assertThat(plan.chunks().get(4).bad()).containsExactly(new StoreId("d1"));
        refused(
                ErrorCode.INVALID_ARGUMENT,
                () -> cluster.coordinator
                        .replicas()
                        .report(
                                FILE,
                                whole.id(),
                                List.of(new ReplicaReport(
                                        new ChunkId(part.id(), 2), new StoreId("d1"), ReplicaState.MISSING))));
    }
}
