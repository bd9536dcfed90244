package io.cloudmw.coordinator.testing.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.catalog.change.BatchCommit;
import io.cloudmw.coordinator.catalog.change.BatchFile;
import io.cloudmw.coordinator.catalog.change.ChangeRequest;
import io.cloudmw.coordinator.catalog.change.CommitOutcome;
import io.cloudmw.coordinator.catalog.change.Pack;
import io.cloudmw.coordinator.catalog.version.ChunkReference;
import io.cloudmw.coordinator.catalog.version.RetiredVersion;
import io.cloudmw.coordinator.catalog.version.VersionState;
import io.cloudmw.coordinator.testing.PackSamples;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.manifest.ManifestSegment;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.chunk.PackRelocation;
import io.cloudmw.core.model.file.Attributes;
import io.cloudmw.core.model.file.FileCopy;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.model.file.PutCondition;
import io.cloudmw.core.model.file.Rename;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;

/**
 * A random sequence of calls about small files on two catalogs, whose answers must be equal. A pack of which a current
 * version needs a slice is current at all times, or replaced by one that has the slice.
 */
final class PacksSimulation {
    private static final long LATER_MILLIS = 3_600_000;

    private final VolumeName volume;
    private final List<Catalog> catalogs;
    private final SplittableRandom random;
    private final List<BatchCommit> batches = new ArrayList<>();
    private final Set<VersionId> versions = new LinkedHashSet<>();
    private final Set<VersionId> closed = new HashSet<>();
    private int snapshots;
    private long now = 10;

    PacksSimulation(VolumeName volume, List<Catalog> catalogs, SplittableRandom random) {
        this.volume = volume;
        this.catalogs = catalogs;
        this.random = random;
    }

    @FunctionalInterface
    private interface Act<T> {
        T of(Catalog catalog) throws CloudMwException;
    }

    /** Runs a call on both catalogs and compares the answers; a refusal is an answer. */
    private void both(String what, Act<?> act) {
        String first = answer(catalogs.get(0), act);
        assertThat(answer(catalogs.get(1), act)).as(what).isEqualTo(first);
    }

    private static String answer(Catalog catalog, Act<?> act) {
        try {
            return String.valueOf(act.of(catalog));
        } catch (CloudMwException e) {
            return e.code().name();
        }
    }

    void run(int steps) throws CloudMwException {
        for (int step = 0; step < steps; step++) {
            now++;
            switch (random.nextInt(10)) {
                case 0, 1, 2 -> commit(batch());
                case 3 -> repeat();
                case 4 -> {
                    FilePath path = path();
                    both("remove", catalog -> catalog.remove(path, now).id());
                }
                case 5 -> {
                    Rename rename = new Rename(path(), path(), true, random.nextBoolean());
                    both("rename", catalog -> catalog.rename(rename, now));
                }
                case 6 -> {
                    FilePath from = path();
                    FilePath to = path();
                    both(
                            "copy",
                            catalog -> catalog.copy(new FileCopy(from, to, true), ChangeRequest.once(now))
                                    .id());
                }
                case 7 -> snapshot();
                default -> collect();
            }
            compare("step " + step);
        }
    }

    private FilePath path() {
        String directory = random.nextInt(3) == 0 ? "/d" + random.nextInt(2) : "";
        return new FilePath(volume, directory + "/" + (char) ('a' + random.nextInt(4)));
    }

    private BatchCommit batch() throws CloudMwException {
        String[] paths = new String[1 + random.nextInt(16)];
        for (int i = 0; i < paths.length; i++) {
            paths[i] = path().path();
        }
        BatchCommit plain = PackSamples.batch(
                catalogs.get(0).volume(volume).orElseThrow(), List.of(new StoreId("s1"), new StoreId("s2")), paths);
        List<BatchFile> files = new ArrayList<>();
        for (BatchFile file : plain.files()) {
            Map<String, String> set = random.nextBoolean() ? Map.of("n", "" + now) : Map.of();
            files.add(new BatchFile(
                    file.version(), file.segment(), condition(file), Attributes.of(Map.of("c", "1")), set, List.of()));
        }
        return new BatchCommit(plain.pack(), files);
    }

    private Optional<PutCondition> condition(BatchFile file) throws CloudMwException {
        return switch (random.nextInt(4)) {
            case 0 -> Optional.of(PutCondition.ABSENT);
            case 1 -> catalogs.get(0).current(file.version().file()).map(current -> PutCondition.version(current.id()));
            default -> Optional.empty();
        };
    }

    private void commit(BatchCommit batch) {
        batches.add(batch);
        versions.add(pack(batch));
        batch.files().forEach(file -> versions.add(file.version().id()));
        both("commit", catalog -> outcomes(catalog, batch));
    }

    private static VersionId pack(BatchCommit batch) {
        return batch.pack().orElseThrow().version().id();
    }

    private static List<String> outcomes(Catalog catalog, BatchCommit batch) throws CloudMwException {
        return catalog.commitAll(batch).stream()
                .map(outcome -> outcome instanceof CommitOutcome.Refused refused
                        ? refused.reason().code().name()
                        : outcome.toString())
                .toList();
    }

    private static List<String> kinds(Catalog catalog, BatchCommit batch) throws CloudMwException {
        return catalog.commitAll(batch).stream()
                .map(outcome -> outcome.getClass().getSimpleName())
                .toList();
    }

    private void repeat() {
        if (!batches.isEmpty()) {
            BatchCommit batch = batches.get(random.nextInt(batches.size()));
            // Catalogs check a file of a closed pack in different orders.
            both(
                    "repeated",
                    catalog -> closed.contains(pack(batch)) ? kinds(catalog, batch) : outcomes(catalog, batch));
        }
    }

    private void snapshot() throws CloudMwException {
        if (snapshots > 0 && random.nextBoolean()) {
            String name = "s" + --snapshots;
            both(
                    "snapshot removed",
                    catalog -> catalog.snapshots().remove(volume, name).number());
            both("pruned", catalog -> {
                String token = "";
                do {
                    token = catalog.snapshots().prune(SharedChunksSimulation.lease(catalog), token, 100, now);
                } while (!token.isEmpty());
                return true;
            });
        } else {
            String name = "s" + snapshots++;
            both(
                    "snapshot",
                    catalog -> catalog.snapshots().create(volume, name, now).number());
        }
    }

    private void collect() throws CloudMwException {
        for (FileVersion pack : catalogs.get(0).packs("", 100).items()) {
            if (random.nextBoolean()) {
                both(
                        "retired pack",
                        catalog -> catalog.retirePack(SharedChunksSimulation.lease(catalog), pack.id(), now)
                                || catalog.retirePack(
                                        SharedChunksSimulation.lease(catalog), pack.id(), now + LATER_MILLIS));
            } else if (random.nextBoolean()) {
                compact(pack);
            }
        }
        List<VersionId> retired = catalogs.get(0).retired("", 1000).items().stream()
                .map(RetiredVersion::id)
                .toList();
        for (VersionId version : retired) {
            if (random.nextBoolean()) {
                both("forgotten", catalog -> {
                    catalog.forget(SharedChunksSimulation.lease(catalog), version);
                    return true;
                });
            }
        }
    }

    /** Replaces a pack by one with the slices that current versions need. */
    private void compact(FileVersion pack) throws CloudMwException {
        Catalog first = catalogs.get(0);
        both(
                "closed",
                catalog -> catalog.closePack(SharedChunksSimulation.lease(catalog), pack.id(), now)
                        || catalog.closePack(SharedChunksSimulation.lease(catalog), pack.id(), now + LATER_MILLIS));
        closed.add(pack.id());
        VersionId original =
                first.relocationTo(pack.id()).map(PackRelocation::original).orElse(pack.id());
        TreeMap<Long, ByteRange> slices = new TreeMap<>();
        for (FileVersion file : first.filesOf(pack.id(), "", 1000).items()) {
            for (Chunk chunk : ManifestSegment.decode(
                            0, first.segment(file.id(), 0).orElseThrow())
                    .chunks()) {
                ByteRange slice = chunk.id().slice().orElseThrow();
                slices.put(slice.offset(), slice);
            }
        }
        List<ByteRange> kept = new ArrayList<>();
        for (ByteRange slice : slices.values()) {
            ByteRange last = kept.isEmpty() ? new ByteRange(0, 0) : kept.get(kept.size() - 1);
            if (!kept.isEmpty() && last.end() == slice.offset()) {
                kept.set(kept.size() - 1, new ByteRange(last.offset(), last.length() + slice.length()));
            } else {
                kept.add(slice);
            }
        }
        if (kept.isEmpty()) {
            return;
        }
        Pack smaller = PackSamples.batch(first.volume(volume).orElseThrow(), List.of(new StoreId("s2")), "/x")
                .pack()
                .orElseThrow();
        VersionId id = smaller.version().id();
        Pack replacing = smaller.with(new PackRelocation(original, id, List.of(new StoreId("s2")), kept));
        versions.add(id);
        closed.add(id);
        both(
                "replaced",
                catalog -> catalog.replacePack(
                        SharedChunksSimulation.lease(catalog), pack.id(), replacing, now + LATER_MILLIS));
    }

    private void compare(String step) throws CloudMwException {
        both(step + " packs", catalog -> catalog.packs("", 1000).items());
        both(
                step + " live",
                catalog -> catalog.live("", 1000).items().stream()
                        .map(FileVersion::id)
                        .toList());
        both(step + " files", catalog -> catalog.list(volume, "/", "", 100).items());
        for (VersionId version : versions) {
            // A catalog may open the version of a file that it then refuses.
            both(step + " state", catalog -> catalog.state(version).filter(state -> state != VersionState.OPEN));
        }
        for (BatchCommit batch : batches) {
            ChunkId chunk = batch.pack().orElseThrow().chunk().id();
            both(step + " place", catalog -> catalog.relocation(pack(batch)));
            both(step + " named", catalog -> catalog.namedElsewhere(pack(batch), List.of(chunk)));
            both(step + " namer", catalog -> catalog.namer(chunk).map(ChunkReference::current));
            requireCurrent(batch, chunk);
        }
    }

    /** Requires that each current file has its bytes in a current pack. */
    private void requireCurrent(BatchCommit batch, ChunkId chunk) throws CloudMwException {
        Catalog catalog = catalogs.get(1);
        for (BatchFile file : batch.files()) {
            VersionId version = file.version().id();
            boolean current = catalog.state(version).equals(Optional.of(VersionState.CURRENT));
            if (current && !catalog.namedBy(version, List.of(chunk)).isEmpty()) {
                Optional<PackRelocation> place = catalog.relocation(pack(batch));
                VersionId now = place.map(PackRelocation::pack).orElse(pack(batch));
                assertThat(catalog.state(now)).contains(VersionState.CURRENT);
                ByteRange slice = file.segment()
                        .orElseThrow()
                        .chunks()
                        .get(0)
                        .id()
                        .slice()
                        .orElseThrow();
                assertThat(place.isEmpty() || place.get().place(slice).isPresent())
                        .isTrue();
            }
        }
    }
}
