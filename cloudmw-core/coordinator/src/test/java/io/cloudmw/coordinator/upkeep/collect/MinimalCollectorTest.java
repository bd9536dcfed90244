package io.cloudmw.coordinator.upkeep.collect;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.coordinator.CoordinatorOptions;
import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.catalog.sqlite.SqliteCatalog;
import io.cloudmw.coordinator.catalog.version.RetiredVersion;
import io.cloudmw.coordinator.lease.Lease;
import io.cloudmw.coordinator.testing.TestCluster;
import io.cloudmw.coordinator.testing.memory.InMemoryCatalog;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.file.Edit;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.model.file.Rename;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests with random edits, including abandoned ones, and collection of retired versions in any order. */
final class MinimalCollectorTest {
    private static final int STEPS = 300;
    private static final long MIB = 1 << 20;

    @TempDir
    Path directory;

    private final Set<ChunkId> stored = new HashSet<>();
    private final Set<VersionId> begun = new HashSet<>();
    private final Set<VersionId> givenUp = new HashSet<>();

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void neededChunksStayAndAllOthersAreDeleted(long seed) throws Exception {
        try (Catalog catalog = new InMemoryCatalog()) {
            play(catalog, seed, STEPS);
        }
    }

    @Test
    void neededChunksStayInAFileCatalogToo() throws Exception {
        try (Catalog catalog = SqliteCatalog.open(directory.resolve("catalog.db"))) {
            play(catalog, 9, 60);
        }
    }

    /** Only the last version of a file remains, however often it is appended to. */
    @Test
    void longChainOfEditsKeepsNothingOfTheVersionsBetween() throws Exception {
        try (Catalog catalog = new InMemoryCatalog()) {
            TestCluster cluster = new TestCluster(catalog).withVolume(1);
            FilePath file = FilePath.parse("v:/log");
            for (int i = 0; i < 200; i++) {
                stored(cluster, cluster.edit(file, Edit.append(MIB / 4)));
                collect(catalog, retired(catalog), 0);
            }
            assertThat(stored).hasSize(50);
            assertThat(retired(catalog)).isEmpty();
            assertThat(begun.stream().filter(version -> isKnown(catalog, version)))
                    .as("the current one, and those that wrote its chunks")
                    .hasSize(50);
        }
    }

    private void play(Catalog catalog, long seed, int steps) throws CloudMwException {
        SplittableRandom random = new SplittableRandom(seed);
        TestCluster cluster = new TestCluster(catalog).withVolume(1);
        List<FilePath> files = List.of(FilePath.parse("v:/a"), FilePath.parse("v:/b/c"));
        for (int step = 0; step < steps; step++) {
            FilePath file = files.get(random.nextInt(files.size()));
            change(cluster, random, file, files);
            if (random.nextInt(3) == 0) {
                List<RetiredVersion> retired = retired(catalog);
                collect(catalog, retired, retired.isEmpty() ? 0 : random.nextInt(retired.size()));
            }
            for (FilePath path : files) {
                Optional<FileVersion> current = catalog.current(path);
                if (current.isPresent()) {
                    assertThat(stored)
                            .as("seed %d, step %d", seed, step)
                            .containsAll(named(cluster, current.get().id()));
                }
            }
        }
        for (FilePath path : files) {
            if (catalog.current(path).isPresent()) {
                catalog.remove(path, cluster.now());
            }
        }
        cluster.ticker.advance(CoordinatorOptions.defaults().abandonedAfter().plus(Duration.ofSeconds(1)));
        cluster.coordinator.retireAbandoned();
        collect(catalog, retired(catalog), 0);
        assertThat(stored).as("seed %d", seed).isEmpty();
        assertThat(begun)
                .as("seed %d", seed)
                .noneMatch(version -> isKnown(catalog, version) && !givenUp.contains(version));
        for (VersionId version : givenUp) {
            assertThat(catalog.segment(version, 0))
                    .as("seed %d: of what was given up only the id stays", seed)
                    .isEmpty();
        }
    }

    private void change(TestCluster cluster, SplittableRandom random, FilePath file, List<FilePath> files)
            throws CloudMwException {
        Optional<FileVersion> current = cluster.catalog.current(file);
        long size = current.map(FileVersion::sizeBytes).orElse(0L);
        long offset = size == 0 ? 0 : random.nextLong(size + 1);
        Edit edit = Edit.append(random.nextLong(2 * MIB));
        switch (random.nextInt(8)) {
            case 0 -> stored(cluster, cluster.put(file, random.nextLong(6 * MIB)));
            case 1 -> stored(cluster, cluster.edit(file, Edit.write(offset, random.nextLong(2 * MIB))));
            case 2 -> {
                if (current.isPresent()) {
                    stored(cluster, cluster.edit(file, Edit.truncate(offset)));
                }
            }
            case 3 -> {
                if (current.isPresent()) {
                    cluster.catalog.remove(file, cluster.now());
                }
            }
            case 4 -> {
                if (current.isPresent()) {
                    FilePath to = files.get(random.nextInt(files.size()));
                    cluster.catalog.rename(new Rename(file, to, true), cluster.now());
                }
            }
            // The writer abandons the upload.
            case 5 -> {
                FileVersion never = cluster.edited(file, edit);
                stored(cluster, never);
                givenUp.add(never.id());
            }
            default -> stored(cluster, cluster.edit(file, edit));
        }
    }

    /** Adds the chunks of a version to the stores. */
    private void stored(TestCluster cluster, FileVersion version) throws CloudMwException {
        begun.add(version.id());
        named(cluster, version.id()).stream()
                .filter(chunk -> chunk.version().equals(version.id()))
                .forEach(stored::add);
    }

    private static List<ChunkId> named(TestCluster cluster, VersionId version) throws CloudMwException {
        return cluster.segment(version, 0).stream().map(Chunk::id).toList();
    }

    private static List<RetiredVersion> retired(Catalog catalog) throws CloudMwException {
        return catalog.retired("", Catalog.MAX_PAGE).items();
    }

    /** Collects the versions from one on: the chunks twice, as after a crash, then the version. */
    private void collect(Catalog catalog, List<RetiredVersion> retired, int from) throws CloudMwException {
        MinimalCollector garbage = new MinimalCollector(catalog);
        Lease lease = catalog.leases()
                .acquire("collection", "test", Duration.ofSeconds(1), 0)
                .orElseThrow();
        for (RetiredVersion version : new ArrayList<>(retired.subList(from, retired.size()))) {
            for (int i = 0; i < 2 * version.segments(); i++) {
                List<Chunk> found = garbage.of(version, i / 2);
                found.forEach(chunk -> stored.remove(chunk.id()));
            }
            catalog.forget(lease, version.id());
        }
    }

    private static boolean isKnown(Catalog catalog, VersionId version) {
        try {
            return catalog.state(version).isPresent();
        } catch (CloudMwException e) {
            throw new AssertionError(e);
        }
    }
}
