package io.cloudmw.coordinator.testing.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.coordinator.catalog.change.ChangeRequest;
import io.cloudmw.coordinator.catalog.tree.CurrentEntry;
import io.cloudmw.coordinator.catalog.tree.CurrentFile;
import io.cloudmw.coordinator.catalog.tree.DirectoryEntry;
import io.cloudmw.coordinator.catalog.tree.KeptDirectory;
import io.cloudmw.coordinator.catalog.tree.Tree;
import io.cloudmw.coordinator.catalog.version.RetiredVersion;
import io.cloudmw.coordinator.catalog.version.VersionState;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.CallId;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.file.AttributeChange;
import io.cloudmw.core.model.file.Attributes;
import io.cloudmw.core.model.file.Change;
import io.cloudmw.core.model.file.FileCopy;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.model.file.Rename;
import io.cloudmw.core.testing.Versions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;

/** Contract of directories that stay when they are empty, and of copies, in a catalog. */
abstract class DirectoriesContract extends CatalogFixture {
    private static FilePath path(String path) {
        return FilePath.parse(path);
    }

    private void make(String path) throws CloudMwException {
        catalog.createDirectory(path(path), false, ChangeRequest.once(5));
    }

    private void makeAll(String path) throws CloudMwException {
        catalog.createDirectory(path(path), true, ChangeRequest.once(5));
    }

    private void unmake(String path) throws CloudMwException {
        catalog.removeDirectory(path(path), ChangeRequest.once(6));
    }

    private void removeKeeping(String path) throws CloudMwException {
        FileVersion unused = catalog.remove(path(path), true, ChangeRequest.once(7));
    }

    private FileVersion copy(String from, String to, boolean replace) throws CloudMwException {
        return catalog.copy(new FileCopy(path(from), path(to), replace), ChangeRequest.once(9));
    }

    private static CurrentEntry kept(long createdAtMillis) {
        return CurrentEntry.directory(Optional.of(new KeptDirectory(createdAtMillis, Attributes.NONE)));
    }

    private static ChangeRequest call() {
        return new ChangeRequest(Optional.of(CallId.issuedAt(1)), 1, () -> 1);
    }

    @Test
    void createdDirectoryStaysWhenItIsEmpty() throws Exception {
        make("v:/a");
        make("v:/a/b");
        assertThat(names("/", 10)).containsExactly("a/");
        assertThat(names("/a", 10)).containsExactly("b/");
        assertThat(names("/a/b", 10)).isEmpty();
        assertThat(catalog.entry(path("v:/a/b"))).contains(kept(5));
        put("v:/a/b/c/d", 0, Optional.empty());
        catalog.remove(path("v:/a/b/c/d"), 1);
        assertThat(names("/a/b", 10)).as("c went with its last file").isEmpty();
        assertThat(catalog.entry(path("v:/a/b"))).contains(kept(5));
        refused(ErrorCode.VOLUME_NOT_EMPTY, () -> catalog.deleteVolume(VOLUME, false, 1));
        catalog.deleteVolume(VOLUME, true, 1);
    }

    @Test
    void directoryIsCreatedOnlyWhereNothingIs() throws Exception {
        put("v:/f", 0, Optional.empty());
        put("v:/d/f", 0, Optional.empty());
        refused(ErrorCode.NOT_FOUND, () -> make("v:/none/a"));
        for (String path : List.of("v:/f", "v:/f/a", "v:/d")) {
            refused(ErrorCode.ALREADY_EXISTS, () -> make(path));
        }
        for (String path : List.of("v:/f", "v:/f/a")) {
            refused(ErrorCode.ALREADY_EXISTS, () -> makeAll(path));
        }
        refused(ErrorCode.VOLUME_NOT_FOUND, () -> make("nowhere:/a"));
        refused(ErrorCode.VOLUME_NOT_FOUND, () -> makeAll("nowhere:/a/b"));
        make("v:/d/e");
        refused(ErrorCode.ALREADY_EXISTS, () -> make("v:/d/e"));
        refused(ErrorCode.ALREADY_EXISTS, () -> put("v:/d/e", 0, Optional.empty()));
        assertThat(catalog.entry(path("v:/d"))).as("made by a put").contains(CurrentEntry.directory(Optional.empty()));
        assertThat(names("/", 10)).containsExactly("d/", "f");
    }

    @Test
    void directoryWithItsParentsStaysWithThem() throws Exception {
        makeAll("v:/a/b/c");
        for (String path : List.of("v:/a", "v:/a/b", "v:/a/b/c")) {
            assertThat(catalog.entry(path(path))).contains(kept(5));
        }
        long position = catalog.changes().position(VOLUME);
        makeAll("v:/a/b");
        assertThat(catalog.changes().position(VOLUME)).as("nothing was changed").isEqualTo(position);
        put("v:/x/y", 0, Optional.empty());
        makeAll("v:/x");
        catalog.remove(path("v:/x/y"), 1);
        assertThat(names("/", 10)).containsExactly("a/", "x/");
    }

    @Test
    void onlyEmptyDirectoryIsRemoved() throws Exception {
        makeAll("v:/a/b");
        put("v:/f", 0, Optional.empty());
        put("v:/d/e/f", 0, Optional.empty());
        refused(ErrorCode.NOT_EMPTY, () -> unmake("v:/a"));
        refused(ErrorCode.NOT_EMPTY, () -> unmake("v:/d"));
        refused(ErrorCode.NOT_FOUND, () -> unmake("v:/f"));
        refused(ErrorCode.NOT_FOUND, () -> unmake("v:/none"));
        refused(ErrorCode.NOT_FOUND, () -> unmake("v:/a/none"));
        refused(ErrorCode.VOLUME_NOT_FOUND, () -> unmake("nowhere:/a"));
        refused(ErrorCode.NOT_FOUND, () -> catalog.remove(path("v:/a/b"), 1));
        unmake("v:/a/b");
        assertThat(catalog.entry(path("v:/a/b"))).isEmpty();
        unmake("v:/a");
        make("v:/d/x");
        removeKeeping("v:/d/e/f");
        unmake("v:/d/e");
        unmake("v:/d/x");
        assertThat(names("/", 10)).as("the directory above a removed one stays").containsExactly("d/", "f");
    }

    @Test
    void removalAndRenameKeepTheDirectoryIfToldTo() throws Exception {
        put("v:/a/b/1", 0, Optional.empty());
        put("v:/a/c/2", 0, Optional.empty());
        removeKeeping("v:/a/b/1");
        assertThat(catalog.entry(path("v:/a/b"))).contains(kept(7));
        DirectoryEntry unused =
                catalog.rename(new Rename(path("v:/a/c/2"), path("v:/2"), false, true), ChangeRequest.once(8));
        assertThat(catalog.entry(path("v:/a/c"))).contains(kept(8));
        assertThat(names("/a", 10)).containsExactly("b/", "c/");
        put("v:/top", 0, Optional.empty());
        removeKeeping("v:/top");
        assertThat(names("/", 10)).containsExactly("2", "a/");
    }

    @Test
    void directoryHasAttributesAndACreationTime() throws Exception {
        put("v:/a/f", 0, Optional.empty());
        AttributeChange change = new AttributeChange(path("v:/a"), Map.of("x", "1"), Set.of());
        Attributes attributes = catalog.setAttributes(change, 3);
        assertThat(attributes).isEqualTo(Attributes.of(Map.of("x", "1")));
        CurrentEntry entry = catalog.entry(path("v:/a")).orElseThrow();
        assertThat(entry.kept()).as("it stays now").contains(new KeptDirectory(3, attributes));
        assertThat(list("/", "", 10).items().get(0))
                .isEqualTo(new DirectoryEntry("a", Optional.empty(), attributes, 3));
        rename("v:/a", "v:/b/c");
        catalog.remove(path("v:/b/c/f"), 1);
        assertThat(catalog.entry(path("v:/b/c"))).contains(entry);
        assertThat(catalog.setAttributes(new AttributeChange(path("v:/b/c"), Map.of(), Set.of("x")), 4))
                .isEqualTo(Attributes.NONE);
        assertThat(catalog.entry(path("v:/b/c"))).contains(kept(3));
    }

    @Test
    void entryIsAFileADirectoryOrNothing() throws Exception {
        FileVersion file = put("v:/a/f", 0, Optional.empty());
        assertThat(catalog.entry(file.file()))
                .contains(CurrentEntry.file(new CurrentFile(file, file.committedAtMillis(), Attributes.NONE)));
        assertThat(catalog.entry(path("v:/a"))).contains(CurrentEntry.directory(Optional.empty()));
        assertThat(catalog.entry(path("v:/a/g"))).isEmpty();
        assertThat(catalog.entry(path("v:/a/f/g"))).isEmpty();
        assertThat(catalog.entry(path("nowhere:/a"))).isEmpty();
        assertThat(catalog.file(path("v:/a"))).isEmpty();
    }

    @Test
    void renameReplacesAnEmptyDirectoryOnlyIfAllowed() throws Exception {
        FileVersion file = put("v:/f", 0, Optional.empty());
        put("v:/d/e", 0, Optional.empty());
        make("v:/one");
        make("v:/two");
        makeAll("v:/full/x");
        refused(ErrorCode.ALREADY_EXISTS, () -> rename("v:/f", "v:/one", false));
        refused(ErrorCode.ALREADY_EXISTS, () -> rename("v:/d", "v:/two", false));
        refused(ErrorCode.NOT_EMPTY, () -> rename("v:/f", "v:/full"));
        refused(ErrorCode.NOT_EMPTY, () -> rename("v:/d", "v:/full"));
        refused(ErrorCode.ALREADY_EXISTS, () -> rename("v:/one", "v:/f"));
        rename("v:/f", "v:/one");
        assertThat(catalog.current(path("v:/one"))).contains(file.at(path("v:/one")));
        rename("v:/d", "v:/two");
        assertThat(names("/two", 10)).containsExactly("e");
        assertThat(catalog.entry(path("v:/two")))
                .as("it is the directory that was moved")
                .contains(CurrentEntry.directory(Optional.empty()));
        assertThat(names("/", 10)).containsExactly("full/", "one", "two/");
        rename("v:/full/x", "v:/x");
        assertThat(catalog.entry(path("v:/full"))).contains(kept(5));
        rename("v:/x", "v:/full");
        assertThat(names("/", 10)).containsExactly("full/", "one", "two/");
    }

    @Test
    void directoriesKeepTheLimitsOfPaths() throws Exception {
        String deepest = "v:" + "/d".repeat(Tree.MAX_DIRECTORIES);
        makeAll(deepest + "/x");
        refused(ErrorCode.INVALID_ARGUMENT, () -> makeAll(deepest + "/x/y/z"));
        String longest = "v:/a/" + "x".repeat(FilePath.MAX_BYTES - 3);
        makeAll(longest);
        refused(ErrorCode.INVALID_ARGUMENT, () -> rename("v:/a", "v:/aa"));
        rename("v:/a", "v:/b");
    }

    @Test
    void changesOfDirectoriesAreInTheLog() throws Exception {
        makeAll("v:/a/b");
        Attributes unused = catalog.setAttributes(new AttributeChange(path("v:/a/b"), Map.of("x", "1"), Set.of()), 7);
        unmake("v:/a/b");
        refused(ErrorCode.ALREADY_EXISTS, () -> make("v:/a"));
        refused(ErrorCode.NOT_FOUND, () -> unmake("v:/a/b"));
        assertThat(catalog.changes().after(VOLUME, 0, 10).items())
                .containsExactly(
                        Change.directoryCreated(path("v:/a/b"), 5),
                        Change.attributes(path("v:/a/b"), Optional.empty(), 7).at(2),
                        Change.directoryRemoved(path("v:/a/b"), 6).at(3));
    }

    @Test
    void snapshotSeesDirectoriesThatWereEmpty() throws Exception {
        makeAll("v:/a/b");
        var unused = catalog.snapshots().create(VOLUME, "s", 6);
        unmake("v:/a/b");
        unmake("v:/a");
        make("v:/c");
        assertThat(names("/", 10)).containsExactly("c/");
        assertThat(catalog.snapshots().list("s", VOLUME, "/", "", 10).items())
                .extracting(DirectoryEntry::name)
                .containsExactly("a");
        assertThat(catalog.snapshots().list("s", VOLUME, "/a", "", 10).items())
                .extracting(DirectoryEntry::name)
                .containsExactly("b");
        assertThat(catalog.snapshots().list("s", VOLUME, "/a/b", "", 10).items())
                .isEmpty();
    }

    @Test
    void lateRetryOfADirectoryCallChangesNothing() throws Exception {
        ChangeRequest creation = call();
        ChangeRequest removal = call();
        catalog.createDirectory(path("v:/a"), false, creation);
        catalog.removeDirectory(path("v:/a"), removal);
        catalog.createDirectory(path("v:/a"), false, creation);
        assertThat(names("/", 10)).isEmpty();
        catalog.createDirectory(path("v:/a"), false, call());
        catalog.removeDirectory(path("v:/a"), removal);
        assertThat(names("/", 10)).containsExactly("a/");
        ChangeRequest refusal = call();
        refused(ErrorCode.ALREADY_EXISTS, () -> catalog.createDirectory(path("v:/a"), false, refusal));
        unmake("v:/a");
        refused(ErrorCode.ALREADY_EXISTS, () -> catalog.createDirectory(path("v:/a"), false, refusal));
    }

    @Test
    void copyIsTheSameVersionUnderAnotherPath() throws Exception {
        FileVersion version = put("v:/a/f", 1, Optional.empty());
        Attributes attributes =
                catalog.setAttributes(new AttributeChange(version.file(), Map.of("x", "1"), Set.of()), 3);
        FileVersion there = version.at(path("v:/b/c/g"));
        assertThat(copy("v:/a/f", "v:/b/c/g", false)).isEqualTo(there);
        assertThat(catalog.file(there.file())).contains(new CurrentFile(there, 9, attributes));
        assertThat(catalog.changes().after(VOLUME, 2, 10).items())
                .containsExactly(Change.put(there.file(), version.id(), 9).at(3));
        catalog.remove(version.file(), 10);
        assertThat(catalog.state(version.id())).contains(VersionState.CURRENT);
        assertThat(catalog.current(there.file())).contains(there);
        FileVersion next = put("v:/b/c/g", 1, Optional.of(version.id()));
        assertThat(catalog.current(there.file())).contains(next);
        assertThat(retired()).extracting(RetiredVersion::id).containsExactly(version.id());
    }

    @Test
    void copyReplacesAFileOnlyIfAllowed() throws Exception {
        FileVersion a = put("v:/a", 1, Optional.empty());
        FileVersion b = put("v:/b", 1, Optional.empty());
        put("v:/d/f", 0, Optional.empty());
        make("v:/empty");
        refused(ErrorCode.ALREADY_EXISTS, () -> copy("v:/a", "v:/b", false));
        refused(ErrorCode.ALREADY_EXISTS, () -> copy("v:/a", "v:/a", false));
        for (String to : List.of("v:/d", "v:/empty", "v:/b/x")) {
            refused(ErrorCode.ALREADY_EXISTS, () -> copy("v:/a", to, true));
        }
        for (String from : List.of("v:/none", "v:/d", "v:/a/x")) {
            refused(ErrorCode.NOT_FOUND, () -> copy(from, "v:/new", true));
        }
        refused(ErrorCode.VOLUME_NOT_FOUND, () -> copy("nowhere:/a", "nowhere:/b", true));
        long position = catalog.changes().position(VOLUME);
        copy("v:/a", "v:/a", true);
        assertThat(catalog.changes().position(VOLUME)).isEqualTo(position);
        copy("v:/a", "v:/b", true);
        assertThat(catalog.current(b.file())).contains(a.at(b.file()));
        assertThat(retired()).extracting(RetiredVersion::id).containsExactly(b.id());
    }

    @Test
    void lateRetryOfACopyReplacesNothing() throws Exception {
        FileVersion version = put("v:/a", 0, Optional.empty());
        ChangeRequest call = call();
        FileCopy copy = new FileCopy(version.file(), path("v:/b"), false);
        FileVersion copied = catalog.copy(copy, call);
        catalog.remove(path("v:/b"), 1);
        assertThat(catalog.copy(copy, call)).isEqualTo(copied);
        assertThat(catalog.current(path("v:/b"))).isEmpty();
    }

    @Test
    void directoryIsNotRemovedBeneathParallelPuts() throws Exception {
        for (int round = 0; round < 10; round++) {
            String directory = "v:/d" + round;
            make(directory);
            FileVersion version = Versions.of(directory + "/f", 0);
            List<Callable<Boolean>> calls = new ArrayList<>();
            calls.add(() -> succeeds(() -> commit(version, Optional.empty())));
            calls.add(() -> succeeds(
                    () -> {
                        unmake(directory);
                        return directory;
                    },
                    ErrorCode.NOT_EMPTY));
            atOnce(calls);
            assertThat(catalog.current(version.file())).contains(version);
        }
    }
}
