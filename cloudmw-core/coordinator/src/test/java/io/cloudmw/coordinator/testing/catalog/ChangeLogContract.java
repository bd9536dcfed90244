package io.cloudmw.coordinator.testing.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.catalog.change.ChangeLog;
import io.cloudmw.coordinator.catalog.change.ChangePage;
import io.cloudmw.coordinator.catalog.tree.DirectoryEntry;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.file.AttributeChange;
import io.cloudmw.core.model.file.Change;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.model.file.Rename;
import io.cloudmw.core.testing.Versions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** Contract of a catalog's change log. */
public abstract class ChangeLogContract extends CatalogFixture {
    private static final FilePath A = FilePath.parse("v:/dir/a");

    private ChangeLog log() {
        return catalog.changes();
    }

    private List<Change> after(long position) throws CloudMwException {
        ChangePage changes = log().after(VOLUME, position, Catalog.MAX_PAGE);
        assertThat(changes.known()).as("known after %d", position).isTrue();
        return changes.items();
    }

    private void note(FilePath file, String value) throws CloudMwException {
        assertThat(catalog.setAttributes(new AttributeChange(file, Map.of("k", value), Set.of()), 7)
                        .values())
                .containsEntry("k", value);
    }

    @Test
    void everyChangeGetsTheNextPosition() throws Exception {
        assertThat(log().position(VOLUME)).isZero();
        FileVersion first = put("v:/dir/a", 1, Optional.empty());
        FileVersion second = put("v:/dir/a", 0, Optional.of(first.id()));
        note(A, "x");
        Rename file = new Rename(A, FilePath.parse("v:/dir/b"), true);
        catalog.rename(file, 8);
        Rename directory = new Rename(FilePath.parse("v:/dir"), FilePath.parse("v:/x/y"), true);
        catalog.rename(directory, 9);
        catalog.remove(FilePath.parse("v:/x/y/b"), 10);
        Optional<VersionId> moved = Optional.of(second.id());
        assertThat(after(0))
                .containsExactly(
                        Change.put(A, first.id(), first.committedAtMillis()),
                        Change.put(A, second.id(), second.committedAtMillis()).at(2),
                        Change.attributes(A, second.id(), 7).at(3),
                        Change.renamed(file, moved, 8).at(4),
                        Change.renamed(directory, Optional.empty(), 9).at(5),
                        Change.removed(FilePath.parse("v:/x/y/b"), second.id(), 10)
                                .at(6));
        assertThat(log().position(VOLUME)).isEqualTo(6);
    }

    @Test
    void callWithoutEffectAddsNoChange() throws Exception {
        FileVersion first = put("v:/dir/a", 1, Optional.empty());
        Rename rename = new Rename(A, FilePath.parse("v:/b"), true);
        catalog.rename(rename, 1);
        long position = log().position(VOLUME);
        commit(first, Optional.empty());
        refused(ErrorCode.NOT_FOUND, () -> catalog.rename(rename, 2));
        rename("v:/b", "v:/b");
        refused(ErrorCode.CONFLICT, () -> put("v:/b", 0, Optional.empty()));
        refused(ErrorCode.NOT_FOUND, () -> catalog.remove(A, 1));
        refused(ErrorCode.NOT_FOUND, () -> rename("v:/dir/a", "v:/c"));
        refused(ErrorCode.NOT_FOUND, () -> note(A, "x"));
        refused(ErrorCode.VOLUME_NOT_EMPTY, () -> catalog.deleteVolume(VOLUME, false, 1));
        assertThat(log().position(VOLUME)).isEqualTo(position);
        assertThat(after(position)).isEmpty();
    }

    @Test
    void recreatedVolumeContinuesPositions() throws Exception {
        put("v:/a", 0, Optional.empty());
        catalog.deleteVolume(VOLUME, true, 5);
        assertThat(after(1)).containsExactly(Change.volumeDeleted(5).at(2));
        catalog.createVolume(volume("v", S1, S2));
        put("v:/a", 0, Optional.empty());
        assertThat(after(2))
                .extracting(Change::position, Change::path)
                .containsExactly(org.assertj.core.groups.Tuple.tuple(3L, "/a"));
    }

    @Test
    void volumesHaveSeparatePositions() throws Exception {
        catalog.createVolume(volume("w", S1, S2));
        put("v:/a", 0, Optional.empty());
        put("w:/b", 0, Optional.empty());
        put("v:/c", 0, Optional.empty());
        assertThat(after(0)).extracting(Change::path).containsExactly("/a", "/c");
        assertThat(log().position(new VolumeName("w"))).isEqualTo(1);
        assertThat(log().position(new VolumeName("nowhere"))).isZero();
        assertThat(log().after(new VolumeName("nowhere"), 0, 10)).isEqualTo(new ChangePage(List.of(), true, 0));
    }

    @Test
    void changesAreReadInPagesAndUnreachedPositionsAreUnknown() throws Exception {
        for (int i = 0; i < 10; i++) {
            put("v:/f" + i, 0, Optional.empty());
        }
        List<Change> read = new ArrayList<>();
        while (read.size() < 10) {
            ChangePage next = log().after(VOLUME, read.size(), 3);
            assertThat(next.items()).hasSizeBetween(1, 3);
            assertThat(next.position()).isEqualTo(10);
            read.addAll(next.items());
        }
        assertThat(read).isEqualTo(after(0));
        assertThat(log().after(VOLUME, 10, 3)).isEqualTo(new ChangePage(List.of(), true, 10));
        assertThat(log().after(VOLUME, 11, 3)).isEqualTo(new ChangePage(List.of(), false, 10));
        refused(ErrorCode.INVALID_ARGUMENT, () -> log().after(VOLUME, 0, 0));
        refused(ErrorCode.INVALID_ARGUMENT, () -> log().after(VOLUME, 0, Catalog.MAX_PAGE + 1));
    }

    @Test
    void oldestChangesArePrunedByNumberAndByAge() throws Exception {
        for (int i = 1; i <= 10; i++) {
            commit(Versions.of(FilePath.parse("v:/f" + i), VersionId.random(), 0, 100L * i), Optional.empty());
        }
        assertThat(log().prune(0, 10)).isZero();
        assertThat(log().prune(0, 8)).isEqualTo(2);
        assertThat(log().after(VOLUME, 1, 10)).isEqualTo(new ChangePage(List.of(), false, 10));
        assertThat(after(2)).hasSize(8);
        assertThat(log().prune(501, 8)).isEqualTo(3);
        assertThat(log().after(VOLUME, 4, 10).known()).isFalse();
        assertThat(after(5)).extracting(Change::position).containsExactly(6L, 7L, 8L, 9L, 10L);
        assertThat(log().prune(5000, 8)).isEqualTo(5);
        assertThat(log().after(VOLUME, 9, 10).known()).isFalse();
        assertThat(after(10)).isEmpty();
        put("v:/g", 0, Optional.empty());
        assertThat(after(10)).extracting(Change::position).containsExactly(11L);
    }

    @Test
    void manyChangesArePrunedInSteps() throws Exception {
        FileVersion file = put("v:/a", 0, Optional.empty());
        for (int i = 0; i < ChangeLog.PRUNE_BATCH + 5; i++) {
            note(file.file(), "" + i);
        }
        assertThat(log().prune(0, 2)).isEqualTo(ChangeLog.PRUNE_BATCH);
        assertThat(log().prune(0, 2)).isEqualTo(4);
        assertThat(log().prune(0, 2)).isZero();
    }

    @Test
    void listenerFindsTheChangeInTheLogAndItsEffectInTheCatalog() throws Exception {
        List<Long> found = new CopyOnWriteArrayList<>();
        log().onChange(volume -> {
            try {
                found.add(log().position(volume));
            } catch (CloudMwException e) {
                found.add(-1L);
            }
        });
        FileVersion file = put("v:/a", 0, Optional.empty());
        note(file.file(), "x");
        rename("v:/a", "v:/b");
        catalog.remove(FilePath.parse("v:/b"), 1);
        catalog.deleteVolume(VOLUME, false, 1);
        assertThat(found).containsExactly(1L, 2L, 3L, 4L, 5L);
    }

    @Test
    void parallelChangesHaveOnePositionEachAndTheLogMatchesTheNames() throws Exception {
        List<Callable<Boolean>> calls = new ArrayList<>();
        for (int i = 0; i < 48; i++) {
            String path = "v:/d" + i % 3 + "/f" + i % 6;
            calls.add(
                    switch (i % 4) {
                        case 0, 1 ->
                            () -> succeeds(
                                    () -> put(
                                            path,
                                            0,
                                            catalog.current(FilePath.parse(path))
                                                    .map(FileVersion::id)),
                                    ErrorCode.CONFLICT);
                        case 2 -> () -> succeeds(() -> catalog.remove(FilePath.parse(path), 1), ErrorCode.NOT_FOUND);
                        default ->
                            () -> succeeds(
                                    () -> rename(path, "v:/d0/f" + path.charAt(4)),
                                    ErrorCode.NOT_FOUND,
                                    ErrorCode.CONFLICT);
                    });
        }
        int succeeded = atOnce(calls);
        List<Change> changes = after(0);
        assertThat(changes.size()).isLessThanOrEqualTo(succeeded);
        Map<String, VersionId> names = new TreeMap<>();
        for (int i = 0; i < changes.size(); i++) {
            assertThat(changes.get(i).position()).isEqualTo(i + 1);
            replay(changes.get(i), names);
        }
        Map<String, VersionId> found = new TreeMap<>();
        for (String directory : List.of("/d0", "/d1", "/d2")) {
            for (DirectoryEntry entry : list(directory, "", 100).items()) {
                entry.version().ifPresent(version -> found.put(version.file().path(), version.id()));
            }
        }
        assertThat(names).isEqualTo(found);
    }

    private static void replay(Change change, Map<String, VersionId> names) {
        VersionId version = change.version().orElseThrow();
        switch (change.kind()) {
            case PUT -> names.put(change.path(), version);
            case REMOVED -> assertThat(names.remove(change.path())).isEqualTo(version);
            case RENAMED -> {
                assertThat(names.remove(change.from().orElseThrow())).isEqualTo(version);
                names.put(change.path(), version);
            }
            case ATTRIBUTES, VOLUME_DELETED, DIRECTORY_CREATED, DIRECTORY_REMOVED -> throw new AssertionError(change);
        }
    }
}
