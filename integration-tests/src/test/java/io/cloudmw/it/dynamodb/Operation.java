package io.cloudmw.it.dynamodb;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.catalog.change.CommitRequest;
import io.cloudmw.coordinator.catalog.tree.DirectoryEntry;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.Mode;
import io.cloudmw.core.model.Page;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.model.file.Rename;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.model.volume.Chunking;
import io.cloudmw.core.model.volume.Volume;
import io.cloudmw.core.testing.Versions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Stream;

/** An operation on the names of a catalog. */
@FunctionalInterface
interface Operation {
    VolumeName VOLUME = new VolumeName("v");

    List<String> PATHS = List.of("/a", "/a/b", "/a/c", "/a/b/c", "/d", "/d/b", "/d/b/c", "/d/e/f", "/b/c", "/b");

    String on(Catalog catalog) throws CloudMwException;

    /** Returns the result as far as it can be compared between catalogs, or the name of the error. */
    default String outcome(Catalog catalog) {
        try {
            return on(catalog);
        } catch (CloudMwException e) {
            return e.code().name();
        }
    }

    static <C extends Catalog> C withAVolume(C catalog) throws CloudMwException {
        StoreId store = new StoreId("s1");
        catalog.putStore(new Store(store, "domain", new Store.S3("bucket", "eu-west-1", "", false, "")));
        catalog.createVolume(new Volume(VOLUME, new Chunking.ByCount(3), 1, List.of(store), 1, Mode.ROUNDS, false, 42));
        return catalog;
    }

    /** Returns a random operation; a put, which may replace, adds its version to {@code committed}. */
    static Operation random(SplittableRandom random, Set<VersionId> committed) {
        String path = path(random);
        String other = path(random);
        return switch (random.nextInt(5)) {
            case 0, 1 -> {
                FileVersion version = Versions.of(VOLUME + ":" + path, 0);
                yield catalog -> {
                    Optional<VersionId> before = catalog.current(version.file()).map(FileVersion::id);
                    catalog.commit(new CommitRequest(version, before, List.of()));
                    committed.add(version.id());
                    return "put";
                };
            }
            case 2 -> remove(path);
            default -> rename(path, other, random.nextBoolean());
        };
    }

    static String path(SplittableRandom random) {
        return PATHS.get(random.nextInt(PATHS.size()));
    }

    /** Returns a put to a path that must have no file. */
    static Operation put(String path) {
        FileVersion version = Versions.of(VOLUME + ":" + path, 0);
        return catalog -> {
            catalog.commit(new CommitRequest(version, Optional.empty(), List.of()));
            return "put";
        };
    }

    static Operation remove(String path) {
        return catalog -> catalog.remove(new FilePath(VOLUME, path), 1).id().toString();
    }

    static Operation rename(String from, String to, boolean replace) {
        Rename rename = new Rename(new FilePath(VOLUME, from), new FilePath(VOLUME, to), replace);
        return catalog -> catalog.rename(rename, 1).name();
    }

    /** Returns a read of several files at once, of which the result is the last one. */
    static Operation read(String... paths) {
        List<FilePath> files =
                Stream.of(paths).map(path -> new FilePath(VOLUME, path)).toList();
        return catalog -> catalog.files(files)
                .get(files.size() - 1)
                .map(file -> file.version().id().toString())
                .orElse("none");
    }

    /** Returns all files with their versions, by path; fails if a directory is empty. */
    static List<String> tree(Catalog catalog, String directory) throws CloudMwException {
        List<String> files = new ArrayList<>();
        Page<DirectoryEntry> page = catalog.list(VOLUME, directory.isEmpty() ? "/" : directory, "", 1000);
        assertThat(page.isLast()).isTrue();
        assertThat(page.items()).as(directory).hasSizeGreaterThanOrEqualTo(directory.isEmpty() ? 0 : 1);
        for (DirectoryEntry entry : page.items()) {
            String path = directory + "/" + entry.name();
            if (entry.isDirectory()) {
                files.addAll(tree(catalog, path));
            } else {
                files.add(path + " " + entry.version().orElseThrow().id());
            }
        }
        return files;
    }
}
