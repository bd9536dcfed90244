package io.cloudmw.coordinator.testing.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.catalog.change.CommitRequest;
import io.cloudmw.coordinator.catalog.version.ChunkReference;
import io.cloudmw.coordinator.catalog.version.RetiredVersion;
import io.cloudmw.coordinator.catalog.version.SharedRun;
import io.cloudmw.coordinator.lease.Lease;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.model.file.VersionPart;
import io.cloudmw.core.testing.Versions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;

/** A random sequence of calls on two catalogs, whose answers must be equal. */
final class SharedChunksSimulation {
    private static final int CHUNKS = 4;

    private final List<Catalog> catalogs;
    private final SplittableRandom random;
    private final List<String> paths = List.of("v:/a", "v:/b", "v:/c");
    private final Map<String, FileVersion> current = new TreeMap<>();
    private final Map<VersionId, List<ChunkId>> manifests =
            new TreeMap<>(java.util.Comparator.comparing(VersionId::value));

    SharedChunksSimulation(List<Catalog> catalogs, SplittableRandom random) {
        this.catalogs = catalogs;
        this.random = random;
    }

    @FunctionalInterface
    private interface Act<T> {
        T of(Catalog catalog) throws CloudMwException;
    }

    /** Runs a call on both catalogs and compares the answers. */
    private <T> T both(String what, Act<T> act) throws CloudMwException {
        T first = act.of(catalogs.get(0));
        assertThat(act.of(catalogs.get(1))).as(what).isEqualTo(first);
        return first;
    }

    void run(int steps) throws CloudMwException {
        for (int step = 0; step < steps; step++) {
            String path = paths.get(random.nextInt(paths.size()));
            switch (random.nextInt(6)) {
                case 0 -> remove(path);
                case 1, 2 -> collect();
                default -> change(path, random.nextInt(5) > 0);
            }
            compare("step " + step);
        }
    }

    private List<ChunkId> chunks(VersionId version) {
        return Objects.requireNonNull(manifests.get(version));
    }

    /** Writes a version that shares some chunks with the one before, or with all; a writer may abandon it. */
    private void change(String path, boolean commits) throws CloudMwException {
        Optional<FileVersion> base = Optional.ofNullable(current.get(path));
        FileVersion version = Versions.of(path, 1);
        List<FileVersion> parts = base.isEmpty() || random.nextInt(3) > 0 ? List.of() : List.copyOf(current.values());
        List<ChunkId> chunks = new ArrayList<>();
        for (int index = 0; index < CHUNKS; index++) {
            ChunkId chunk = new ChunkId(version.id(), index);
            if (base.isPresent() && random.nextBoolean()) {
                FileVersion from = parts.isEmpty() ? base.get() : parts.get(random.nextInt(parts.size()));
                chunk = chunks(from.id()).get(parts.isEmpty() ? index : random.nextInt(CHUNKS));
            }
            chunks.add(chunks.contains(chunk) ? new ChunkId(version.id(), index) : chunk);
        }
        manifests.put(version.id(), chunks);
        List<SharedRun> runs = SharedRun.of(others(version.id()));
        CommitRequest commit = new CommitRequest(version, base.map(FileVersion::id), List.of())
                .with(parts.stream()
                        .map(part -> new VersionPart(part.file(), part.id(), 0))
                        .toList());
        both("segment", catalog -> {
            catalog.putSegment(version.id(), 0, Versions.segment(version.id(), 0), runs, 1);
            return commits ? catalog.commit(commit) : catalog.resume(version.id(), 1);
        });
        if (commits) {
            current.put(path, version);
        }
    }

    private List<ChunkId> others(VersionId version) {
        return chunks(version).stream()
                .filter(chunk -> !chunk.version().equals(version))
                .toList();
    }

    private void remove(String path) throws CloudMwException {
        FileVersion removed = current.remove(path);
        if (removed != null) {
            both("removed", catalog -> catalog.remove(removed.file(), 1));
        }
    }

    private void collect() throws CloudMwException {
        if (random.nextInt(4) == 0) {
            both("given up", catalog -> catalog.retireAbandoned(lease(catalog), 10, 10));
        }
        List<RetiredVersion> retired =
                both("retired", catalog -> catalog.retired("", 100).items());
        if (!retired.isEmpty()) {
            VersionId version = retired.get(random.nextInt(retired.size())).id();
            both("garbage", catalog -> catalog.namedElsewhere(version, chunks(version)));
            both("forgotten", catalog -> {
                catalog.forget(lease(catalog), version);
                return true;
            });
        }
    }

    /** Returns the lease of the collector. */
    static Lease lease(Catalog catalog) throws CloudMwException {
        return catalog.leases()
                .acquire("collection", "test", Duration.ofSeconds(1), 0)
                .orElseThrow();
    }

    private void compare(String step) throws CloudMwException {
        for (Map.Entry<VersionId, List<ChunkId>> entry : manifests.entrySet()) {
            both(step + " state", catalog -> catalog.state(entry.getKey()));
        }
        VersionId one = new ArrayList<>(manifests.keySet()).get(random.nextInt(manifests.size()));
        both(step + " named", catalog -> catalog.namedElsewhere(one, chunks(one)));
        both(step + " shared", catalog -> catalog.namedBy(one, others(one)));
        both(step + " namer", catalog -> catalog.namer(chunks(one).get(0)).map(ChunkReference::current));
        for (String path : paths) {
            both(step + " file", catalog -> catalog.current(FilePath.parse(path)));
        }
    }
}
