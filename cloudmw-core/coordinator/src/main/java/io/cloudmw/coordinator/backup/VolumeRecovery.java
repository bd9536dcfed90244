package io.cloudmw.coordinator.backup;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.catalog.sqlite.RecoveryScratch;
import io.cloudmw.coordinator.lease.Lease;
import io.cloudmw.core.backup.BackupPart;
import io.cloudmw.core.backup.BackupRoot;
import io.cloudmw.core.backup.ExportRecord;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.Reasons;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.model.fleet.StoreIdentity;
import io.cloudmw.core.model.volume.Volume;
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
 * The recovery of a volume, in a catalog that has lost it, from the content of stores. It finds the newest valid
 * backup, merges its records, writes them to the catalog and locates the chunks. Stores are only read. Memory is in
 * proportion to the backup's root; the records are merged in a temporary file. Confined to one thread.
 */
public final class VolumeRecovery {
    private static final Duration TERM = Duration.ofMinutes(10);

    private final RecoveryRequest request;
    private final RecoveryListener listener;
    private final WallClock clock;
    private final RecoveryStores stores;
    private final ChunkCopyReader copies;
    private final BackupFinder finder;

    /**
     * Creates a recovery that has read nothing yet.
     *
     * @param opener opens stores for reading; closed by the caller
     */
    public VolumeRecovery(RecoveryRequest request, StoreOpener opener, RecoveryListener listener, WallClock clock) {
        this.request = request;
        this.listener = listener;
        this.clock = clock;
        this.stores = new RecoveryStores(opener);
        this.copies = new ChunkCopyReader(stores);
        this.finder = new BackupFinder(stores, copies);
    }

    /**
     * Runs the recovery. After a failure or the death of the process it can be resumed.
     *
     * @param catalog contains no other volume with the same files
     * @throws CloudMwException {@code STORE_UNAVAILABLE}, {@code STORE_DENIED} or {@code LOCAL_IO} when no store can be
     *     read; {@code NOT_FOUND} when there is no valid backup; {@code INVALID_ARGUMENT} when there are backups of
     *     several clusters and none is named; {@code ALREADY_EXISTS} when the volume exists and nothing is to be
     *     resumed; {@code CONFLICT} when the catalog has a version of the backup elsewhere
     */
    public RecoveryReport run(Catalog catalog) throws CloudMwException {
        if (catalog.volume(request.as()).isPresent() && !request.resume()) {
            throw new CloudMwException(
                    ErrorCode.ALREADY_EXISTS,
                    "volume " + request.as()
                            + " exists (expected: another name, or to resume a recovery that was interrupted)");
        }
        BackupRoot root = choose();
        try (RecoveryScratch scratch = RecoveryScratch.open()) {
            for (BackupPart part : root.parts()) {
                collect(part, scratch);
            }
            boolean goesOn = catalog.volume(request.as()).isPresent();
            Lease lease = lease(catalog);
            RecoveryProgress progress = new RecoveryProgress(catalog.notes(), lease, request.as(), root);
            if (!goesOn) {
                // The progress of a recovery whose volume was removed since does not apply to this one.
                progress.clear();
            }
            Volume volume = prepare(root, catalog);
            CatalogRestore restoring = new CatalogRestore(
                    catalog, new RecoveredPacks(scratch, stores), scratch, progress, volume.name(), clock);
            restoring.plan(listener);
            restoring.run(listener);
            RecoveryReport.Copies located = new CopyLocator(catalog, lease, stores, request.verify(), clock.millis())
                    .run(volume.name(), listener);
            progress.clear();
            catalog.leases().release(lease);
            return new RecoveryReport(
                    root, volume, restoring.files(), restoring.bytes(), located, finder.refused(), stores.unreadable());
        }
    }

    /**
     * Returns the lease of this volume's recovery: a resumed recovery takes it over at once, so that an earlier one
     * that still runs records no progress.
     */
    private Lease lease(Catalog catalog) throws CloudMwException {
        String job = "recover-" + request.as();
        return catalog.leases()
                .acquire(job, job, TERM, clock.millis())
                .orElseThrow(() -> new IllegalStateException(
                        "the lease of a recovery was refused, although all recoveries are one holder"));
    }

    // ---- finding

    private BackupRoot choose() throws CloudMwException {
        stores.open(request.from());
        stores.requireAny();
        List<BackupRoot> all = find();
        List<BackupRoot> roots = all.stream().filter(this::isWanted).toList();
        requireOneCluster(roots);
        for (BackupRoot root : roots) {
            boolean wanted = request.number().isEmpty() || request.number().getAsLong() == root.number();
            if (wanted && finder.isWhole(root)) {
                return root;
            }
        }
        requireOneOf(all, roots);
        throw new CloudMwException(
                ErrorCode.NOT_FOUND,
                "volume " + request.volume() + ": no valid backup in stores "
                        + stores.all().stream().map(store -> store.id().value()).toList() + "; refused: "
                        + finder.refused() + "; not readable: " + stores.reasons()
                        + " (expected: a store with a copy of a backup's root; others of the volume it is kept in may have one)");
    }

    /**
     * Requires a choice of cluster. Volumes of several clusters may have one name and share a store, and a recovered
     * volume belongs to another cluster. A root without a cluster is older than cluster ids, and so than the others.
     */
    private void requireOneCluster(List<BackupRoot> roots) throws CloudMwException {
        List<String> clusters = clusters(roots);
        if (clusters.size() > 1) {
            throw new CloudMwException(
                    ErrorCode.INVALID_ARGUMENT,
                    "volume " + request.volume() + ": backups of " + clusters.size() + " clusters: "
                            + String.join(", ", clusters) + " (expected: the name of one of them)");
        }
    }

    /** Fails if the named cluster has no backup while others have. */
    private void requireOneOf(List<BackupRoot> all, List<BackupRoot> wanted) throws CloudMwException {
        if (wanted.isEmpty() && !all.isEmpty()) {
            throw new CloudMwException(
                    ErrorCode.NOT_FOUND,
                    "volume " + request.volume() + ": no backup of cluster \"" + request.cluster()
                            + "\" (expected: one of " + String.join(", ", clusters(all)) + ")");
        }
    }

    /** Returns the clusters, in the form shown to users. */
    private static List<String> clusters(List<BackupRoot> roots) {
        Map<String, BackupRoot> newest = new TreeMap<>();
        roots.stream()
                .filter(root -> !root.cluster().isEmpty())
                .forEach(root -> newest.putIfAbsent(root.cluster(), root));
        return newest.values().stream()
                .map(root -> "\"" + root.cluster() + "\" (its newest: " + root.number() + " of "
                        + Instant.ofEpochMilli(root.takenAtMillis()) + ")")
                .toList();
    }

    private boolean isWanted(BackupRoot root) {
        return root.cluster().isEmpty() || root.cluster().startsWith(request.cluster());
    }

    /** Returns all backups. They name stores, in which there may be more. */
    private List<BackupRoot> find() throws CloudMwException {
        while (true) {
            int known = stores.all().size();
            List<BackupRoot> roots = finder.find(request.volume());
            for (BackupRoot root : roots) {
                if (isWanted(root)) {
                    stores.open(root.stores().stream()
                            .filter(store -> !store.isLost())
                            .toList());
                }
            }
            if (stores.all().size() == known) {
                return roots;
            }
        }
    }

    // ---- merging

    private void collect(BackupPart part, RecoveryScratch scratch) throws CloudMwException {
        try (InputStream records = new java.io.BufferedInputStream(new BackupPartStream(copies, part))) {
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

    private static void collect(ExportRecord entry, RecoveryScratch scratch) throws CloudMwException {
        if (entry instanceof ExportRecord.Segment segment) {
            scratch.putSegment(segment.version(), segment.index(), segment.encoded());
        } else if (entry instanceof ExportRecord.Relocated relocated) {
            scratch.putPlace(relocated.place().original(), BackupWire.relocation(relocated.place()));
        } else if (entry instanceof ExportRecord.Present present) {
            scratch.put(present.version().file().path(), BackupWire.record(present));
        } else if (entry instanceof ExportRecord.Directory directory) {
            scratch.put(directory.path(), BackupWire.record(directory));
        } else if (entry instanceof ExportRecord.Absent absent) {
            scratch.remove(absent.path());
        } else {
            scratch.removeTree(((ExportRecord.AbsentTree) entry).path());
        }
    }

    // ---- writing

    /**
     * Prepares the new volume, whose changes are counted from the beginning. A disk belongs to its former helper until
     * a helper registers it.
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
        // A disk may have been replaced since the backup: any disk or bucket of the old cluster is accepted.
        StoreIdentity anyOfOldCluster = new StoreIdentity("", root.cluster(), 0);
        for (Store store : definitions.values()) {
            if (!known.contains(store.id())) {
                catalog.putStore(store.with(anyOfOldCluster));
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
                was.target(),
                was.peers(),
                was.revision());
        catalog.createVolume(volume);
        return volume;
    }
}
