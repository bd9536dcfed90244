package io.cloudmw.coordinator.names;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.catalog.change.CatalogErrors;
import io.cloudmw.coordinator.catalog.change.ChangeRequest;
import io.cloudmw.coordinator.catalog.tree.CurrentEntry;
import io.cloudmw.coordinator.catalog.tree.CurrentFile;
import io.cloudmw.coordinator.catalog.tree.DirectoryEntry;
import io.cloudmw.coordinator.catalog.tree.DirectoryPath;
import io.cloudmw.coordinator.catalog.tree.KeptDirectory;
import io.cloudmw.coordinator.catalog.tree.PathErrors;
import io.cloudmw.coordinator.catalog.version.PackedChunks;
import io.cloudmw.coordinator.catalog.version.SegmentBatch;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.manifest.ManifestSegment;
import io.cloudmw.core.model.CallId;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.Page;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.file.AttributeChange;
import io.cloudmw.core.model.file.Attributes;
import io.cloudmw.core.model.file.FileCopy;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.model.file.Rename;
import io.cloudmw.core.model.volume.Volume;
import io.cloudmw.core.time.WallClock;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The listing, renaming, copying and removal of files and directories, and their attributes. Safe for any thread; calls block on the catalog. */
public final class FileNames {
    /** The most leaves, of 36 bytes each, of the slices in one answer: a quarter of the messages that clients take. */
    static final int MAX_LEAVES = (4 << 20) / 36;

    private final Catalog catalog;
    private final WallClock clock;

    public FileNames(Catalog catalog, WallClock clock) {
        this.catalog = catalog;
        this.clock = clock;
    }

    /**
     * Describes a file.
     *
     * @throws CloudMwException {@code NOT_FOUND}; {@code VOLUME_NOT_FOUND}
     */
    public FileReplication stat(FilePath file) throws CloudMwException {
        volume(file.volume());
        CurrentFile found = current(catalog, file);
        return new FileReplication(
                found, catalog.underReplicatedChunks(found.version().id()));
    }

    /**
     * Describes the files at some paths of a volume.
     *
     * @param withSlices also give the slices of packs that files consist of, of so many files that one message can have
     *     them
     * @return one for each path, in their order; empty: there is no file
     * @throws CloudMwException {@code VOLUME_NOT_FOUND}
     */
    public List<Optional<SmallFile>> stat(VolumeName name, List<FilePath> paths, boolean withSlices)
            throws CloudMwException {
        volume(name);
        List<Optional<CurrentFile>> found = catalog.files(paths);
        Map<VersionId, SmallFile.Packed> packed = withSlices ? packed(found) : Map.of();
        return found.stream()
                .map(file -> file.map(known -> new SmallFile(
                        known, Optional.ofNullable(packed.get(known.version().id())))))
                .toList();
    }

    /** Returns the slices of files in packs, by version, as many as fit into one message. */
    private Map<VersionId, SmallFile.Packed> packed(List<Optional<CurrentFile>> files) throws CloudMwException {
        List<FileVersion> left = files.stream()
                .flatMap(Optional::stream)
                .map(CurrentFile::version)
                .filter(version -> version.segmentCount() == 1 && version.chunkCount() == 1)
                .toList();
        PackedChunks packs = new PackedChunks(catalog);
        Map<VersionId, SmallFile.Packed> packed = new HashMap<>();
        long leaves = 0;
        while (!left.isEmpty() && leaves < MAX_LEAVES) {
            List<VersionId> next = SegmentBatch.first(left, MAX_LEAVES);
            left = left.subList(next.size(), left.size());
            Map<VersionId, byte[]> segments = catalog.firstSegments(next);
            for (VersionId version : next) {
                byte[] segment = segments.get(version);
                Optional<SmallFile.Packed> slice = segment == null ? Optional.empty() : packed(segment, packs);
                int more = slice.map(one -> one.chunk().leaves().count()).orElse(0);
                if (slice.isPresent() && leaves + more <= MAX_LEAVES) {
                    packed.put(version, slice.get());
                    leaves += more;
                }
            }
        }
        return packed;
    }

    private static Optional<SmallFile.Packed> packed(byte[] segment, PackedChunks packs) throws CloudMwException {
        List<Chunk> chunks = ManifestSegment.decode(0, segment).chunks();
        if (chunks.size() != 1 || chunks.get(0).id().slice().isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(new SmallFile.Packed(packs.located(chunks).get(0), chunks.get(0)));
    }

    /**
     * Changes the attributes of a file or a directory.
     *
     * @param call deduplicates retries; empty: no deduplication
     * @return all attributes that it has now
     * @throws CloudMwException as {@link Catalog#setAttributes}; {@code VOLUME_NOT_FOUND}
     */
    public Attributes setAttributes(AttributeChange change, Optional<CallId> call) throws CloudMwException {
        try {
            return catalog.setAttributes(change, ChangeRequest.of(call, clock));
        } catch (CloudMwException e) {
            if (e.code() == ErrorCode.NOT_FOUND) {
                volume(change.file().volume());
            }
            throw e;
        }
    }

    /**
     * Lists the immediate children of a directory.
     *
     * @param limit 1..{@value Catalog#MAX_PAGE}; 0 for the most
     * @throws CloudMwException {@code NOT_FOUND} when there is no such directory; {@code VOLUME_NOT_FOUND}
     */
    public Page<DirectoryEntry> list(VolumeName name, String directory, String pageToken, int limit)
            throws CloudMwException {
        volume(name);
        Page<DirectoryEntry> page = catalog.list(name, directory, pageToken, limit == 0 ? Catalog.MAX_PAGE : limit);
        if (page.items().isEmpty() && pageToken.isEmpty() && !directory.equals("/")) {
            FilePath path = new FilePath(name, directory);
            CurrentEntry found = catalog.entry(path).orElseThrow(() -> PathErrors.directoryNotFound(path));
            if (!found.isDirectory()) {
                throw PathErrors.fileNotDirectory(path);
            }
        }
        return page;
    }

    /**
     * Returns what a path names, or that it names nothing in a directory that exists.
     *
     * @param path {@code /} or {@code /a/b}
     * @return empty: it names nothing
     * @throws CloudMwException {@code NOT_FOUND} when the directory above is missing or a file; as {@link #entry}
     */
    public Optional<CurrentEntry> entryOrPlace(VolumeName name, String path) throws CloudMwException {
        try {
            return Optional.of(entry(name, path));
        } catch (CloudMwException e) {
            if (e.code() != ErrorCode.NOT_FOUND) {
                throw e;
            }
            int slash = path.lastIndexOf('/');
            if (slash > 0) {
                FilePath above = new FilePath(name, path.substring(0, slash));
                if (catalog.entry(above).filter(CurrentEntry::isDirectory).isEmpty()) {
                    throw PathErrors.directoryNotFound(above);
                }
            }
            return Optional.empty();
        }
    }

    /**
     * Returns what a path names.
     *
     * @param path {@code /} or {@code /a/b}
     * @throws CloudMwException {@code NOT_FOUND} when it names nothing; {@code VOLUME_NOT_FOUND};
     *     {@code INVALID_ARGUMENT} when it is malformed
     */
    public CurrentEntry entry(VolumeName name, String path) throws CloudMwException {
        Optional<FilePath> below = DirectoryPath.of(name, path).asEntry();
        Volume volume = volume(name);
        if (below.isEmpty()) {
            return CurrentEntry.directory(Optional.of(new KeptDirectory(volume.createdAtMillis(), Attributes.NONE)));
        }
        return catalog.entry(below.get()).orElseThrow(() -> PathErrors.pathNotFound(below.get()));
    }

    /**
     * Creates a directory that stays when it is empty.
     *
     * @param attributes given to the directory if this call creates it
     * @param call deduplicates retries; empty: no deduplication
     * @throws CloudMwException as {@link Catalog#createDirectory}
     */
    public void createDirectory(FilePath directory, boolean parents, Attributes attributes, Optional<CallId> call)
            throws CloudMwException {
        catalog.createDirectory(directory, parents, attributes, ChangeRequest.of(call, clock));
    }

    /**
     * Removes an empty directory.
     *
     * @param call deduplicates retries; empty: no deduplication
     * @throws CloudMwException as {@link Catalog#removeDirectory}
     */
    public void removeDirectory(FilePath directory, Optional<CallId> call) throws CloudMwException {
        catalog.removeDirectory(directory, ChangeRequest.of(call, clock));
    }

    /**
     * Lets another path name the version of a file.
     *
     * @param call deduplicates retries; empty: no deduplication
     * @return the version under its new path
     * @throws CloudMwException as {@link Catalog#copy}
     */
    public FileVersion copy(FileCopy copy, Optional<CallId> call) throws CloudMwException {
        return catalog.copy(copy, ChangeRequest.of(call, clock));
    }

    /**
     * Removes a file; its chunks become garbage. Readers that have a plan can still finish.
     *
     * @param keepDirectories as {@link Catalog#remove}
     * @param call deduplicates retries; empty: no deduplication
     * @return the removed version
     * @throws CloudMwException {@code NOT_FOUND}; {@code VOLUME_NOT_FOUND}
     */
    public FileVersion remove(FilePath file, boolean keepDirectories, Optional<CallId> call) throws CloudMwException {
        try {
            return catalog.remove(file, keepDirectories, ChangeRequest.of(call, clock));
        } catch (CloudMwException e) {
            if (e.code() == ErrorCode.NOT_FOUND) {
                volume(file.volume());
                requireNoDirectory(catalog, file);
            }
            throw e;
        }
    }

    /**
     * Moves a file or a directory to another path. Its readers are not affected.
     *
     * @param call deduplicates retries; empty: no deduplication
     * @return the moved entry, under its new name
     * @throws CloudMwException as {@link Catalog#rename}
     */
    public DirectoryEntry rename(Rename rename, Optional<CallId> call) throws CloudMwException {
        return catalog.rename(rename, ChangeRequest.of(call, clock));
    }

    /**
     * Returns the file at a path.
     *
     * @throws CloudMwException {@code NOT_FOUND}
     */
    public static CurrentFile current(Catalog catalog, FilePath file) throws CloudMwException {
        Optional<CurrentFile> found = catalog.file(file);
        if (found.isEmpty()) {
            requireNoDirectory(catalog, file);
        }
        return found.orElseThrow(() -> PathErrors.fileNotFound(file));
    }

    private static void requireNoDirectory(Catalog catalog, FilePath path) throws CloudMwException {
        if (catalog.entry(path).filter(CurrentEntry::isDirectory).isPresent()) {
            throw PathErrors.directoryNotFile(path);
        }
    }

    private Volume volume(VolumeName name) throws CloudMwException {
        return catalog.volume(name).orElseThrow(() -> CatalogErrors.volumeNotFound(name));
    }
}
