package io.cloudmw.coordinator.testing.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.catalog.tree.CurrentFile;
import io.cloudmw.coordinator.catalog.tree.DirectoryEntry;
import io.cloudmw.coordinator.catalog.tree.Tree;
import io.cloudmw.coordinator.catalog.version.RetiredVersion;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.Page;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.file.AttributeChange;
import io.cloudmw.core.model.file.Attributes;
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

/** Contract of names in a catalog: directories, listings and renames. */
abstract class NamesContract extends DirectoriesContract {
    @Test
    void pathIsEitherAFileOrADirectory() throws Exception {
        put("v:/a/b/c", 0, Optional.empty());
        for (String path : List.of("v:/a", "v:/a/b", "v:/a/b/c/d", "v:/a/b/c/d/e")) {
            refused(ErrorCode.ALREADY_EXISTS, () -> put(path, 0, Optional.empty()));
            refused(ErrorCode.ALREADY_EXISTS, () -> catalog.checkPath(FilePath.parse(path)));
        }
        for (String path : List.of("v:/a/b/c", "v:/a/b/c0", "v:/new/one")) {
            catalog.checkPath(FilePath.parse(path));
        }
        refused(ErrorCode.VOLUME_NOT_FOUND, () -> catalog.checkPath(FilePath.parse("nowhere:/a")));
        assertThat(names("/", 10)).as("checked, not made").containsExactly("a/");
        put("v:/a/b/c0", 0, Optional.empty());
        put("v:/a/b-", 0, Optional.empty());
        put("v:/a0", 0, Optional.empty());
    }

    @Test
    void filesAtManyPathsAreAsEachByItself() throws Exception {
        List<FilePath> paths = new ArrayList<>();
        for (int directory = 0; directory < 3; directory++) {
            for (int file = 0; file < 70; file++) {
                String path = "v:/d" + directory + "/e/f" + file;
                put(path, 0, Optional.empty());
                paths.add(FilePath.parse(path));
            }
        }
        put("v:/at-the-root", 0, Optional.empty());
        List.of(
                        "v:/at-the-root",
                        "v:/d0",
                        "v:/d0/e",
                        "v:/d0/e/absent",
                        "v:/d0/e/f1/below",
                        "v:/absent/e/f1",
                        "v:/d0/e/f1")
                .forEach(path -> paths.add(0, FilePath.parse(path)));
        List<Optional<CurrentFile>> each = new ArrayList<>();
        for (FilePath path : paths) {
            each.add(catalog.file(path));
        }
        assertThat(each).filteredOn(Optional::isEmpty).hasSize(5);
        assertThat(catalog.files(paths)).isEqualTo(each);
        assertThat(catalog.files(List.of())).isEmpty();
        assertThat(catalog.files(List.of(FilePath.parse("nowhere:/a")))).containsExactly(Optional.empty());
    }

    @Test
    void listingShowsImmediateChildrenInOrderPageByPage() throws Exception {
        for (String path : List.of(
                "/z", "/dir/x/1", "/dir/x/2", "/dir/y", "/dir.txt", "/dir-", "/ü", "/\uD83D\uDE00", "/\uFFFD")) {
            put("v:" + path, 0, Optional.empty());
        }
        List<String> all = List.of("dir/", "dir-", "dir.txt", "z", "ü", "\uFFFD", "\uD83D\uDE00");
        for (int limit = 1; limit <= 8; limit++) {
            assertThat(names("/", limit)).as("limit %d", limit).isEqualTo(all);
        }
        assertThat(names("/dir", 1)).containsExactly("x/", "y");
        assertThat(names("/dir/x", 10)).containsExactly("1", "2");
        assertThat(names("/di", 10)).isEmpty();
        assertThat(names("/dir.txt", 10)).isEmpty();
    }

    @Test
    void listingSkipsEntriesOfSubdirectories() throws Exception {
        List<String> expected = new ArrayList<>();
        for (int directory = 10; directory < 30; directory++) {
            for (int file = 0; file < 10; file++) {
                put("v:/d" + directory + "/f" + file, 0, Optional.empty());
            }
            put("v:/e" + directory, 0, Optional.empty());
            expected.add("d" + directory + "/");
        }
        for (int file = 10; file < 30; file++) {
            expected.add("e" + file);
        }
        for (int limit : new int[] {1, 7, 20, 39, 40, 41}) {
            assertThat(names("/", limit)).as("limit %d", limit).isEqualTo(expected);
        }
    }

    @Test
    void listingOfAnotherVolumeShowsNothing() throws Exception {
        catalog.createVolume(volume("w", S1, S2));
        put("v:/a", 0, Optional.empty());
        assertThat(catalog.list(new VolumeName("w"), "/", "", 10).items()).isEmpty();
    }

    @Test
    void malformedListingsAreRefused() {
        for (String directory : List.of("", "a", "/a/", "//", "/a/../b")) {
            refused(ErrorCode.INVALID_ARGUMENT, () -> list(directory, "", 10));
        }
        refused(ErrorCode.INVALID_ARGUMENT, () -> list("/", "!", 10));
        refused(ErrorCode.INVALID_ARGUMENT, () -> list("/a", "L2I", 10));
        refused(ErrorCode.INVALID_ARGUMENT, () -> list("/", "", 0));
        refused(ErrorCode.INVALID_ARGUMENT, () -> list("/", "", Catalog.MAX_PAGE + 1));
    }

    @Test
    void listingContinuesAfterTheLastNameDespiteChangesAroundIt() throws Exception {
        for (String name : List.of("a", "b", "c", "d", "e")) {
            put("v:/dir/" + name, 0, Optional.empty());
        }
        Page<DirectoryEntry> first = list("/dir", "", 2);
        assertThat(first.items()).extracting(DirectoryEntry::name).containsExactly("a", "b");
        for (String name : List.of("a", "b", "c")) {
            catalog.remove(FilePath.parse("v:/dir/" + name), 1);
        }
        put("v:/dir/aa", 0, Optional.empty());
        put("v:/dir/bb", 0, Optional.empty());
        Page<DirectoryEntry> second = list("/dir", first.nextToken(), 2);
        assertThat(second.items()).extracting(DirectoryEntry::name).containsExactly("bb", "d");
        assertThat(list("/dir", second.nextToken(), 2).items())
                .extracting(DirectoryEntry::name)
                .containsExactly("e");
    }

    @Test
    void listingOfAMovedDirectoryIsAConflictAndOfAnEmptiedOneEnds() throws Exception {
        put("v:/dir/a", 0, Optional.empty());
        put("v:/dir/b", 0, Optional.empty());
        String token = list("/dir", "", 1).nextToken();
        rename("v:/dir", "v:/moved");
        refused(ErrorCode.CONFLICT, () -> list("/dir", token, 1));
        put("v:/dir/c", 0, Optional.empty());
        refused(ErrorCode.CONFLICT, () -> list("/dir", token, 1));
        assertThat(list("/moved", token, 1).items())
                .extracting(DirectoryEntry::name)
                .containsExactly("b");
        catalog.remove(FilePath.parse("v:/moved/a"), 1);
        catalog.remove(FilePath.parse("v:/moved/b"), 1);
        assertThat(list("/moved", token, 1)).isEqualTo(new Page<>(List.of(), ""));
    }

    @Test
    void renamedFileIsTheSameVersionUnderAnotherPath() throws Exception {
        FileVersion version = put("v:/a/b", 1, Optional.empty());
        DirectoryEntry moved = rename("v:/a/b", "v:/c/d/e");
        FileVersion there = version.at(FilePath.parse("v:/c/d/e"));
        assertThat(moved).isEqualTo(new DirectoryEntry("e", Optional.of(there)));
        assertThat(catalog.current(version.file())).isEmpty();
        assertThat(catalog.current(there.file())).contains(there);
        assertThat(names("/", 10)).as("directories go with their last file").containsExactly("c/");
        assertThat(list("/c/d", "", 10).items())
                .containsExactly(
                        new DirectoryEntry("e", Optional.of(there), Attributes.NONE, version.committedAtMillis()));
        assertThat(catalog.version(version.id())).as("as it was committed").contains(version);
        assertThat(catalog.segment(version.id(), 0)).isPresent();
        assertThat(retired()).isEmpty();
        assertThat(commit(version, Optional.empty())).as("a repeated commit").isEqualTo(version);
        put("v:/a", 1, Optional.empty());
        refused(ErrorCode.NOT_FOUND, () -> rename("v:/none", "v:/x"));
        refused(ErrorCode.NOT_FOUND, () -> rename("v:/none/x", "v:/x"));
        refused(ErrorCode.VOLUME_NOT_FOUND, () -> rename("nowhere:/a", "nowhere:/b"));
    }

    @Test
    void renamedFileReplacesAnotherOnlyIfAllowed() throws Exception {
        FileVersion a = put("v:/a", 1, Optional.empty());
        FileVersion b = put("v:/b", 1, Optional.empty());
        refused(ErrorCode.ALREADY_EXISTS, () -> rename("v:/a", "v:/b", false));
        assertThat(catalog.current(b.file())).contains(b);
        catalog.rename(new Rename(a.file(), b.file(), true), 55);
        assertThat(catalog.current(a.file())).isEmpty();
        assertThat(catalog.current(b.file())).contains(a.at(b.file()));
        assertThat(retired()).containsExactly(new RetiredVersion(b.id(), 55, 1));
        assertThat(catalog.version(b.id())).as("its readers go on").contains(b);
        rename("v:/b", "v:/b");
        refused(ErrorCode.ALREADY_EXISTS, () -> rename("v:/b", "v:/b", false));
        assertThat(catalog.current(b.file())).isPresent();
    }

    @Test
    void putFollowsNoRenameAndAnExpectedVersionDoes() throws Exception {
        FileVersion first = put("v:/a", 1, Optional.empty());
        FileVersion second = Versions.of("v:/a", 1);
        putSegments(second);
        rename("v:/a", "v:/b");
        refused(ErrorCode.CONFLICT, () -> commit(second, Optional.of(first.id())));
        FileVersion there = put("v:/b", 1, Optional.of(first.id()));
        assertThat(catalog.current(there.file())).contains(there);
        assertThat(retired()).extracting(RetiredVersion::id).containsExactly(first.id());
        commit(second, Optional.empty());
        assertThat(catalog.current(second.file())).contains(second);
    }

    @Test
    void namesInDifferentNormalFormsAreDifferentFiles() throws Exception {
        FileVersion composed = put("v:/caf\u00e9", 1, Optional.empty());
        FileVersion decomposed = put("v:/cafe\u0301", 1, Optional.empty());
        FileVersion capital = put("v:/Caf\u00e9", 1, Optional.empty());
        for (FileVersion version : List.of(composed, decomposed, capital)) {
            assertThat(catalog.current(version.file())).contains(version);
        }
    }

    @Test
    void renamedDirectoryTakesItsContentAlong() throws Exception {
        List<FileVersion> versions = new ArrayList<>();
        for (String path : List.of("v:/a/d/1", "v:/a/d/2", "v:/a/d/x/3", "v:/a/d/x/y/4")) {
            versions.add(put(path, 1, Optional.empty()));
        }
        put("v:/a/d2", 0, Optional.empty());
        assertThat(rename("v:/a/d", "v:/e/f")).isEqualTo(new DirectoryEntry("f", Optional.empty()));
        for (FileVersion version : versions) {
            FilePath there = FilePath.parse(version.file().toString().replace("/a/d/", "/e/f/"));
            assertThat(catalog.current(there)).contains(version.at(there));
            assertThat(catalog.current(version.file())).isEmpty();
        }
        assertThat(names("/a", 10)).containsExactly("d2");
        assertThat(names("/e/f", 10)).containsExactly("1", "2", "x/");
        assertThat(names("/e/f/x", 10)).containsExactly("3", "y/");
        put("v:/a/d/1", 0, Optional.empty());
        catalog.deleteVolume(VOLUME, true, 9);
        assertThat(retired())
                .extracting(RetiredVersion::id)
                .containsAll(versions.stream().map(FileVersion::id).toList());
    }

    @Test
    void directoryReplacesNoEntriesAndIsNotMovedIntoItself() throws Exception {
        put("v:/a/b/c", 0, Optional.empty());
        put("v:/d/e", 0, Optional.empty());
        put("v:/f", 0, Optional.empty());
        refused(ErrorCode.NOT_EMPTY, () -> rename("v:/a", "v:/d"));
        refused(ErrorCode.NOT_EMPTY, () -> rename("v:/a/b", "v:/a"));
        refused(ErrorCode.ALREADY_EXISTS, () -> rename("v:/a", "v:/f"));
        refused(ErrorCode.ALREADY_EXISTS, () -> rename("v:/a", "v:/f/x"));
        refused(ErrorCode.NOT_EMPTY, () -> rename("v:/f", "v:/a"));
        refused(ErrorCode.ALREADY_EXISTS, () -> rename("v:/f", "v:/f/x"));
        refused(ErrorCode.INVALID_ARGUMENT, () -> rename("v:/a", "v:/a/x"));
        refused(ErrorCode.INVALID_ARGUMENT, () -> rename("v:/a", "v:/a/b/c/d"));
        rename("v:/a", "v:/a");
        assertThat(names("/", 10)).containsExactly("a/", "d/", "f");
        rename("v:/a", "v:/ab");
        rename("v:/ab/b", "v:/b");
        assertThat(names("/", 10)).containsExactly("b/", "d/", "f");
    }

    @Test
    void parallelRenamesOfAFileHaveASingleWinner() throws Exception {
        FileVersion version = put("v:/a", 0, Optional.empty());
        List<Callable<Boolean>> movers = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
            String to = "v:/to" + i + "/x";
            movers.add(() -> succeeds(() -> rename("v:/a", to), ErrorCode.NOT_FOUND));
        }
        assertThat(atOnce(movers)).isEqualTo(1);
        assertThat(names("/", 100)).hasSize(1);
        assertThat(catalog.version(version.id())).isPresent();
    }

    @Test
    void directoriesMovedIntoEachOtherInParallelAreNeverLost() throws Exception {
        for (int round = 0; round < 20; round++) {
            String a = "v:/a" + round;
            String b = "v:/b" + round;
            put(a + "/1", 0, Optional.empty());
            put(b + "/2", 0, Optional.empty());
            assertThat(atOnce(List.of(
                            () -> succeeds(() -> rename(a, b + "/x")), () -> succeeds(() -> rename(b, a + "/x")))))
                    .isEqualTo(2);
            boolean aIsOuter = catalog.current(FilePath.parse(a + "/x/2")).isPresent();
            String inner = aIsOuter ? a + "/x/x/1" : b + "/x/x/2";
            assertThat(catalog.current(FilePath.parse(inner))).isPresent();
            assertThat(names("/", 100)).hasSize(round + 1);
        }
    }

    @Test
    void pathsStayWithinTheirLimitsWhereverADirectoryIsMoved() throws Exception {
        String longest = "v:/d/" + "x".repeat(FilePath.MAX_BYTES - 3);
        put(longest, 0, Optional.empty());
        refused(ErrorCode.INVALID_ARGUMENT, () -> rename("v:/d", "v:/dd"));
        refused(ErrorCode.INVALID_ARGUMENT, () -> rename("v:/d", "v:/e/d"));
        rename("v:/d", "v:/e");
        put("v:/f/g/h", 0, Optional.empty());
        refused(ErrorCode.INVALID_ARGUMENT, () -> rename("v:/e", "v:/f/e"));
        rename("v:/f/g", "v:/e/g");
        assertThat(names("/e", 10)).hasSize(2);
    }

    @Test
    void pathsThatNeedNewDirectoriesHaveALimitedDepth() throws Exception {
        String deepest = "v:" + "/d".repeat(Tree.MAX_DIRECTORIES);
        put(deepest + "/x", 0, Optional.empty());
        refused(ErrorCode.INVALID_ARGUMENT, () -> put(deepest + "/e/x", 0, Optional.empty()));
        put("v:/a/b", 0, Optional.empty());
        refused(ErrorCode.INVALID_ARGUMENT, () -> rename("v:/a/b", deepest + "/e/x"));
        refused(ErrorCode.INVALID_ARGUMENT, () -> rename("v:/a", deepest + "/e/x"));
        rename("v:/a", deepest + "/e");
        assertThat(names(deepest.substring(2), 10)).containsExactly("e/", "x");
    }

    @Test
    void fileKeepsItsAttributesAndItsCreationTimeUntilItIsRemoved() throws Exception {
        FilePath a = FilePath.parse("v:/a");
        FilePath b = FilePath.parse("v:/b/c");
        FileVersion first = commitAt(a, 100, Optional.empty());
        assertThat(catalog.file(a)).contains(new CurrentFile(first, 100, Attributes.NONE));
        assertThat(set(a, Map.of("x", "1", "y", "2"), Set.of())).isEqualTo(Attributes.of(Map.of("x", "1", "y", "2")));
        Attributes kept = set(a, Map.of("x", "3"), Set.of("y", "none"));
        assertThat(kept).isEqualTo(Attributes.of(Map.of("x", "3")));
        assertThat(catalog.current(a)).as("no version is made").contains(first);
        FileVersion second = commitAt(a, 200, Optional.of(first.id()));
        assertThat(catalog.file(a)).contains(new CurrentFile(second, 100, kept));
        commitAt(b, 300, Optional.empty());
        set(b, Map.of("z", "4"), Set.of());
        rename("v:/a", "v:/b/c");
        rename("v:/b", "v:/d");
        FilePath there = FilePath.parse("v:/d/c");
        assertThat(catalog.file(there)).contains(new CurrentFile(second.at(there), 100, kept));
        catalog.remove(there, 1);
        FileVersion anew = commitAt(there, 400, Optional.empty());
        assertThat(catalog.file(there)).contains(new CurrentFile(anew, 400, Attributes.NONE));
    }

    @Test
    void attributesAreBounded() throws Exception {
        FilePath a = FilePath.parse("v:/d/a");
        put(a.toString(), 0, Optional.empty());
        refused(ErrorCode.NOT_FOUND, () -> set(FilePath.parse("v:/none"), Map.of("x", "1"), Set.of()));
        refused(ErrorCode.INVALID_ARGUMENT, () -> set(a, Map.of("x y", "1"), Set.of()));
        refused(ErrorCode.INVALID_ARGUMENT, () -> set(a, Map.of("x", "\n"), Set.of()));
        for (int i = 0; i < Attributes.MAX_COUNT; i++) {
            set(a, Map.of("n" + i, "v"), Set.of());
        }
        refused(ErrorCode.INVALID_ARGUMENT, () -> set(a, Map.of("more", "v"), Set.of()));
        set(a, Map.of("more", "v"), Set.of("n0"));
        String large = "ü".repeat(Attributes.MAX_BYTES / 2);
        refused(ErrorCode.INVALID_ARGUMENT, () -> set(a, Map.of("more", large), Set.of()));
        assertThat(catalog.file(a).orElseThrow().attributes().values())
                .hasSize(Attributes.MAX_COUNT)
                .containsEntry("more", "v");
    }

    @Test
    void parallelChangesOfAttributesAreAllKept() throws Exception {
        FilePath a = FilePath.parse("v:/a");
        put("v:/a", 0, Optional.empty());
        List<Callable<Boolean>> changes = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
            Map<String, String> one = Map.of("n" + i, "v");
            changes.add(() -> succeeds(() -> set(a, one, Set.of())));
        }
        assertThat(atOnce(changes)).isEqualTo(16);
        assertThat(catalog.file(a).orElseThrow().attributes().values()).hasSize(16);
    }

    private Attributes set(FilePath file, Map<String, String> values, Set<String> removed) throws CloudMwException {
        return catalog.setAttributes(new AttributeChange(file, values, removed), 1);
    }

    private FileVersion commitAt(FilePath file, long millis, Optional<VersionId> expected) throws CloudMwException {
        return commit(Versions.of(file, VersionId.random(), 0, millis), expected);
    }
}
