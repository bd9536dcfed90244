package io.cloudmw.coordinator.testing.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.coordinator.catalog.version.VersionState;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.file.AttributeChange;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.testing.Versions;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;

/** A random sequence of changes and snapshots, with a model of what each snapshot must see. */
final class SnapshotsSimulation {
    private static final List<String> FILES = List.of("/a", "/b", "/d/x", "/d/e/y", "/f/e/z");
    private static final List<String> DIRECTORIES = List.of("/d", "/f", "/g", "/d/e", "/f/e", "/d/h");

    private final SnapshotsContract contract;
    private final SplittableRandom random;
    private TreeMap<String, VersionId> now = new TreeMap<>();
    private final Map<String, TreeMap<String, VersionId>> snapshots = new TreeMap<>();
    private final Set<VersionId> made = new HashSet<>();
    private int named;

    SnapshotsSimulation(SnapshotsContract contract, SplittableRandom random) {
        this.contract = contract;
        this.random = random;
    }

    void run(int steps) throws CloudMwException {
        for (int step = 0; step < steps; step++) {
            TreeMap<String, VersionId> after = new TreeMap<>(now);
            try {
                change(after);
                now = after;
            } catch (CloudMwException e) {
                // The operation was impossible, such as a file where a directory is.
                assertThat(e.code().name())
                        .isIn("ALREADY_EXISTS", "NOT_EMPTY", "NOT_FOUND", "INVALID_ARGUMENT", "CONFLICT");
            }
            compare("step " + step);
        }
        for (String snapshot : List.copyOf(snapshots.keySet())) {
            contract.catalog.snapshots().remove(CatalogFixture.VOLUME, snapshot);
            snapshots.remove(snapshot);
        }
        contract.prune();
        checkVersions("at the end");
    }

    private <T> T any(List<T> of) {
        return of.get(random.nextInt(of.size()));
    }

    private void change(Map<String, VersionId> after) throws CloudMwException {
        String path = any(FILES);
        switch (random.nextInt(10)) {
            case 0, 1, 2 -> {
                FileVersion version = Versions.of("v:" + path, 0);
                contract.commit(version, Optional.ofNullable(now.get(path)));
                made.add(version.id());
                after.put(path, version.id());
            }
            case 3 -> {
                contract.catalog.remove(FilePath.parse("v:" + path), 1);
                after.remove(path);
            }
            case 4 -> {
                String to = any(FILES);
                contract.rename("v:" + path, "v:" + to);
                VersionId moved = after.remove(path);
                after.put(to, moved);
            }
            case 5 -> renameDirectory(any(DIRECTORIES), any(DIRECTORIES), after);
            case 6 ->
                contract.catalog.setAttributes(
                        new AttributeChange(
                                FilePath.parse("v:" + path), Map.of("n", String.valueOf(random.nextInt())), Set.of()),
                        1);
            case 7 -> {
                String name = "s" + named++;
                contract.catalog.snapshots().create(CatalogFixture.VOLUME, name, 1);
                snapshots.put(name, new TreeMap<>(now));
            }
            case 8 -> {
                if (!snapshots.isEmpty() && random.nextBoolean()) {
                    String name = any(List.copyOf(snapshots.keySet()));
                    contract.catalog.snapshots().remove(CatalogFixture.VOLUME, name);
                    snapshots.remove(name);
                }
                contract.prune();
                checkVersions("after pruning");
            }
            default -> {
                if (!snapshots.isEmpty()) {
                    String name = any(List.copyOf(snapshots.keySet()));
                    FileVersion restored = contract.catalog.snapshots().restore(name, FilePath.parse("v:" + path), 1);
                    assertThat(restored.id())
                            .isEqualTo(
                                    Objects.requireNonNull(snapshots.get(name)).get(path));
                    after.put(path, restored.id());
                }
            }
        }
    }

    private void renameDirectory(String from, String to, Map<String, VersionId> after) throws CloudMwException {
        contract.rename("v:" + from, "v:" + to);
        for (String path : List.copyOf(after.keySet())) {
            if (path.startsWith(from + "/")) {
                VersionId moved = after.remove(path);
                after.put(to + path.substring(from.length()), moved);
            }
        }
    }

    private void compare(String step) throws CloudMwException {
        for (String path : FILES) {
            assertThat(contract.catalog.current(FilePath.parse("v:" + path)).map(FileVersion::id))
                    .as("%s %s", step, path)
                    .isEqualTo(Optional.ofNullable(now.get(path)));
        }
        if (snapshots.isEmpty()) {
            return;
        }
        String name = any(List.copyOf(snapshots.keySet()));
        Map<String, VersionId> seen = Objects.requireNonNull(snapshots.get(name));
        List<String> paths = new ArrayList<>();
        walk(name, "", paths);
        assertThat(paths).as("%s %s", step, name).containsExactlyInAnyOrderElementsOf(seen.keySet());
        for (String path : paths) {
            assertThat(contract.version(name, "v:" + path))
                    .as("%s %s %s", step, name, path)
                    .contains(seen.get(path));
        }
    }

    private void walk(String snapshot, String directory, List<String> paths) throws CloudMwException {
        for (String name : contract.names(snapshot, directory.isEmpty() ? "/" : directory, 2)) {
            if (name.endsWith("/")) {
                walk(snapshot, directory + "/" + name.substring(0, name.length() - 1), paths);
            } else {
                paths.add(directory + "/" + name);
            }
        }
    }

    /** Checks that named versions are not retired, and all others are. */
    private void checkVersions(String step) throws CloudMwException {
        Set<VersionId> kept = new HashSet<>(now.values());
        snapshots.values().forEach(seen -> kept.addAll(seen.values()));
        for (VersionId version : made) {
            assertThat(contract.catalog.state(version))
                    .as("%s %s", step, version)
                    .contains(kept.contains(version) ? VersionState.CURRENT : VersionState.RETIRED);
        }
    }
}
