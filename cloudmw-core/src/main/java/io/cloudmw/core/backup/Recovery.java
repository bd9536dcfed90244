package io.cloudmw.core.backup;

import io.cloudmw.core.backup.record.BackupPart;
import io.cloudmw.core.backup.record.BackupRoot;
import io.cloudmw.core.backup.record.ExportRecord;
import io.cloudmw.core.catalog.Catalog;
import io.cloudmw.core.catalog.CatalogErrors;
import io.cloudmw.core.catalog.Commit;
import io.cloudmw.core.catalog.CurrentFile;
import io.cloudmw.core.catalog.Lease;
import io.cloudmw.core.catalog.TreeFile;
import io.cloudmw.core.catalog.sqlite.Scratch;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.Reasons;
import io.cloudmw.core.manifest.ManifestDigest;
import io.cloudmw.core.manifest.ManifestSegment;
import io.cloudmw.core.model.AttributeChange;
import io.cloudmw.core.model.Attributes;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.FileVersion;
import io.cloudmw.core.model.Store;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.Volume;
import io.cloudmw.core.store.StoreOpener;
import io.cloudmw.core.time.WallClock;
import io.cloudmw.core.wire.BackupWire;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * Makes a volume again, in a catalog that has lost it, from what is in stores: finds the newest backup that is right, puts its
 * records together, writes them to the catalog and looks where the chunks are. Nothing is written to stores. Takes memory in
 * proportion to the backup's root, whatever the volume; the records are put together in a temporary file. One thread's.
 */
public final class Recovery {
    private static final String JOB = "recover";
    private static final Duration TERM = Duration.ofMinutes(10);
    private static final int PAGE = 100;

    private final RecoveryRequest request;
    private final RecoveryListener listener;
    private final WallClock clock;
    private final GivenStores stores;
    private final ChunkCopies copies;
    private final BackupFinder finder;

    /**
     * Reads nothing yet.
     *
     * @param opener opens stores for reading; stays the caller's to close
     */
    public Recovery(RecoveryRequest request, StoreOpener opener, RecoveryListener listener, WallClock clock) {
        this.request = request;
        this.listener = listener;
        this.clock = clock;
        this.stores = new GivenStores(opener);
        this.copies = new ChunkCopies(stores);
        this.finder = new BackupFinder(stores, copies);
    }

    /**
     * Does it. When it fails on the way, or the process dies, it can be resumed.
     *
     * @param catalog of no other volume with the same files
     * @throws CloudMwException {@code STORE_UNAVAILABLE} when no store can be read; {@code NOT_FOUND} when there is no backup that
     *     is right; {@code INVALID_ARGUMENT} when there are backups of several clusters and none is named; {@code ALREADY_EXISTS} when there is a volume of that name and nothing is to be resumed; {@code CONFLICT} when
     *     the catalog has a version of the backup elsewhere
     */
    public RecoveryReport run(Catalog catalog) throws CloudMwException {
        if (catalog.volume(request.as()).isPresent() && !request.resume()) {
            throw new CloudMwException(
                    ErrorCode.ALREADY_EXISTS,
                    "volume " + request.as()
                            + " exists (expected: another name, or to resume a recovery that was interrupted)");
        }
        BackupRoot root = choose();
        try (Scratch scratch = Scratch.open()) {
            for (BackupPart part : root.parts()) {
                collect(part, scratch);
            }
            boolean goesOn = catalog.volume(request.as()).isPresent();
            Lease lease = catalog.leases()
                    .acquire(JOB, JOB, TERM, clock.millis())
                    .orElseThrow(() -> new CloudMwException(ErrorCode.CONFLICT, "another recovery is under way"));
            Progress progress = new Progress(catalog.notes(), lease, request.as(), root);
            if (!goesOn) {
                // What a recovery noted whose volume was removed since says nothing of this one.
                progress.clear();
            }
            Volume volume = prepare(root, catalog);
            Restoring restoring = new Restoring(catalog, scratch, progress);
            restoring.run(progress.path());
            RecoveryReport.Copies located = new CopyLocator(catalog, lease, stores, request.verify(), clock.millis())
                    .run(volume.name(), listener);
            progress.clear();
            catalog.leases().release(lease);
            return new RecoveryReport(
                    root, volume, restoring.files, restoring.bytes, located, finder.refused(), stores.unreadable());
        }
    }

    // ---- finding

    private BackupRoot choose() throws CloudMwException {
        stores.open(request.from());
        if (stores.all().isEmpty()) {
            throw new CloudMwException(ErrorCode.STORE_UNAVAILABLE, "no store can be read: " + stores.reasons());
        }
        List<BackupRoot> roots = find();
        requireOneCluster(roots);
        for (BackupRoot root : roots) {
            boolean wanted = request.number().isEmpty() || request.number().getAsLong() == root.number();
            if (wanted && finder.isWhole(root)) {
                return root;
            }
        }
        throw new CloudMwException(
                ErrorCode.NOT_FOUND,
                "volume " + request.volume() + ": no backup that is right in stores "
                        + stores.all().stream().map(store -> store.id().value()).toList() + "; refused: "
                        + finder.refused() + "; not readable: " + stores.reasons()
                        + " (expected: a store with a copy of a backup's root; others of the volume it is kept in may have one)");
    }

    /**
     * Volumes of several clusters may have one name and share a store; and a volume that was recovered is another cluster's. A
     * root that names none is older than these names, and so than the others.
     */
    private void requireOneCluster(List<BackupRoot> roots) throws CloudMwException {
        Map<String, BackupRoot> newest = new TreeMap<>();
        roots.stream()
                .filter(root -> !root.cluster().isEmpty())
                .forEach(root -> newest.putIfAbsent(root.cluster(), root));
        if (newest.size() > 1) {
            List<String> clusters = newest.values().stream()
                    .map(root -> "\"" + root.cluster() + "\" (its newest: " + root.number() + " of "
                            + Instant.ofEpochMilli(root.takenAtMillis()) + ")")
                    .toList();
            throw new CloudMwException(
                    ErrorCode.INVALID_ARGUMENT,
                    "volume " + request.volume() + ": backups of " + newest.size() + " clusters: "
                            + String.join(", ", clusters) + " (expected: that one of them is named)");
        }
    }

    /** Backups name stores, where there may be more of them. */
    private List<BackupRoot> find() throws CloudMwException {
        while (true) {
            int known = stores.all().size();
            List<BackupRoot> roots = finder.find(request.volume()).stream()
                    .filter(root -> root.cluster().isEmpty() || root.cluster().startsWith(request.cluster()))
                    .toList();
            for (BackupRoot root : roots) {
                stores.open(root.stores());
            }
            if (stores.all().size() == known) {
                return roots;
            }
        }
    }

    // ---- putting together

    private void collect(BackupPart part, Scratch scratch) throws CloudMwException {
        try (InputStream records = new java.io.BufferedInputStream(new PartStream(copies, part))) {
            Optional<ExportRecord> next = BackupWire.next(records);
            while (next.isPresent()) {
                collect(next.get(), scratch);
                next = BackupWire.next(records);
            }
        } catch (CloudMwException e) {
            throw e;
        } catch (IOException e) {
            throw new CloudMwException(ErrorCode.LOCAL_IO, "part " + part.file().id() + ": " + Reasons.of(e), e);
        }
    }

    private static void collect(ExportRecord entry, Scratch scratch) throws CloudMwException {
        if (entry instanceof ExportRecord.Segment segment) {
            scratch.putSegment(segment.version(), segment.index(), segment.encoded());
        } else if (entry instanceof ExportRecord.Present present) {
            scratch.put(present.version().file().path(), BackupWire.present(present));
        } else if (entry instanceof ExportRecord.Absent absent) {
            scratch.remove(absent.path());
        } else {
            scratch.removeTree(((ExportRecord.AbsentTree) entry).path());
        }
    }

    // ---- writing

    /**
     * A recovered volume is a new one: its changes are counted from the beginning. Whose a disk is, its helper will say; until then
     * it is whose it was.
     */
    private Volume prepare(BackupRoot root, Catalog catalog) throws CloudMwException {
        Optional<Volume> there = catalog.volume(request.as());
        if (there.isPresent()) {
            return there.get();
        }
        Map<StoreId, Store> definitions = new TreeMap<>(java.util.Comparator.comparing(StoreId::value));
        root.stores().forEach(store -> definitions.put(store.id(), store));
        for (Store given : request.from()) {
            if (given.owner().isEmpty()) {
                definitions.put(given.id(), given);
            }
        }
        Set<StoreId> known = new HashSet<>();
        catalog.stores().forEach(store -> known.add(store.id()));
        for (Store store : definitions.values()) {
            if (!known.contains(store.id())) {
                catalog.putStore(store);
            }
        }
        Volume was = root.volume();
        Volume volume = new Volume(
                request.as(),
                was.chunking(),
                was.replicas(),
                was.stores(),
                was.writeQuorum(),
                was.mode(),
                was.rotateReplicas(),
                clock.millis(),
                was.target());
        catalog.createVolume(volume);
        return volume;
    }

    /** Writes what was put together to the catalog, each file once. */
    private final class Restoring {
        private final Catalog catalog;
        private final Scratch scratch;
        private final Progress progress;
        private long files;
        private long bytes;

        Restoring(Catalog catalog, Scratch scratch, Progress progress) {
            this.catalog = catalog;
            this.scratch = scratch;
            this.progress = progress;
        }

        /**
         * Writes them in the order of their paths.
         *
         * @param done what this path and those before it name was written before: users may have removed or replaced it; empty:
         *     nothing was
         */
        void run(String done) throws CloudMwException {
            boolean there = !done.isEmpty();
            String path = "";
            List<Scratch.Value> page;
            do {
                page = scratch.after(path, PAGE);
                for (Scratch.Value value : page) {
                    ExportRecord.Present present = BackupWire.present(value.value());
                    if (!there) {
                        restore(present);
                    }
                    path = value.path();
                    there = there && !path.equals(done);
                    bytes += present.version().sizeBytes();
                    listener.restored(++files);
                }
                if (!there && !page.isEmpty()) {
                    progress.note(path);
                }
            } while (!page.isEmpty());
        }

        private void restore(ExportRecord.Present present) throws CloudMwException {
            FilePath file = new FilePath(request.as(), present.version().file().path());
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
                    catalog.commit(new Commit(version, expected(version, present.createdAtMillis(), there), List.of()));
                }
                note(file, present.attributes());
            }
        }

        private void note(FilePath file, Attributes attributes) throws CloudMwException {
            if (!attributes.values().isEmpty()) {
                catalog.setAttributes(new AttributeChange(file, attributes.values(), Set.of()), clock.millis());
            }
        }

        /** What somebody has put to a path since it was recovered stays. */
        private void requireNobodyElse(FilePath file, Optional<CurrentFile> there) throws CloudMwException {
            if (there.isPresent()) {
                throw CatalogErrors.changed(
                        file,
                        Optional.empty(),
                        there.map(current -> current.version().id()));
            }
        }

        /** A version that was put back to one of its paths already: what snapshots restore may have several. */
        private void link(FilePath first, ExportRecord.Present present, FileVersion version) throws CloudMwException {
            try {
                catalog.link(
                        first,
                        version.file(),
                        new TreeFile(version.id(), present.createdAtMillis(), present.attributes()),
                        clock.millis());
            } catch (CloudMwException e) {
                if (e.code() != ErrorCode.CONFLICT && first.volume().equals(request.as())) {
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
                                version.file() + ": the backup has no segment " + index + " of version "
                                        + version.id()));
                catalog.putSegment(version.id(), index, segment, clock.millis());
                open(version.id(), ManifestSegment.decode(index, segment));
            }
        }

        /**
         * Those who wrote chunks that this version shares may be recovered later, or never: until then they are open, and when they
         * are given up, what others name of them stays.
         */
        private void open(VersionId version, ManifestSegment segment) throws CloudMwException {
            Set<VersionId> owners = new HashSet<>();
            segment.chunks().forEach(chunk -> owners.add(chunk.id().version()));
            owners.remove(version);
            for (VersionId owner : owners) {
                catalog.touch(owner, clock.millis());
            }
        }

        /** What the path names. A file is as old as its first version: one that has been replaced gets an empty one. */
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
            return Optional.of(catalog.commit(new Commit(first, Optional.empty(), List.of()))
                    .id());
        }
    }
}
