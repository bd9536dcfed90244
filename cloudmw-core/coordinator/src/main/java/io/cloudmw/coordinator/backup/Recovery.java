package io.cloudmw.coordinator.backup;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.catalog.sqlite.Scratch;
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
 * Makes a volume again, in a catalog that has lost it, from what is in stores: finds the newest backup that is right, puts its
 * records together, writes them to the catalog and looks where the chunks are. Nothing is written to stores. Takes memory in
 * proportion to the backup's root, whatever the volume; the records are put together in a temporary file. One thread's.
 */
public final class Recovery {
    private static final Duration TERM = Duration.ofMinutes(10);

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
     * @throws CloudMwException {@code STORE_UNAVAILABLE}, {@code STORE_DENIED} or {@code LOCAL_IO} when no store can be read; {@code NOT_FOUND} when there is no backup that
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
            Lease lease = lease(catalog);
            Progress progress = new Progress(catalog.notes(), lease, request.as(), root);
            if (!goesOn) {
                // What a recovery noted whose volume was removed since says nothing of this one.
                progress.clear();
            }
            Volume volume = prepare(root, catalog);
            Restoring restoring = new Restoring(catalog, scratch, progress, volume.name(), clock);
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
     * One for each volume: who goes on with what was interrupted takes it over at once, and who was held up meanwhile notes nothing
     * any more.
     */
    private Lease lease(Catalog catalog) throws CloudMwException {
        String job = "recover-" + request.as();
        return catalog.leases()
                .acquire(job, job, TERM, clock.millis())
                .orElseThrow(() -> new IllegalStateException("all who recover it are one holder"));
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
        List<String> clusters = clusters(roots);
        if (clusters.size() > 1) {
            throw new CloudMwException(
                    ErrorCode.INVALID_ARGUMENT,
                    "volume " + request.volume() + ": backups of " + clusters.size() + " clusters: "
                            + String.join(", ", clusters) + " (expected: that one of them is named)");
        }
    }

    /** Where the cluster that is named has no backup, and others have. */
    private void requireOneOf(List<BackupRoot> all, List<BackupRoot> wanted) throws CloudMwException {
        if (wanted.isEmpty() && !all.isEmpty()) {
            throw new CloudMwException(
                    ErrorCode.NOT_FOUND,
                    "volume " + request.volume() + ": no backup of a cluster \"" + request.cluster()
                            + "\" (expected: one of " + String.join(", ", clusters(all)) + ")");
        }
    }

    /** As people are told of them. */
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

    /** Backups name stores, where there may be more of them. */
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
        // Since the backup a disk may have been replaced: whatever its store's disk or bucket is in the old cluster is
        // taken in.
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
