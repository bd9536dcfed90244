package io.cloudmw.coordinator.testing.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.coordinator.catalog.change.ChangeRequest;
import io.cloudmw.coordinator.catalog.tree.CurrentEntry;
import io.cloudmw.coordinator.catalog.tree.CurrentFile;
import io.cloudmw.coordinator.catalog.tree.DirectoryEntry;
import io.cloudmw.coordinator.catalog.tree.KeptDirectory;
import io.cloudmw.coordinator.catalog.tree.SnapshotRecords;
import io.cloudmw.coordinator.catalog.version.VersionState;
import io.cloudmw.coordinator.lease.Lease;
import io.cloudmw.coordinator.names.VolumeSnapshots;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.Page;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.file.AttributeChange;
import io.cloudmw.core.model.file.Attributes;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.model.file.Snapshot;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Contract of snapshots in a catalog. */
public abstract class SnapshotsContract extends CatalogFixture {
    private static final FilePath A = FilePath.parse("v:/a");

    @Test
    void snapshotSeesFormerNames() throws Exception {
        FileVersion first = put("v:/a", 1, Optional.empty());
        FileVersion below = put("v:/d/e/b", 1, Optional.empty());
        catalog.setAttributes(new AttributeChange(A, Map.of("x", "1"), Set.of()), 5);
        CurrentFile before = catalog.file(A).orElseThrow();
        Snapshot taken = catalog.snapshots().create(VOLUME, "s1", 7);
        assertThat(taken).isEqualTo(new Snapshot(VOLUME, "s1", 0, 7));

        catalog.setAttributes(new AttributeChange(A, Map.of("x", "2"), Set.of()), 8);
        FileVersion second = put("v:/a", 1, Optional.of(first.id()));
        rename("v:/d/e", "v:/moved");
        catalog.remove(FilePath.parse("v:/moved/b"), 9);
        put("v:/new", 1, Optional.empty());

        SnapshotRecords snapshots = catalog.snapshots();
        assertThat(snapshots.file("s1", A)).contains(before);
        assertThat(snapshots.file("s1", below.file()).map(CurrentFile::version)).contains(below);
        assertThat(snapshots.file("s1", FilePath.parse("v:/moved/b"))).isEmpty();
        assertThat(snapshots.file("s1", FilePath.parse("v:/new"))).isEmpty();
        assertThat(names("s1", "/", 1)).containsExactly("a", "d/");
        assertThat(names("s1", "/d", 1)).containsExactly("e/");
        assertThat(names("s1", "/d/e", 1)).containsExactly("b");
        assertThat(names("s1", "/moved", 1)).isEmpty();
        assertThat(catalog.current(A)).contains(second);
        for (FileVersion version : List.of(first, second, below)) {
            assertThat(catalog.state(version.id())).contains(VersionState.CURRENT);
            assertThat(catalog.version(version.id())).isPresent();
        }
        assertThat(retired()).isEmpty();
    }

    @Test
    void listingDistinguishesAttributes() throws Exception {
        put("v:/a", 1, Optional.empty());
        put("v:/b", 1, Optional.empty());
        assertThat(noted(catalog.list(VOLUME, "/", "", 10))).containsExactly(0L, 0L);
        catalog.setAttributes(new AttributeChange(A, Map.of("x", "1", "y", "2"), Set.of()), 5);
        catalog.snapshots().create(VOLUME, "s", 6);
        List<Long> then = noted(catalog.list(VOLUME, "/", "", 10));
        assertThat(then.get(0)).isNotZero();
        assertThat(then.get(1)).isZero();

        catalog.setAttributes(new AttributeChange(A, Map.of("x", "2", "y", "1"), Set.of()), 7);
        assertThat(noted(catalog.list(VOLUME, "/", "", 10)).get(0)).isNotIn(0L, then.get(0));
        assertThat(noted(catalog.snapshots().list("s", VOLUME, "/", "", 10))).isEqualTo(then);
        rename("v:/a", "v:/c");
        catalog.setAttributes(new AttributeChange(FilePath.parse("v:/c"), Map.of("x", "1", "y", "2"), Set.of()), 8);
        assertThat(noted(catalog.list(VOLUME, "/", "", 10))).containsExactly(0L, then.get(0));
    }

    private static List<Long> noted(Page<DirectoryEntry> page) {
        return page.items().stream().map(DirectoryEntry::attributesDigest).toList();
    }

    @Test
    void snapshotsHaveNamesAndAnOrder() throws Exception {
        SnapshotRecords snapshots = catalog.snapshots();
        assertThat(snapshots.of(VOLUME)).isEmpty();
        snapshots.create(VOLUME, "z", 1);
        snapshots.create(VOLUME, "a", 2);
        assertThat(snapshots.of(VOLUME)).extracting(Snapshot::name).containsExactly("z", "a");
        refused(ErrorCode.ALREADY_EXISTS, () -> snapshots.create(VOLUME, "z", 3));
        assertThat(snapshots.remove(VOLUME, "z").number()).isZero();
        assertThat(snapshots.create(VOLUME, "z", 4).number()).isEqualTo(2);
        assertThat(snapshots.of(VOLUME)).extracting(Snapshot::name).containsExactly("a", "z");
        refused(ErrorCode.NOT_FOUND, () -> snapshots.remove(VOLUME, "none"));
        refused(ErrorCode.NOT_FOUND, () -> snapshots.file("none", A));
        refused(ErrorCode.NOT_FOUND, () -> snapshots.list("none", VOLUME, "/", "", 10));
        refused(ErrorCode.NOT_FOUND, () -> snapshots.restore("none", A, 1));
        refused(ErrorCode.NOT_FOUND, () -> snapshots.restore("a", A, 1));
        VolumeName other = new VolumeName("other");
        refused(ErrorCode.VOLUME_NOT_FOUND, () -> snapshots.create(other, "s", 1));
        refused(ErrorCode.VOLUME_NOT_FOUND, () -> snapshots.of(other));
        refused(ErrorCode.VOLUME_NOT_FOUND, () -> snapshots.remove(other, "s"));
        refused(ErrorCode.VOLUME_NOT_FOUND, () -> snapshots.file("s", FilePath.parse("other:/a")));
        refused(ErrorCode.VOLUME_NOT_FOUND, () -> snapshots.restore("s", FilePath.parse("other:/a"), 1));
    }

    @Test
    void volumeHasALimitedNumberOfSnapshots() throws Exception {
        for (int i = 0; i < SnapshotRecords.MAX_SNAPSHOTS; i++) {
            catalog.snapshots().create(VOLUME, "s" + i, i);
        }
        refused(ErrorCode.INVALID_ARGUMENT, () -> catalog.snapshots().create(VOLUME, "more", 1));
        catalog.snapshots().remove(VOLUME, "s7");
        catalog.snapshots().create(VOLUME, "more", 1);
    }

    @Test
    void restoredFileAndPresentPathNameTheSameVersion() throws Exception {
        FileVersion first = put("v:/a", 1, Optional.empty());
        catalog.snapshots().create(VOLUME, "s", 1);
        rename("v:/a", "v:/b");
        FileVersion other = put("v:/a", 1, Optional.empty());
        assertThat(catalog.snapshots().restore("s", A, 9)).isEqualTo(first);
        assertThat(catalog.current(A)).contains(first);
        assertThat(catalog.current(FilePath.parse("v:/b")).map(FileVersion::id)).contains(first.id());
        assertThat(catalog.state(other.id())).contains(VersionState.RETIRED);
        assertThat(catalog.snapshots().restore("s", A, 9)).as("again").isEqualTo(first);
        catalog.snapshots().remove(VOLUME, "s");
        prune();
        catalog.remove(A, 10);
        assertThat(catalog.state(first.id())).as("the other path names it").contains(VersionState.CURRENT);
        catalog.remove(FilePath.parse("v:/b"), 11);
        prune();
        assertThat(catalog.state(first.id())).contains(VersionState.RETIRED);
    }

    @Test
    void volumeWithSnapshotsIsNotEmptyAndTakesThemWithIt() throws Exception {
        FileVersion version = put("v:/d/a", 1, Optional.empty());
        catalog.snapshots().create(VOLUME, "s", 1);
        catalog.remove(version.file(), 2);
        refused(ErrorCode.VOLUME_NOT_EMPTY, () -> catalog.deleteVolume(VOLUME, false, 3));
        FileVersion later = put("v:/d/a", 1, Optional.empty());
        rename("v:/d/a", "v:/d/b");
        catalog.deleteVolume(VOLUME, true, 4);
        prune();
        for (FileVersion gone : List.of(version, later)) {
            assertThat(catalog.state(gone.id())).contains(VersionState.RETIRED);
        }
        catalog.createVolume(volume("v", S1, S2));
        assertThat(catalog.snapshots().of(VOLUME)).isEmpty();
        catalog.snapshots().create(VOLUME, "s", 5);
        assertThat(names("s", "/", 10)).isEmpty();
    }

    @Test
    void formerHolderOfTheLeasePrunesNothing() throws Exception {
        FileVersion version = put("v:/a", 1, Optional.empty());
        catalog.snapshots().create(VOLUME, "s", 1);
        catalog.remove(A, 2);
        catalog.snapshots().remove(VOLUME, "s");
        Lease lost = lease("snapshots");
        catalog.leases().release(lost);
        refused(ErrorCode.LEASE_LOST, () -> catalog.snapshots().prune(lost, "", 10, 3));
        assertThat(catalog.state(version.id())).contains(VersionState.CURRENT);
        prune();
        assertThat(catalog.state(version.id())).contains(VersionState.RETIRED);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void snapshotsMatchAModelUnderRandomOperations(long seed) throws Exception {
        new SnapshotsSimulation(this, new SplittableRandom(seed)).run(70);
    }

    /** Prunes everything in small pages. */
    void prune() throws CloudMwException {
        Lease lease = catalog.leases()
                .acquire("prune", "test", Duration.ofSeconds(1), 0)
                .orElseThrow();
        String token = "";
        do {
            token = catalog.snapshots().prune(lease, token, 2, 50);
        } while (!token.isEmpty());
    }

    /** Returns all names of a directory in a snapshot, read in pages; directories end in a slash. */
    List<String> names(String snapshot, String directory, int limit) throws CloudMwException {
        List<String> names = new java.util.ArrayList<>();
        String token = "";
        do {
            Page<DirectoryEntry> page = catalog.snapshots().list(snapshot, VOLUME, directory, token, limit);
            assertThat(page.items()).hasSizeLessThanOrEqualTo(limit);
            page.items().forEach(entry -> names.add(entry.name() + (entry.isDirectory() ? "/" : "")));
            token = page.nextToken();
        } while (!token.isEmpty());
        return names;
    }

    Optional<VersionId> version(String snapshot, String path) throws CloudMwException {
        return catalog.snapshots()
                .file(snapshot, FilePath.parse(path))
                .map(file -> file.version().id());
    }

    @Test
    void directoryThatStaysIsInTheSnapshotAndIsRestored() throws Exception {
        FilePath directory = FilePath.parse("v:/d/empty");
        Attributes attributes = Attributes.of(Map.of("kind", "then"));
        catalog.createDirectory(directory, true, attributes, ChangeRequest.once(5));
        SnapshotRecords snapshots = catalog.snapshots();
        snapshots.create(VOLUME, "s", 6);
        catalog.removeDirectory(directory, ChangeRequest.once(7));
        assertThat(catalog.entry(directory)).isEmpty();
        CurrentEntry then = snapshots.entry("s", directory).orElseThrow();
        assertThat(then.isDirectory()).isTrue();
        assertThat(then.kept()).contains(new KeptDirectory(5, attributes));
        assertThat(snapshots.file("s", directory)).isEmpty();
        assertThat(snapshots.entry("s", FilePath.parse("v:/d/none"))).isEmpty();
        VolumeSnapshots names = new VolumeSnapshots(catalog, () -> 8);
        assertThat(names.list("s", VOLUME, "/d/empty", "", 0).items()).isEmpty();
        refused(ErrorCode.NOT_FOUND, () -> names.list("s", VOLUME, "/d/none", "", 0));
        assertThat(names.restore("s", directory, Optional.empty())).isEmpty();
        assertThat(names.restore("s", directory, Optional.empty())).isEmpty();
        assertThat(catalog.entry(directory)).contains(then);
        assertThat(names.entry("s", VOLUME, "/").isDirectory()).isTrue();
    }
}
