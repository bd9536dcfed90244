package io.cloudmw.coordinator.backup;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.catalog.change.CatalogErrors;
import io.cloudmw.coordinator.catalog.change.ChangePage;
import io.cloudmw.coordinator.catalog.tree.CurrentEntry;
import io.cloudmw.coordinator.catalog.tree.CurrentFile;
import io.cloudmw.coordinator.catalog.tree.DirectoryEntry;
import io.cloudmw.coordinator.catalog.tree.KeptDirectory;
import io.cloudmw.core.backup.ExportCursor;
import io.cloudmw.core.backup.ExportPage;
import io.cloudmw.core.backup.ExportPlace;
import io.cloudmw.core.backup.ExportRecord;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.manifest.ManifestSegment;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.Page;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.chunk.PackRelocation;
import io.cloudmw.core.model.file.Change;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * The export of a volume's content, piece by piece. The caller keeps the cursor, so that any coordinator can continue
 * an export that another began.
 *
 * <p>The tree is walked while it changes. Paths that the log reports as changed are then read again, until none is
 * left. A path is recorded as it is when it is read, which may include a later change; that change is in the log, too.
 * When the log has nothing more, the records are exactly the volume at its position. A renamed directory is dropped at
 * both paths, and walked at the new one. A file with bytes in a pack is preceded by the pack's segment, once in each
 * piece; if the pack was compacted, by the segment of the new one and the place of the bytes there.
 */
public final class VolumeExport {
    /** The size at which a piece ends: after a file, or after a segment of a large one. */
    public static final int PAGE_BYTES = 512 << 10;

    private static final int PAGE_PLACES = 200;

    /** The most pages of the log that are read before the export fails. */
    static final int MAX_ROUNDS = 4096;

    private static final int ENTRIES = 100;
    private static final int CHANGES = 500;
    private static final int RECORD_BYTES = 256;
    private static final int RANGE_BYTES = 8;

    private final Catalog catalog;
    private final int pageBytes;
    private final int pagePlaces;

    public VolumeExport(Catalog catalog) {
        this(catalog, PAGE_BYTES, PAGE_PLACES);
    }

    /**
     * Creates an export with other piece sizes, for tests.
     *
     * @param pagePlaces the most places read for a piece
     */
    VolumeExport(Catalog catalog, int pageBytes, int pagePlaces) {
        this.catalog = catalog;
        this.pageBytes = pageBytes;
        this.pagePlaces = pagePlaces;
    }

    /**
     * Returns the next piece.
     *
     * @param after export only the changes after this position; everything, if that is empty or no longer in the log
     * @param cursor of the previous piece; empty: the first one
     * @throws CloudMwException {@code VOLUME_NOT_FOUND}; {@code CONFLICT} when changes made meanwhile are no longer in
     *     the log; {@code OVERLOADED} when the volume changes faster than it can be exported
     */
    public ExportPage next(VolumeName volume, OptionalLong after, Optional<ExportCursor> cursor)
            throws CloudMwException {
        if (catalog.volume(volume).isEmpty()) {
            throw CatalogErrors.volumeNotFound(volume);
        }
        Piece piece = new Piece(volume);
        boolean whole = cursor.isEmpty() && piece.begin(after);
        cursor.ifPresent(piece::resume);
        boolean more = piece.fill();
        ExportCursor next = new ExportCursor(piece.position, piece.inOrder(), piece.rounds);
        return new ExportPage(
                piece.records, more ? Optional.of(next) : Optional.empty(), piece.position, whole, catalog.clusterId());
    }

    /** A piece under construction. */
    private final class Piece {
        private final VolumeName volume;
        private final List<ExportRecord> records = new ArrayList<>();
        private final Deque<ExportPlace> places = new ArrayDeque<>();

        /** The packs among the records. */
        private final Set<VersionId> packs = new HashSet<>();

        private long position;
        private int rounds;
        private int looked;
        private long bytes;

        Piece(VolumeName volume) {
            this.volume = volume;
        }

        /** Begins an export; returns whether it covers everything. */
        boolean begin(OptionalLong after) throws CloudMwException {
            if (after.isPresent()
                    && catalog.changes().after(volume, after.getAsLong(), 1).known()) {
                position = after.getAsLong();
                return false;
            }
            position = catalog.changes().position(volume);
            records.add(new ExportRecord.AbsentTree("/"));
            places.push(new ExportPlace.Directory("/", ""));
            return true;
        }

        void resume(ExportCursor cursor) {
            position = cursor.position();
            rounds = cursor.rounds();
            cursor.places().forEach(places::push);
        }

        /** Returns the places, the next one last. */
        List<ExportPlace> inOrder() {
            List<ExportPlace> all = new ArrayList<>();
            places.descendingIterator().forEachRemaining(all::add);
            return all;
        }

        /** Fills the piece; returns whether there is more. */
        boolean fill() throws CloudMwException {
            while (bytes < pageBytes && looked < pagePlaces) {
                ExportPlace place = places.poll();
                if (place == null) {
                    if (!takeChanges()) {
                        return false;
                    }
                } else {
                    looked++;
                    look(place);
                }
            }
            return true;
        }

        private void look(ExportPlace place) throws CloudMwException {
            if (place instanceof ExportPlace.Directory directory) {
                list(directory);
            } else {
                file((ExportPlace.File) place);
            }
        }

        private void list(ExportPlace.Directory directory) throws CloudMwException {
            Page<DirectoryEntry> page;
            try {
                page = catalog.list(volume, directory.path(), directory.pageToken(), ENTRIES);
            } catch (CloudMwException e) {
                if (e.code() != ErrorCode.CONFLICT) {
                    throw e;
                }
                // The file has another path now, which the log reports.
                return;
            }
            if (!page.isLast()) {
                places.push(new ExportPlace.Directory(directory.path(), page.nextToken()));
            }
            if (directory.pageToken().isEmpty()) {
                addIfKept(directory.path());
            }
            String parent = directory.path().equals("/") ? "/" : directory.path() + "/";
            for (DirectoryEntry entry : page.items()) {
                String path = parent + entry.name();
                places.push(entry.isDirectory() ? new ExportPlace.Directory(path, "") : new ExportPlace.File(path));
            }
        }

        /** Adds a directory that stays when it is empty; returns whether there is one at the path. */
        private boolean addIfKept(String path) throws CloudMwException {
            Optional<KeptDirectory> kept = path.equals("/")
                    ? Optional.empty()
                    : catalog.entry(new FilePath(volume, path)).flatMap(CurrentEntry::kept);
            kept.ifPresent(stays ->
                    add(new ExportRecord.Directory(path, stays.createdAtMillis(), stays.attributes()), RECORD_BYTES));
            return kept.isPresent();
        }

        private void file(ExportPlace.File place) throws CloudMwException {
            Optional<CurrentFile> found = catalog.file(new FilePath(volume, place.path()));
            if (found.isEmpty()) {
                if (!addIfKept(place.path())) {
                    add(new ExportRecord.Absent(place.path()), 0);
                }
                return;
            }
            CurrentFile file = found.get();
            VersionId version = file.version().id();
            boolean begun = place.version().equals(Optional.of(version));
            for (int i = begun ? place.segment() : 0; i < file.version().segmentCount(); i++) {
                if (bytes >= pageBytes) {
                    places.push(new ExportPlace.File(place.path(), Optional.of(version), i));
                    return;
                }
                Optional<byte[]> segment = catalog.segment(version, i);
                if (segment.isEmpty() || !addPacks(ManifestSegment.decode(i, segment.get()))) {
                    // The file was replaced and collected meanwhile, which the log reports.
                    return;
                }
                add(new ExportRecord.Segment(version, i, segment.get()), segment.get().length);
            }
            add(new ExportRecord.Present(file.version(), file.createdAtMillis(), file.attributes()), RECORD_BYTES);
        }

        /** Adds the packs that have the bytes of a segment's slices, each once; returns false when one is gone. */
        private boolean addPacks(ManifestSegment segment) throws CloudMwException {
            for (Chunk chunk : segment.chunks()) {
                VersionId pack = chunk.id().version();
                if (chunk.id().slice().isEmpty() || packs.contains(pack)) {
                    continue;
                }
                Optional<PackRelocation> place = catalog.relocation(pack);
                VersionId now = place.map(PackRelocation::pack).orElse(pack);
                Optional<byte[]> found = catalog.segment(now, 0);
                if (found.isEmpty()) {
                    return false;
                }
                add(new ExportRecord.Segment(now, 0, found.get()), found.get().length);
                if (place.isPresent()) {
                    add(
                            new ExportRecord.Relocated(place.get()),
                            place.get().kept().size() * RANGE_BYTES);
                }
                packs.add(pack);
            }
            return true;
        }

        private void add(ExportRecord entry, int size) {
            records.add(entry);
            bytes += RECORD_BYTES + size;
        }

        /** Adds the places that the log reports; returns false when nothing has changed. */
        private boolean takeChanges() throws CloudMwException {
            ChangePage changes = catalog.changes().after(volume, position, CHANGES);
            if (!changes.known()) {
                throw new CloudMwException(
                        ErrorCode.CONFLICT,
                        "volume " + volume + ": the changes after position " + position
                                + " are no longer in the log (expected: an export of everything)");
            }
            if (changes.items().isEmpty()) {
                return false;
            }
            if (++rounds > MAX_ROUNDS) {
                throw new CloudMwException(
                        ErrorCode.OVERLOADED,
                        "volume " + volume + ": it changes faster than it can be exported (" + changes.position()
                                + " is its last change, " + position + " the last one exported)");
            }
            Set<String> files = new LinkedHashSet<>();
            for (Change change : changes.items()) {
                take(change, files);
                position = change.position();
            }
            files.forEach(path -> places.push(new ExportPlace.File(path)));
            return true;
        }

        private void take(Change change, Set<String> files) {
            if (change.kind() == Change.Kind.VOLUME_DELETED) {
                add(new ExportRecord.AbsentTree("/"), 0);
                return;
            }
            addAbove(change, files);
            if (change.version().isEmpty() && change.kind() == Change.Kind.RENAMED) {
                change.from().ifPresent(from -> add(new ExportRecord.AbsentTree(from), 0));
                add(new ExportRecord.AbsentTree(change.path()), 0);
                places.push(new ExportPlace.Directory(change.path(), ""));
            } else {
                change.from().ifPresent(files::add);
                files.add(change.path());
            }
        }

        /** Adds the directories above that the change may have made to stay. */
        private static void addAbove(Change change, Set<String> files) {
            boolean all = change.kind() == Change.Kind.DIRECTORY_CREATED;
            boolean last = change.kind() != Change.Kind.PUT && change.kind() != Change.Kind.ATTRIBUTES;
            String path = change.from().orElse(change.path());
            int end = path.lastIndexOf('/');
            while (end > 0 && (all || last)) {
                files.add(path.substring(0, end));
                end = path.lastIndexOf('/', end - 1);
                last = false;
            }
        }
    }
}
