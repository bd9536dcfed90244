package io.cloudmw.coordinator.backup;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.catalog.CatalogErrors;
import io.cloudmw.coordinator.catalog.Changes;
import io.cloudmw.coordinator.catalog.CurrentFile;
import io.cloudmw.coordinator.catalog.DirectoryEntry;
import io.cloudmw.core.backup.ExportCursor;
import io.cloudmw.core.backup.ExportPage;
import io.cloudmw.core.backup.ExportPlace;
import io.cloudmw.core.backup.ExportRecord;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.Page;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.file.Change;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Says what a volume consists of, piece by piece, to whoever brings along how far it came: nothing is kept here, so any
 * coordinator goes on with what another began.
 *
 * <p>The tree is walked while it changes; then what the log says has changed is looked at again, until nothing has. What is found
 * at a path is recorded as it is when it is looked at, which may be later than the change that led there; but then that later
 * change is in the log too. So at the end, when the log has nothing more, the records are the volume at its position exactly. A
 * directory that was renamed is forgotten at both places, and walked at the new one.
 */
public final class VolumeExport {
    /** A piece is not begun to be larger. It ends with a file, or, of a large one, with a segment. */
    public static final int PAGE_BYTES = 512 << 10;

    private static final int PAGE_PLACES = 200;

    /** How many lists of changes are looked at before it is given up. */
    static final int MAX_ROUNDS = 4096;

    private static final int ENTRIES = 100;
    private static final int CHANGES = 500;
    private static final int RECORD_BYTES = 256;

    private final Catalog catalog;
    private final int pageBytes;
    private final int pagePlaces;

    public VolumeExport(Catalog catalog) {
        this(catalog, PAGE_BYTES, PAGE_PLACES);
    }

    /**
     * In other pieces.
     *
     * @param pagePlaces one looks at no more places
     */
    VolumeExport(Catalog catalog, int pageBytes, int pagePlaces) {
        this.catalog = catalog;
        this.pageBytes = pageBytes;
        this.pagePlaces = pagePlaces;
    }

    /**
     * The next piece.
     *
     * @param after what changed after this position is wanted; everything, if that is not known any more or empty
     * @param cursor of the piece before; empty: the first
     * @throws CloudMwException {@code VOLUME_NOT_FOUND}; {@code CONFLICT} when changes that happened meanwhile are not kept any
     *     more; {@code OVERLOADED} when the volume changes faster than it can be looked at
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

    /** One piece while it is put together. */
    private final class Piece {
        private final VolumeName volume;
        private final List<ExportRecord> records = new ArrayList<>();
        private final Deque<ExportPlace> places = new ArrayDeque<>();
        private long position;
        private int rounds;
        private int looked;
        private long bytes;

        Piece(VolumeName volume) {
            this.volume = volume;
        }

        /** Whether it is everything. */
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

        /** The places with the next one last. */
        List<ExportPlace> inOrder() {
            List<ExportPlace> all = new ArrayList<>();
            places.descendingIterator().forEachRemaining(all::add);
            return all;
        }

        /** Whether there is more. */
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
                // It has another path now: the log says so.
                return;
            }
            if (!page.isLast()) {
                places.push(new ExportPlace.Directory(directory.path(), page.nextToken()));
            }
            String parent = directory.path().equals("/") ? "/" : directory.path() + "/";
            for (DirectoryEntry entry : page.items()) {
                String path = parent + entry.name();
                places.push(entry.isDirectory() ? new ExportPlace.Directory(path, "") : new ExportPlace.File(path));
            }
        }

        private void file(ExportPlace.File place) throws CloudMwException {
            Optional<CurrentFile> found = catalog.file(new FilePath(volume, place.path()));
            if (found.isEmpty()) {
                add(new ExportRecord.Absent(place.path()), 0);
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
                if (segment.isEmpty()) {
                    // Replaced and collected meanwhile: the log says so.
                    return;
                }
                add(new ExportRecord.Segment(version, i, segment.get()), segment.get().length);
            }
            add(new ExportRecord.Present(file.version(), file.createdAtMillis(), file.attributes()), RECORD_BYTES);
        }

        private void add(ExportRecord entry, int size) {
            records.add(entry);
            bytes += RECORD_BYTES + size;
        }

        /** False: nothing has changed. */
        private boolean takeChanges() throws CloudMwException {
            Changes changes = catalog.changes().after(volume, position, CHANGES);
            if (!changes.known()) {
                throw new CloudMwException(
                        ErrorCode.CONFLICT,
                        "volume " + volume + ": what changed after position " + position
                                + " is not kept any more (expected: an export of everything)");
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
            } else if (change.version().isEmpty()) {
                change.from().ifPresent(from -> add(new ExportRecord.AbsentTree(from), 0));
                add(new ExportRecord.AbsentTree(change.path()), 0);
                places.push(new ExportPlace.Directory(change.path(), ""));
            } else {
                change.from().ifPresent(files::add);
                files.add(change.path());
            }
        }
    }
}
