package io.cloudmw.coordinator.testing.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.catalog.version.RetiredVersion;
import io.cloudmw.coordinator.catalog.version.SharedRun;
import io.cloudmw.coordinator.testing.memory.InMemoryCatalog;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.manifest.ManifestSegment;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.chunk.ReplicaState;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.testing.Versions;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Contract of chunks that versions share. */
public abstract class SharedChunksContract extends CatalogFixture {
    private FileVersion base;
    private ChunkId chunk0;
    private ChunkId chunk1;

    @BeforeEach
    void aFileOfTwoChunks() throws Exception {
        base = put("v:/f", 1, Optional.empty());
        chunk0 = new ChunkId(base.id(), 0);
        chunk1 = new ChunkId(base.id(), 1);
    }

    /** Opens a version of the file whose only segment shares these runs. */
    private FileVersion open(SharedRun... runs) throws CloudMwException {
        FileVersion version = Versions.of("v:/f", 1);
        catalog.putSegment(version.id(), 0, Versions.segment(version.id(), 0), List.of(runs), 1);
        return version;
    }

    private FileVersion commit(FileVersion before, SharedRun... runs) throws CloudMwException {
        return commit(open(runs), Optional.of(before.id()));
    }

    private void forget(VersionId version) throws CloudMwException {
        catalog.forget(lease("collection"), version);
    }

    private SharedRun run(long first, long end) {
        return new SharedRun(base.id(), first, end);
    }

    @Test
    void chunkIsReferencedByItsWriterAndByThoseThatShareIt() throws Exception {
        assertThat(catalog.namedElsewhere(base.id(), List.of(chunk0, chunk1))).isEmpty();
        assertThat(catalog.namer(chunk1)).contains(base.id());
        FileVersion second = commit(base, run(1, 2));
        assertThat(catalog.namedElsewhere(base.id(), List.of(chunk0, chunk1))).isEqualTo(Set.of(chunk1));
        assertThat(catalog.namedElsewhere(second.id(), List.of(chunk0, chunk1)))
                .as("by who wrote them, retired as it is")
                .isEqualTo(Set.of(chunk0, chunk1));
        assertThat(catalog.namer(chunk1)).as("a current one").contains(second.id());
        assertThat(catalog.namer(chunk0)).contains(base.id());
        assertThat(catalog.shared(second.id(), 0)).containsExactly(run(1, 2));
        assertThat(catalog.shared(second.id(), 1)).isEmpty();
        assertThat(catalog.shared(base.id(), 0)).isEmpty();
    }

    @Test
    void uncommittedVersionReferencesNothing() throws Exception {
        FileVersion upload = open(run(0, 2));
        assertThat(catalog.namedElsewhere(base.id(), List.of(chunk0, chunk1))).isEmpty();
        catalog.remove(base.file(), 2);
        catalog.retireAbandoned(lease("collection"), 10, 11);
        assertThat(catalog.namedElsewhere(base.id(), List.of(chunk0, chunk1))).isEmpty();
        assertThat(catalog.namedElsewhere(upload.id(), List.of(chunk0))).isEqualTo(Set.of(chunk0));
        assertThat(catalog.shared(upload.id(), 0)).isEmpty();
    }

    @Test
    void replacedSegmentReferencesItsNewChunks() throws Exception {
        FileVersion second = Versions.of("v:/f", 1);
        catalog.putSegment(second.id(), 0, new byte[] {1}, List.of(run(0, 2)), 1);
        catalog.putSegment(second.id(), 0, Versions.segment(second.id(), 0), List.of(run(0, 1)), 1);
        commit(second, Optional.of(base.id()));
        assertThat(catalog.namedElsewhere(base.id(), List.of(chunk0, chunk1))).isEqualTo(Set.of(chunk0));
        report(base.id(), 1, S1, ReplicaState.MISSING);
        assertThat(catalog.underReplicatedChunks(second.id())).isZero();
    }

    @Test
    void chunkOfTwoSegmentsIsReferencedUntilNeitherHasIt() throws Exception {
        FileVersion second = Versions.of("v:/f", 2);
        catalog.putSegment(second.id(), 1, Versions.segment(second.id(), 1), List.of(run(1, 2)), 1);
        catalog.putSegment(second.id(), 0, new byte[] {1}, List.of(run(1, 2)), 1);
        catalog.putSegment(second.id(), 0, Versions.segment(second.id(), 0), List.of(), 1);
        commit(second, Optional.of(base.id()));
        assertThat(catalog.namedElsewhere(base.id(), List.of(chunk0, chunk1))).isEqualTo(Set.of(chunk1));
    }

    /** A segment has the most chunks, each from another version; its references are kept and dropped like fewer. */
    @Test
    void segmentMayReferenceChunksOfManyVersions() throws Exception {
        SharedRun[] runs = new SharedRun[ManifestSegment.MAX_CHUNKS];
        for (int i = 0; i < runs.length; i++) {
            runs[i] = new SharedRun(VersionId.random(), i, i + 1);
        }
        FileVersion second = commit(base, runs);
        for (int i : new int[] {0, 500, runs.length - 1}) {
            ChunkId chunk = new ChunkId(runs[i].owner(), i);
            assertThat(catalog.namer(chunk)).contains(second.id());
            assertThat(catalog.namedElsewhere(base.id(), List.of(chunk))).containsExactly(chunk);
        }
        catalog.remove(second.file(), 2);
        forget(second.id());
        assertThat(catalog.namer(new ChunkId(runs[500].owner(), 500))).isEmpty();
    }

    /** Files are changed, abandoned, removed and collected in random order; a catalog in memory runs the same calls. */
    @Test
    void answersMatchACatalogInMemoryUnderRandomOperations() throws Exception {
        try (Catalog model = new InMemoryCatalog()) {
            model.putStore(bucket("s1"));
            model.putStore(bucket("s2"));
            model.createVolume(volume("v", S1, S2));
            new SharedChunksSimulation(List.of(model, catalog), new SplittableRandom(11)).run(60);
        }
    }

    @Test
    void forgottenVersionStaysKnownWhileOthersReferenceItsChunks() throws Exception {
        FileVersion second = commit(base, run(1, 2));
        FileVersion third = commit(second, run(1, 2));
        report(base.id(), 1, S1, ReplicaState.MISSING);
        forget(base.id());
        assertThat(catalog.state(base.id())).isPresent();
        assertThat(catalog.version(base.id())).isEmpty();
        assertThat(catalog.segment(base.id(), 0)).isEmpty();
        assertThat(retired()).extracting(RetiredVersion::id).containsExactly(second.id());
        assertThat(catalog.faults(base.id(), 0, 2)).hasSize(1);
        forget(base.id());
        forget(second.id());
        assertThat(catalog.state(base.id())).isPresent();
        assertThat(catalog.state(second.id())).isEmpty();
        assertThat(catalog.namer(chunk1)).contains(third.id());
        assertThat(catalog.namer(chunk0)).isEmpty();
        catalog.remove(base.file(), 2);
        assertThat(catalog.namedElsewhere(third.id(), List.of(chunk1))).isEmpty();
        forget(third.id());
        assertThat(catalog.state(base.id())).isEmpty();
        assertThat(catalog.faults(base.id(), 0, 2)).isEmpty();
    }

    /** Reports about copies of a lent chunk are recorded as for a chunk of a committed version. */
    @Test
    void reportsAboutLentChunksAreRecorded() throws Exception {
        FileVersion second = commit(base, run(1, 2));
        forget(base.id());
        report(base.id(), 1, S1, ReplicaState.MISSING);
        assertThat(catalog.underReplicated(VOLUME, "", 10).items())
                .containsExactly(fault(base.id(), 1, S1, ReplicaState.MISSING));
        assertThat(catalog.underReplicatedChunks(second.id())).isEqualTo(1);
        report(base.id(), 1, S1, ReplicaState.GOOD);
        assertThat(catalog.underReplicatedChunks(second.id())).isZero();
        assertThat(catalog.retireAbandoned(lease("collection"), 100, 100)).isZero();
    }

    @Test
    void copiesAreMissingOfChunksThatCurrentVersionsReference() throws Exception {
        report(base.id(), 0, S1, ReplicaState.MISSING);
        report(base.id(), 1, S1, ReplicaState.MISSING);
        report(base.id(), 1, S2, ReplicaState.CORRUPT);
        FileVersion second = commit(base, run(1, 2));
        report(second.id(), 0, S2, ReplicaState.MISSING);
        assertThat(catalog.underReplicated(VOLUME, "", 10).items())
                .containsExactlyInAnyOrder(
                        fault(base.id(), 1, S1, ReplicaState.MISSING),
                        fault(base.id(), 1, S2, ReplicaState.CORRUPT),
                        fault(second.id(), 0, S2, ReplicaState.MISSING));
        assertThat(catalog.underReplicatedChunks(second.id())).isEqualTo(2);
    }

    @Test
    void removedVolumeLendsNothing() throws Exception {
        FileVersion second = commit(base, run(1, 2));
        catalog.deleteVolume(VOLUME, true, 2);
        for (VersionId version : List.of(second.id(), base.id())) {
            forget(version);
        }
        assertThat(catalog.state(base.id())).isEmpty();
        assertThat(catalog.state(second.id())).isEmpty();
        assertThat(catalog.file(FilePath.parse("v:/f"))).isEmpty();
    }
}
