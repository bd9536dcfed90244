package io.cloudmw.coordinator.backup;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.catalog.change.CatalogErrors;
import io.cloudmw.coordinator.catalog.change.CommitRequest;
import io.cloudmw.coordinator.catalog.change.Pack;
import io.cloudmw.coordinator.catalog.sqlite.RecoveryScratch;
import io.cloudmw.coordinator.catalog.tree.CurrentFile;
import io.cloudmw.coordinator.catalog.tree.KeptDirectory;
import io.cloudmw.coordinator.catalog.tree.TreeFile;
import io.cloudmw.coordinator.catalog.version.SharedRun;
import io.cloudmw.core.backup.ExportRecord;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.Reasons;
import io.cloudmw.core.manifest.ManifestDigest;
import io.cloudmw.core.manifest.ManifestSegment;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.file.AttributeChange;
import io.cloudmw.core.model.file.Attributes;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.thread.Threads;
import io.cloudmw.core.time.WallClock;
import io.cloudmw.core.wire.BackupWire;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;

/**
 * The writing of recovered files to the catalog, each file once. Many files are written at a time, since the catalog
 * may group commits or be far away. Confined to one thread.
 */
final class CatalogRestore {
    /** The number of files written before the progress is recorded. */
    private static final int PAGE = 100;

    private static final int THREADS = 32;

    private final Catalog catalog;
    private final RecoveryScratch scratch;
    private final RecoveryProgress progress;
    private final VolumeName volume;
    private final WallClock clock;

    /** The packs that are current. Several threads may restore one of them, which has no further effect. */
    private final Set<VersionId> packs = ConcurrentHashMap.newKeySet();

    /** Packs of which manifests name slices; the bytes of some are in others. */
    private final Set<VersionId> restored = ConcurrentHashMap.newKeySet();

    private final RecoveredPacks recovered;

    private long files;
    private long bytes;

    CatalogRestore(
            Catalog catalog,
            RecoveredPacks recovered,
            RecoveryScratch scratch,
            RecoveryProgress progress,
            VolumeName volume,
            WallClock clock) {
        this.catalog = catalog;
        this.recovered = recovered;
        this.scratch = scratch;
        this.progress = progress;
        this.volume = volume;
        this.clock = clock;
    }

    long files() {
        return files;
    }

    long bytes() {
        return bytes;
    }

    /** Reports how much is to be written. */
    void plan(RecoveryListener listener) throws CloudMwException {
        long allFiles = 0;
        long allBytes = 0;
        List<RecoveryScratch.Value> page = scratch.after("", PAGE);
        while (!page.isEmpty()) {
            for (RecoveryScratch.Value value : page) {
                if (BackupWire.record(value.value()) instanceof ExportRecord.Present present) {
                    allFiles++;
                    allBytes += present.version().sizeBytes();
                }
            }
            page = scratch.after(page.get(page.size() - 1).path(), PAGE);
        }
        listener.planned(allFiles, allBytes);
    }

    /**
     * Writes all files, page by page in the order of their paths. Paths up to the last recorded one were written
     * before, and users may have changed them since; they are left alone.
     *
     * @throws CloudMwException {@code CANCELLED} when interrupted; errors of the catalog, after which the page is
     *     written again
     */
    void run(RecoveryListener listener) throws CloudMwException {
        ExecutorService pool = Threads.unbounded("recover", THREADS);
        try {
            run(progress.path(), listener, pool);
        } finally {
            pool.shutdownNow();
        }
    }

    /** @param done the last path written; empty: none */
    private void run(String done, RecoveryListener listener, ExecutorService pool) throws CloudMwException {
        boolean there = !done.isEmpty();
        String path = "";
        List<RecoveryScratch.Value> page;
        do {
            page = scratch.after(path, PAGE);
            List<ExportRecord.Present> missing = new ArrayList<>();
            int found = 0;
            for (RecoveryScratch.Value value : page) {
                ExportRecord entry = BackupWire.record(value.value());
                if (entry instanceof ExportRecord.Present present) {
                    found++;
                    bytes += present.version().sizeBytes();
                    if (!there) {
                        missing.add(present);
                    }
                } else if (entry instanceof ExportRecord.Directory directory && !there) {
                    restore(directory);
                }
                path = value.path();
                there = there && !path.equals(done);
            }
            restore(missing, pool);
            for (int i = 0; i < found; i++) {
                listener.restored(++files, bytes);
            }
            if (!there && !page.isEmpty()) {
                progress.note(path);
            }
        } while (!page.isEmpty());
    }

    /**
     * Writes all files of a page at once. For files that share a version, the first is committed and the others are
     * links to it.
     */
    private void restore(List<ExportRecord.Present> page, ExecutorService pool) throws CloudMwException {
        Map<VersionId, List<ExportRecord.Present>> byVersion = new LinkedHashMap<>();
        page.forEach(present -> byVersion
                .computeIfAbsent(present.version().id(), version -> new ArrayList<>())
                .add(present));
        Map<List<ExportRecord.Present>, Future<?>> begun = new LinkedHashMap<>();
        for (List<ExportRecord.Present> same : byVersion.values()) {
            begun.put(same, pool.submit(() -> {
                restoreAll(same);
                return same;
            }));
        }
        for (Map.Entry<List<ExportRecord.Present>, Future<?>> one : begun.entrySet()) {
            if (!succeeded(one.getValue())) {
                restoreAll(one.getKey());
            }
        }
    }

    private void restoreAll(List<ExportRecord.Present> same) throws CloudMwException {
        for (ExportRecord.Present present : same) {
            restore(present);
        }
    }

    /** Returns false when the catalog was overloaded by the parallel writes. */
    private static boolean succeeded(Future<?> future) throws CloudMwException {
        try {
            var unused = future.get();
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CloudMwException(ErrorCode.CANCELLED, "recovery: interrupted", e);
        } catch (ExecutionException e) {
            Throwable cause = Reasons.unwrapped(e);
            if (cause instanceof CloudMwException failure && failure.code() == ErrorCode.OVERLOADED) {
                return false;
            }
            throw failure(cause);
        }
    }

    private static CloudMwException failure(Throwable cause) {
        if (cause instanceof CloudMwException failure) {
            return failure;
        }
        return CloudMwException.ofDefect("recovery", cause);
    }

    private void restore(ExportRecord.Present present) throws CloudMwException {
        FilePath file = new FilePath(volume, present.version().file().path());
        FileVersion version = present.version().at(file);
        Optional<CurrentFile> there = catalog.file(file);
        boolean done = there.filter(current -> current.version().id().equals(version.id()))
                .isPresent();
        Optional<FileVersion> elsewhere = done ? Optional.empty() : catalog.version(version.id());
        if (elsewhere.isPresent()) {
            requireNobodyElse(file, there);
            link(elsewhere.get().file(), present, version);
        } else {
            if (!done) {
                putSegments(version);
                catalog.commit(
                        new CommitRequest(version, expected(version, present.createdAtMillis(), there), List.of()));
            }
            note(file, present.attributes());
        }
    }

    private void restore(ExportRecord.Directory directory) throws CloudMwException {
        FilePath path = new FilePath(volume, directory.path());
        KeptDirectory as = new KeptDirectory(directory.createdAtMillis(), directory.attributes());
        catalog.restoreDirectory(path, as, clock.millis());
    }

    private void note(FilePath file, Attributes attributes) throws CloudMwException {
        if (!attributes.values().isEmpty()) {
            catalog.setAttributes(new AttributeChange(file, attributes.values(), Set.of()), clock.millis());
        }
    }

    /** Refuses to replace a file that a user has written to the path since its recovery. */
    private void requireNobodyElse(FilePath file, Optional<CurrentFile> there) throws CloudMwException {
        if (there.isPresent()) {
            throw CatalogErrors.changed(
                    file,
                    Optional.empty(),
                    there.map(current -> current.version().id()));
        }
    }

    /** Links a version to a further path; a version that snapshots restored may have several. */
    private void link(FilePath first, ExportRecord.Present present, FileVersion version) throws CloudMwException {
        try {
            catalog.link(
                    first,
                    version.file(),
                    new TreeFile(version.id(), present.createdAtMillis(), present.attributes()),
                    clock.millis());
        } catch (CloudMwException e) {
            if (e.code() != ErrorCode.CONFLICT && first.volume().equals(volume)) {
                throw e;
            }
            throw new CloudMwException(
                    ErrorCode.CONFLICT,
                    version.file() + ": version " + version.id()
                            + " is in the catalog already, as it was committed to " + first
                            + " (expected: a catalog that has lost the volume)",
                    e);
        }
    }

    private void putSegments(FileVersion version) throws CloudMwException {
        for (int i = 0; i < version.segmentCount(); i++) {
            int index = i;
            byte[] segment = scratch.segment(version.id(), index)
                    .orElseThrow(() -> new CloudMwException(
                            ErrorCode.INTERNAL,
                            version.file() + ": the backup has no segment " + index + " of version " + version.id()));
            List<Chunk> chunks = ManifestSegment.decode(index, segment).chunks();
            for (Chunk chunk : chunks) {
                if (chunk.id().slice().isPresent()
                        && !restored.contains(chunk.id().version())) {
                    restorePack(chunk.id().version(), version);
                }
            }
            List<SharedRun> shared = SharedRun.of(version.id(), chunks);
            catalog.putSegment(version.id(), index, segment, shared, clock.millis());
            open(shared);
        }
    }

    /** Makes the pack that has the bytes current before the first file that needs it. */
    private void restorePack(VersionId named, FileVersion file) throws CloudMwException {
        RecoveredPacks.Found found = recovered.find(named, file);
        Pack pack = Pack.of(volume, found.chunk(), List.of(), clock.millis());
        catalog.addPack(found.place().map(pack::with).orElse(pack));
        packs.add(pack.version().id());
        restored.add(named);
    }

    /**
     * Opens the versions whose chunks this version shares, unless they are packs. They may be recovered later, or never; when they are
     * abandoned, the shared chunks stay.
     */
    private void open(List<SharedRun> shared) throws CloudMwException {
        Set<VersionId> owners = new HashSet<>();
        shared.forEach(run -> owners.add(run.owner()));
        owners.removeAll(packs);
        for (VersionId owner : owners) {
            catalog.touch(owner, clock.millis());
        }
    }

    /**
     * Returns the version that the path names. A file's creation time is that of its first version, so a replaced file
     * first gets an empty version.
     */
    private Optional<VersionId> expected(FileVersion version, long createdAtMillis, Optional<CurrentFile> there)
            throws CloudMwException {
        if (there.isPresent() || createdAtMillis == version.committedAtMillis()) {
            return there.map(current -> current.version().id());
        }
        FileVersion first = new FileVersion(
                version.file(),
                VersionId.random(),
                0,
                0,
                0,
                version.leafSizeBytes(),
                createdAtMillis,
                new ManifestDigest().finish());
        return Optional.of(catalog.commit(new CommitRequest(first, Optional.empty(), List.of()))
                .id());
    }
}
