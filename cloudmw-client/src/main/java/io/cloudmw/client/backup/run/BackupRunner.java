package io.cloudmw.client.backup.run;

import io.cloudmw.client.backup.Backup;
import io.cloudmw.client.backup.BackupOptions;
import io.cloudmw.client.backup.BackupReport;
import io.cloudmw.client.progress.TransferListener;
import io.cloudmw.client.rpc.Calls;
import io.cloudmw.client.rpc.coordinator.CoordinatorClient;
import io.cloudmw.client.transfer.TransferStarter;
import io.cloudmw.core.backup.BackupPart;
import io.cloudmw.core.backup.BackupRoot;
import io.cloudmw.core.backup.ExportCursor;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.Mode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.model.volume.Chunking;
import io.cloudmw.core.model.volume.Volume;
import io.cloudmw.core.status.StoreStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Backups of volumes: the catalog's records of a volume, including its manifests, kept as files in stores. From these
 * files alone, {@code cloudmw recover} restores the volume. The bytes of the volume's files are not copied. Calls
 * block; one thread at a time.
 *
 * <p>The parts of a backup are files of records. Its root names them all; it is written last, and only where no root
 * has its number. So of two backups of one volume at the same time, one fails with {@code CONFLICT}; a later backup
 * removes its parts.
 */
public final class BackupRunner {
    /** The chunk size of a volume that is created for backups. */
    static final long CHUNK_BYTES = 8L << 20;

    /** An interrupted backup loses about this much at most. */
    static final long PART_BYTES = 64L << 20;

    /** After a backup with more parts than this, the next one is whole. */
    static final int MAX_PARTS = 64;

    /** Parts that no backup names stay so long, for a backup under way. */
    private static final Duration PART_GRACE = Duration.ofHours(1);

    private static final String SUFFIX = "-backup";
    private final CoordinatorClient coordinator;
    private final TransferStarter transfers;
    private final long partBytes;

    /** Both stay the caller's to close. */
    public BackupRunner(CoordinatorClient coordinator, TransferStarter transfers) {
        this(coordinator, transfers, PART_BYTES);
    }

    /** Uses parts of another size. */
    BackupRunner(CoordinatorClient coordinator, TransferStarter transfers, long partBytes) {
        this.coordinator = coordinator;
        this.transfers = transfers;
        this.partBytes = partBytes;
    }

    /** The volume that holds the backups of a volume by default. */
    public static VolumeName ownVolume(VolumeName volume) {
        return new VolumeName(volume + SUFFIX);
    }

    /** A backup under way. */
    private static final class Run {
        final Volume volume;
        final BackupVolume files;
        final long number;
        final List<BackupPart> parts = new ArrayList<>();
        OptionalLong after = OptionalLong.empty();
        Optional<ExportCursor> cursor = Optional.empty();
        boolean resumed;
        boolean whole;
        long exported;
        long bytes;
        long position;
        String cluster = "";

        Run(Volume volume, BackupVolume files, long number) {
            this.volume = volume;
            this.files = files;
            this.number = number;
        }

        /** Continues where a draft ended. */
        void resume(BackupRoot draft, ExportCursor at) {
            parts.addAll(draft.parts());
            cursor = Optional.of(at);
            position = draft.position();
            resumed = true;
        }
    }

    /**
     * Backs a volume up: the changes since its last backup, or everything if there is none or the changes are no longer
     * known. An interrupted backup is continued.
     *
     * @throws CloudMwException {@code VOLUME_NOT_FOUND}; {@code INVALID_ARGUMENT} when the destination is the volume
     *     itself; {@code CONFLICT} when another backup was made meanwhile, or changes since this one began are no
     *     longer kept; {@code OVERLOADED} when the volume changes faster than it is exported
     */
    public BackupReport backup(VolumeName name, BackupOptions options) throws CloudMwException {
        Volume volume = Calls.await(coordinator.volume(name));
        VolumeName kept =
                options.destination().isPresent() ? options.destination().get() : own(volume);
        if (kept.equals(name)) {
            throw new CloudMwException(
                    ErrorCode.INVALID_ARGUMENT,
                    "backup of volume " + name + ": kept in volume " + kept + " (expected: in another one)");
        }
        BackupVolume files = new BackupVolume(coordinator, transfers, kept, name);
        List<BackupVolume.RootFile> roots = files.listRoots();
        Optional<BackupVolume.RootFile> newest =
                roots.isEmpty() ? Optional.empty() : Optional.of(roots.get(roots.size() - 1));
        Run run =
                new Run(volume, files, newest.map(BackupVolume.RootFile::number).orElse(0L) + 1);
        Optional<BackupRoot> base = options.whole() || newest.isEmpty()
                ? Optional.empty()
                : base(files.read(newest.get().path()), volume);
        begin(run, base);
        if (!export(run, options.listener())) {
            return new BackupReport(
                    newest.orElseThrow().path(),
                    describe(base.orElseThrow()),
                    true,
                    false,
                    0,
                    0,
                    false,
                    prune(files, roots, options));
        }
        BackupRoot root = root(run, Optional.empty());
        FilePath written = files.writeRoot(root);
        files.removeDraft();
        return new BackupReport(
                written,
                describe(root),
                false,
                run.whole,
                run.exported,
                run.bytes,
                run.resumed,
                prune(files, files.listRoots(), options));
    }

    private static Backup describe(BackupRoot root) {
        return new Backup(
                root.volume().name(),
                root.number(),
                root.takenAtMillis(),
                root.position(),
                root.parts().size(),
                root.sizeBytes());
    }

    /** The backup to which changes can be added: one of this very volume, with room for more parts. */
    private static Optional<BackupRoot> base(BackupRoot last, Volume volume) {
        boolean same = last.volume().createdAtMillis() == volume.createdAtMillis();
        long first = last.parts().isEmpty() ? 0 : last.parts().get(0).file().sizeBytes();
        boolean worth = last.sizeBytes() - first <= Math.max(first, PART_BYTES);
        return same && worth && last.parts().size() < MAX_PARTS ? Optional.of(last) : Optional.empty();
    }

    private static void begin(Run run, Optional<BackupRoot> base) throws CloudMwException {
        Optional<BackupRoot> draft = run.files.readDraft();
        Optional<ExportCursor> at = draft.filter(found -> found.number() == run.number
                        && found.volume().createdAtMillis() == run.volume.createdAtMillis())
                .flatMap(BackupRoot::cursor);
        if (draft.isPresent() && at.isPresent()) {
            run.resume(draft.get(), at.get());
            return;
        }
        if (draft.isPresent()) {
            // A draft of a backup that was finished, or of another volume of this name.
            run.files.removeDraft();
        }
        if (base.isPresent()) {
            run.parts.addAll(base.get().parts());
            run.after = OptionalLong.of(base.get().position());
        }
    }

    /** Writes the parts; false when nothing has changed. */
    private boolean export(Run run, TransferListener listener) throws CloudMwException {
        boolean more = true;
        while (more) {
            ExportStream records = open(run);
            if (records.isWhole()) {
                run.parts.clear();
                run.whole = true;
            } else if (records.isEmpty() && run.bytes == 0 && !run.resumed) {
                return false;
            }
            if (!records.isEmpty()) {
                writePart(run, records, listener);
            }
            run.position = records.position();
            run.cluster = records.cluster();
            run.cursor = records.next();
            more = run.cursor.isPresent();
            if (more) {
                run.files.writeDraft(root(run, run.cursor));
            }
        }
        return true;
    }

    private ExportStream open(Run run) throws CloudMwException {
        try {
            return new ExportStream(coordinator, run.volume.name(), run.after, run.cursor, partBytes);
        } catch (CloudMwException e) {
            if (e.code() != ErrorCode.CONFLICT || !run.resumed || run.bytes > 0) {
                throw e;
            }
            // The changes since it was interrupted are no longer known.
            run.resumed = false;
            run.parts.clear();
            run.cursor = Optional.empty();
            return new ExportStream(coordinator, run.volume.name(), OptionalLong.empty(), run.cursor, partBytes);
        }
    }

    private static void writePart(Run run, ExportStream records, TransferListener listener) throws CloudMwException {
        long before = run.bytes;
        FileVersion file = run.files.writePart(records, new TransferListener() {
            @Override
            public void progressed(long done, long total) {
                listener.progressed(before + done, -1);
            }
        });
        run.bytes += file.sizeBytes();
        run.exported += records.files();
        run.parts.add(run.files.describe(file, records.files()));
    }

    private BackupRoot root(Run run, Optional<ExportCursor> cursor) throws CloudMwException {
        Set<StoreId> named = new HashSet<>(run.volume.storesInUse());
        run.parts.forEach(part -> part.chunks().forEach(chunk -> named.addAll(chunk.replicas())));
        List<Store> stores = Calls.await(coordinator.stores()).stream()
                .map(StoreStatus::store)
                .filter(store -> named.contains(store.id()))
                .toList();
        long taken = run.parts.get(run.parts.size() - 1).file().committedAtMillis();
        return new BackupRoot(run.cluster, run.volume, stores, run.number, taken, run.position, run.parts, cursor);
    }

    /**
     * The volume's own volume for backups, created if there is none. It is like the volume, but never has one durable
     * copy where the volume has several.
     */
    private VolumeName own(Volume volume) throws CloudMwException {
        VolumeName name = ownVolume(volume.name());
        if (Calls.find(coordinator.volume(name), ErrorCode.VOLUME_NOT_FOUND).isEmpty()) {
            Volume made = new Volume(
                    name,
                    new Chunking.BySize(CHUNK_BYTES),
                    volume.replicas(),
                    volume.stores(),
                    Math.max(volume.writeQuorum(), Math.min(2, volume.replicas())),
                    Mode.DEFAULT,
                    false,
                    0);
            var unused = Calls.find(coordinator.createVolume(made), ErrorCode.ALREADY_EXISTS);
        }
        return name;
    }

    /**
     * Lists the backups of a volume, the oldest first; reads each.
     *
     * @param destination as {@link BackupOptions#destination}
     * @throws CloudMwException {@code VOLUME_NOT_FOUND} when the volume that should hold them does not exist
     */
    public List<Backup> list(VolumeName volume, Optional<VolumeName> destination) throws CloudMwException {
        return roots(volume, destination).stream().map(BackupRunner::describe).toList();
    }

    /** The roots of the backups of a volume, the oldest first. */
    List<BackupRoot> roots(VolumeName volume, Optional<VolumeName> destination) throws CloudMwException {
        VolumeName kept = destination.orElseGet(() -> ownVolume(volume));
        Calls.await(coordinator.volume(kept));
        BackupVolume files = new BackupVolume(coordinator, transfers, kept, volume);
        List<BackupRoot> found = new ArrayList<>();
        for (BackupVolume.RootFile root : files.listRoots()) {
            found.add(files.read(root.path()));
        }
        return found;
    }

    /**
     * Removes old backups, then the parts that no remaining backup names. Parts of a backup that may be under way stay
     * for a while.
     */
    private static int prune(BackupVolume files, List<BackupVolume.RootFile> roots, BackupOptions options)
            throws CloudMwException {
        int surplus = Math.max(0, roots.size() - options.keep());
        for (BackupVolume.RootFile root : roots.subList(0, surplus)) {
            files.remove(root.path());
        }
        Set<FilePath> named = new HashSet<>();
        for (BackupVolume.RootFile root : roots.subList(surplus, roots.size())) {
            named.addAll(parts(files.read(root.path())));
        }
        files.readDraft().ifPresent(draft -> named.addAll(parts(draft)));
        long before = roots.get(roots.size() - 1).file().committedAtMillis() - PART_GRACE.toMillis();
        for (FileVersion part : files.listParts()) {
            if (!named.contains(part.file()) && part.committedAtMillis() < before) {
                files.remove(part.file());
            }
        }
        return surplus;
    }

    private static List<FilePath> parts(BackupRoot root) {
        return root.parts().stream().map(part -> part.file().file()).toList();
    }
}
