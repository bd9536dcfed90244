package io.cloudmw.coordinator.catalog;

import io.cloudmw.coordinator.catalog.change.AppliedCalls;
import io.cloudmw.coordinator.catalog.change.BatchCommit;
import io.cloudmw.coordinator.catalog.change.ChangeLog;
import io.cloudmw.coordinator.catalog.change.ChangeRequest;
import io.cloudmw.coordinator.catalog.change.CommitOutcome;
import io.cloudmw.coordinator.catalog.change.CommitRequest;
import io.cloudmw.coordinator.catalog.change.ValueUpdate;
import io.cloudmw.coordinator.catalog.tree.CurrentEntry;
import io.cloudmw.coordinator.catalog.tree.CurrentFile;
import io.cloudmw.coordinator.catalog.tree.DirectoryEntry;
import io.cloudmw.coordinator.catalog.tree.KeptDirectory;
import io.cloudmw.coordinator.catalog.tree.SnapshotRecords;
import io.cloudmw.coordinator.catalog.tree.Tree;
import io.cloudmw.coordinator.catalog.tree.TreeFile;
import io.cloudmw.coordinator.catalog.version.Packs;
import io.cloudmw.coordinator.catalog.version.RetiredVersion;
import io.cloudmw.coordinator.catalog.version.SharedChunks;
import io.cloudmw.coordinator.catalog.version.SharedRun;
import io.cloudmw.coordinator.catalog.version.UpkeepRecords;
import io.cloudmw.coordinator.grant.SubjectRecords;
import io.cloudmw.coordinator.lease.Lease;
import io.cloudmw.coordinator.lease.LeaseKeeper;
import io.cloudmw.coordinator.lease.Leases;
import io.cloudmw.coordinator.lock.LockRecords;
import io.cloudmw.core.access.CredentialsReference;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.Page;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.chunk.ReplicaReport;
import io.cloudmw.core.model.file.AttributeChange;
import io.cloudmw.core.model.file.Attributes;
import io.cloudmw.core.model.file.FileCopy;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.model.file.Rename;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.model.volume.Volume;
import java.io.Closeable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The durable state of a cluster. Every method is atomic, and its changes are durable when it returns. A crash leaves
 * the state from before or after a call.
 *
 * <p>Calls block on storage; any number of threads may call at once. Besides the codes named below, every call may fail
 * with {@code OVERLOADED} (too many calls wait), {@code STORE_FULL} (no room for the catalog's own files) or
 * {@code INTERNAL}.
 *
 * <p>A method with a {@link ChangeRequest} deduplicates: retries of the same call, in parallel or at another
 * coordinator, get the first answer and change nothing. A call that is too old fails with {@code INVALID_ARGUMENT}. See
 * {@link AppliedCalls}.
 *
 * <p>A version goes through three states. It is <em>open</em> from its first segment and <em>current</em> from its
 * commit. It is <em>retired</em> when the path names another version, the path is removed, or the upload was abandoned.
 */
public interface Catalog extends UpkeepRecords, SharedChunks, Packs, Closeable {
    /** The largest number of items in a page. */
    int MAX_PAGE = 1000;

    /**
     * Adds a volume.
     *
     * @return the volume as it was added
     * @throws CloudMwException {@code ALREADY_EXISTS}; {@code NOT_FOUND} when one of its stores is not known
     */
    Volume createVolume(Volume volume, ChangeRequest request) throws CloudMwException;

    /** Adds a volume without deduplication. */
    default void createVolume(Volume volume) throws CloudMwException {
        Volume unused = createVolume(volume, ChangeRequest.once(volume.createdAtMillis()));
    }

    /**
     * Changes a volume in one step. No other change of the volume takes effect between the read and the write.
     *
     * @param change computes the new volume from the present one; the catalog may call it several times
     * @return the volume as it is kept
     * @throws CloudMwException {@code VOLUME_NOT_FOUND}; {@code NOT_FOUND} when the change adds a store that is not
     *     known; any error that the change throws
     */
    Volume changeVolume(VolumeName name, ValueUpdate<Volume> change, ChangeRequest request) throws CloudMwException;

    Optional<Volume> volume(VolumeName name) throws CloudMwException;

    /** Returns all volumes, ordered by name. */
    List<Volume> volumes() throws CloudMwException;

    /**
     * Removes a volume and retires all its versions. Takes time in proportion to the volume's files.
     *
     * @param force removes the volume even when it still has files
     * @throws CloudMwException {@code VOLUME_NOT_FOUND}; {@code VOLUME_NOT_EMPTY}
     */
    void deleteVolume(VolumeName name, boolean force, ChangeRequest request) throws CloudMwException;

    /** Removes a volume without deduplication. */
    default void deleteVolume(VolumeName name, boolean force, long nowMillis) throws CloudMwException {
        deleteVolume(name, force, ChangeRequest.once(nowMillis));
    }

    /**
     * Adds a store. Adding the same store again succeeds.
     *
     * @return the store
     * @throws CloudMwException as {@link StoreLocationRules#requireFree}
     */
    Store addStore(Store store, ChangeRequest request) throws CloudMwException;

    /**
     * Changes the record of a store in one step, as {@link #changeVolume}.
     *
     * @throws CloudMwException {@code NOT_FOUND}; any error that the change throws
     */
    Store changeStore(StoreId id, ValueUpdate<Store> change, ChangeRequest request) throws CloudMwException;

    /** Adds a store, or replaces its record. */
    void putStore(Store store) throws CloudMwException;

    /**
     * Changes where the credentials of a bucket are found.
     *
     * @return the store as it is kept now
     * @throws CloudMwException {@code NOT_FOUND}; {@code INVALID_ARGUMENT} when the store is a disk
     */
    Store setCredentials(StoreId id, CredentialsReference reference, ChangeRequest request) throws CloudMwException;

    /** Returns all stores, ordered by id. */
    List<Store> stores() throws CloudMwException;

    /**
     * Removes the record of a store.
     *
     * @return the record that was removed
     * @throws CloudMwException {@code NOT_FOUND}; {@code STORE_IN_USE} when a volume uses the store or has not yet
     *     released it
     */
    Store removeStore(StoreId id, ChangeRequest request) throws CloudMwException;

    /** Removes the record of a store without deduplication. */
    default void removeStore(StoreId id) throws CloudMwException {
        Store unused = removeStore(id, ChangeRequest.once(0));
    }

    /** Opens a version, or records that its upload makes progress. Does nothing to a version that is no longer open. */
    void touch(VersionId version, long nowMillis) throws CloudMwException;

    /**
     * Records that the upload of an open version makes progress, as {@link #touch}, but opens no version.
     *
     * @return whether the version is open
     */
    boolean resume(VersionId version, long nowMillis) throws CloudMwException;

    /**
     * Stores a segment of an open version; the first segment opens the version. Storing the same segment again changes
     * nothing, but the references of an open version are recorded again. A different segment with the same index
     * replaces it, since the writer may place a chunk again.
     *
     * @param encoded stored as it is
     * @param shared the chunks in it that other versions wrote
     * @throws CloudMwException {@code CONFLICT} when the version is no longer open and holds a different segment
     */
    void putSegment(VersionId version, int index, byte[] encoded, List<SharedRun> shared, long nowMillis)
            throws CloudMwException;

    /** Stores a segment that shares no chunk with another version. */
    default void putSegment(VersionId version, int index, byte[] encoded, long nowMillis) throws CloudMwException {
        putSegment(version, index, encoded, List.of(), nowMillis);
    }

    /** Returns a segment as it was stored. */
    Optional<byte[]> segment(VersionId version, int index) throws CloudMwException;

    /**
     * Returns the first segments of some versions, in as few steps as the catalog allows. They are held in memory
     * together.
     *
     * @return those that were found
     */
    default Map<VersionId, byte[]> firstSegments(List<VersionId> versions) throws CloudMwException {
        Map<VersionId, byte[]> found = new HashMap<>();
        for (VersionId version : versions) {
            segment(version, 0).ifPresent(segment -> found.put(version, segment));
        }
        return found;
    }

    /**
     * Makes a version current at a path if the path still names the expected version. The version that the path named
     * before is retired. A repeated commit returns the first result, whatever happened since, until the version is
     * forgotten.
     *
     * @return the version as it was committed
     * @throws CloudMwException {@code CONFLICT} when the path or that of a part names another version, or this version
     *     was abandoned; {@code LOCK_LOST} when the request names a lock that is gone; {@code VOLUME_NOT_FOUND};
     *     {@code INVALID_ARGUMENT} when the manifest digest does not match the stored
     *     segments, or new directories would make the path deeper than {@value Tree#MAX_DIRECTORIES} directories;
     *     {@code ALREADY_EXISTS} when the path is a directory, or lies below a file
     */
    FileVersion commit(CommitRequest commit) throws CloudMwException;

    /**
     * Commits several files, in as few steps as the catalog allows. Each file is committed as by {@link #putSegment}
     * and {@link #commit}, or refused. A repeated call returns the first results of the files that were committed.
     *
     * @return an outcome for each file, in their order
     * @throws CloudMwException when nothing could be committed: {@code VOLUME_NOT_FOUND}; {@code CONFLICT} when the pack
     *     was abandoned
     */
    List<CommitOutcome> commitAll(BatchCommit batch) throws CloudMwException;

    /**
     * Abandons an uncommitted version: no commit of it succeeds any more. The version is retired, and its id is kept
     * for ever.
     *
     * @return the committed version if it was committed already; then nothing changes
     */
    Optional<FileVersion> giveUp(VersionId version, long nowMillis) throws CloudMwException;

    /**
     * Checks that a file could be committed at this path now, considering paths alone.
     *
     * @throws CloudMwException {@code VOLUME_NOT_FOUND}; {@code ALREADY_EXISTS}; {@code INVALID_ARGUMENT}, as
     *     {@link #commit}
     */
    void checkPath(FilePath file) throws CloudMwException;

    /** Returns the file at a path, with its times and attributes. */
    Optional<CurrentFile> file(FilePath file) throws CloudMwException;

    /**
     * Returns the files at some paths of one volume, in as few steps as the catalog allows. Each is the one at its path at
     * some moment of the call, not all at the same.
     *
     * @return one for each path, in their order; empty: there is no file
     */
    default List<Optional<CurrentFile>> files(List<FilePath> paths) throws CloudMwException {
        List<Optional<CurrentFile>> found = new ArrayList<>(paths.size());
        for (FilePath path : paths) {
            found.add(file(path));
        }
        return found;
    }

    /** Returns what a path names: a file or a directory, with its times and attributes. */
    Optional<CurrentEntry> entry(FilePath path) throws CloudMwException;

    /** Returns the current version at a path. */
    default Optional<FileVersion> current(FilePath file) throws CloudMwException {
        return file(file).map(CurrentFile::version);
    }

    /**
     * Changes the attributes of a file or a directory. Attributes stay with a file across versions and renames. Makes no
     * version. A directory stays from then on, as {@link #createDirectory} says.
     *
     * @return all attributes of the file or directory now
     * @throws CloudMwException {@code NOT_FOUND}; {@code INVALID_ARGUMENT} when they would exceed the limits of
     *     {@link Attributes}
     */
    Attributes setAttributes(AttributeChange change, ChangeRequest request) throws CloudMwException;

    /** Changes the attributes of a file without deduplication. */
    default Attributes setAttributes(AttributeChange change, long nowMillis) throws CloudMwException {
        return setAttributes(change, ChangeRequest.once(nowMillis));
    }

    /** Returns a version that was committed, current or retired, with the path of its commit. */
    Optional<FileVersion> version(VersionId id) throws CloudMwException;

    /**
     * Removes the file at a path; its version is retired.
     *
     * @param keepDirectories makes the file's directory stay, as {@link #createDirectory} says; otherwise the directories
     *     that are empty then are removed, except those that stay
     * @return the version that the path named
     * @throws CloudMwException {@code NOT_FOUND}
     */
    FileVersion remove(FilePath file, boolean keepDirectories, ChangeRequest request) throws CloudMwException;

    /** Removes a file and the directories that are empty then. */
    default FileVersion remove(FilePath file, ChangeRequest request) throws CloudMwException {
        return remove(file, false, request);
    }

    /** Removes a file without deduplication. */
    default FileVersion remove(FilePath file, long nowMillis) throws CloudMwException {
        return remove(file, ChangeRequest.once(nowMillis));
    }

    /**
     * Creates a directory that stays when it is empty. Other directories are made with their first file and removed with
     * their last.
     *
     * @param parents whether missing directories above are created too, and a directory that exists is no error: it stays
     *     from then on
     * @param attributes given to the directory if this call creates it
     * @throws CloudMwException {@code NOT_FOUND} when a directory above is missing; {@code ALREADY_EXISTS} when the path
     *     is a file, lies below a file, or is a directory and {@code parents} is false; {@code INVALID_ARGUMENT} when the
     *     path would lie in more than {@value Tree#MAX_DIRECTORIES} directories; {@code VOLUME_NOT_FOUND}
     */
    void createDirectory(FilePath directory, boolean parents, Attributes attributes, ChangeRequest request)
            throws CloudMwException;

    /** Creates a directory without attributes. */
    default void createDirectory(FilePath directory, boolean parents, ChangeRequest request) throws CloudMwException {
        createDirectory(directory, parents, Attributes.NONE, request);
    }

    /**
     * Removes an empty directory. The directory above stays, even when it is empty now.
     *
     * @throws CloudMwException {@code NOT_FOUND} when there is none; {@code NOT_EMPTY}; {@code VOLUME_NOT_FOUND}
     */
    void removeDirectory(FilePath directory, ChangeRequest request) throws CloudMwException;

    /**
     * Lets a second path of a volume name the version of a file, as a separate file with the same attributes, created
     * now. Nothing is copied. A file at that path is replaced if the request allows that, and its version is retired.
     *
     * @return the version, at its new path
     * @throws CloudMwException {@code NOT_FOUND} when there is no file at the old path; {@code ALREADY_EXISTS} when the
     *     new path is a directory, lies below a file, or is a file that must not be replaced; {@code INVALID_ARGUMENT}
     *     when the new path has too many directories; {@code VOLUME_NOT_FOUND}
     */
    FileVersion copy(FileCopy copy, ChangeRequest request) throws CloudMwException;

    /**
     * Moves a file or a directory to another path in its volume, in one step. The time does not depend on how much lies
     * below it. Versions and their readers are not affected. If the request allows that, a file replaces another file,
     * whose version is retired, and a file or a directory replaces an empty directory.
     *
     * @return the moved entry, under its new name
     * @throws CloudMwException {@code NOT_FOUND} when nothing is at the old path; {@code ALREADY_EXISTS} when the new
     *     path lies below a file, is a file and the old path a directory, or must not be replaced; {@code NOT_EMPTY} when
     *     it is a directory that could be replaced if it were empty; {@code INVALID_ARGUMENT} when
     *     a directory would move into itself, the new path has too many directories, or a path below it would be too
     *     long (a file that was removed since counts, too); {@code VOLUME_NOT_FOUND}
     */
    DirectoryEntry rename(Rename rename, ChangeRequest request) throws CloudMwException;

    /** Renames without deduplication. */
    default DirectoryEntry rename(Rename rename, long nowMillis) throws CloudMwException {
        return rename(rename, ChangeRequest.once(nowMillis));
    }

    /**
     * Lets a second path of a volume name the version of the first, as a separate file with its own creation time and
     * attributes. The version that the second path named before is retired. A repeated call changes nothing.
     *
     * @param from a path in the same volume as {@code to}; it stays as it is
     * @return the version, at its new path
     * @throws CloudMwException {@code CONFLICT} when {@code from} names another version, or none;
     *     {@code INVALID_ARGUMENT} when it is in another volume; the errors of {@link #checkPath} for the new path
     */
    FileVersion link(FilePath from, FilePath to, TreeFile as, long nowMillis) throws CloudMwException;

    /**
     * Lets a path be a directory that stays when it is empty, with these properties. Missing directories above are created
     * as for a file. A repeated call changes nothing.
     *
     * @throws CloudMwException {@code ALREADY_EXISTS} when the path is a file, or lies below one; {@code VOLUME_NOT_FOUND};
     *     {@code INVALID_ARGUMENT} as {@link #createDirectory}
     */
    void restoreDirectory(FilePath directory, KeptDirectory as, long nowMillis) throws CloudMwException;

    /**
     * Lists the immediate children of a directory, ordered by their names' UTF-8 bytes. Memory and time are in
     * proportion to the page, whatever the size of the directory and the position of the page.
     *
     * @param directory {@code /} or {@code /a/b}; a directory that does not exist has no children
     * @param pageToken the token of the previous page; empty for the first page
     * @param limit 1..{@value #MAX_PAGE}
     * @throws CloudMwException {@code INVALID_ARGUMENT} when the directory or the token is malformed; {@code CONFLICT}
     *     when the directory of the previous page has another path now
     */
    Page<DirectoryEntry> list(VolumeName volume, String directory, String pageToken, int limit) throws CloudMwException;

    /**
     * Records the state of replicas. {@code GOOD} clears the record; for an open version it is kept, so that a later
     * commit that still calls the copy owed is overruled. {@code OWED} never replaces a record. Nothing replaces a
     * record of a copy that upkeep dropped. For an unknown version, which may have been forgotten, only its writer's
     * reports ({@code GOOD}, {@code OWED}) are recorded, and they open it.
     */
    void report(List<ReplicaReport> reports, long nowMillis) throws CloudMwException;

    /**
     * Returns the replicas that are not good among chunk {@code firstIndex} (inclusive) to {@code endIndex}
     * (exclusive).
     */
    List<ReplicaReport> faults(VersionId version, long firstIndex, long endIndex) throws CloudMwException;

    /** Returns how many chunks of a version have at least one replica that is not good. */
    long underReplicatedChunks(VersionId version) throws CloudMwException;

    /**
     * Returns the replicas that are not good among the chunks of a volume's current versions, ordered by chunk and
     * store.
     */
    Page<ReplicaReport> underReplicated(VolumeName volume, String pageToken, int limit) throws CloudMwException;

    /**
     * Returns the reports that coordinators of this catalog exchange; empty where a catalog has a single coordinator.
     */
    default Optional<FleetReports> fleet() {
        return Optional.empty();
    }

    /** Returns the leases of background jobs. Each write of a job names its lease. */
    Leases leases();

    /**
     * Retires the open versions that were not written since {@code beforeMillis}. Takes long where there are many.
     *
     * @param keeper called before each write
     * @return how many were retired
     * @throws CloudMwException {@code LEASE_LOST}
     */
    int retireAbandoned(LeaseKeeper keeper, long beforeMillis, long nowMillis) throws CloudMwException;

    /** Retires abandoned versions under a lease that lasts as long as the call. */
    default int retireAbandoned(Lease lease, long beforeMillis, long nowMillis) throws CloudMwException {
        return retireAbandoned(() -> lease, beforeMillis, nowMillis);
    }

    /** Returns the open versions, ordered by id: uploads that were neither committed nor abandoned. */
    Page<VersionId> open(String pageToken, int limit) throws CloudMwException;

    /** Returns the retired versions, ordered by id. */
    Page<RetiredVersion> retired(String pageToken, int limit) throws CloudMwException;

    /**
     * Drops the records of a retired version, after the chunks that no other version references were deleted (see
     * {@link SharedChunks#namedElsewhere}). Does nothing to a version in another state. Chunks that other versions
     * share stay known, with the records of their copies. The id of a version that was never committed is kept, so that
     * its writer is still refused.
     *
     * @throws CloudMwException {@code LEASE_LOST}
     */
    void forget(Lease lease, VersionId version) throws CloudMwException;

    /** Returns the locks on files. A commit may name the lock under which it is made. */
    LockRecords locks();

    /** Returns the records of subjects. */
    SubjectRecords subjects();

    /** Returns the notes of upkeep. */
    UpkeepNotes notes();

    /** Returns the log of changes to names. It is closed with this catalog. */
    ChangeLog changes();

    /** Returns the snapshots of volumes. */
    SnapshotRecords snapshots();

    /** Returns the unique id of this catalog, and so of its cluster: 32 hexadecimal digits that never change. */
    String clusterId() throws CloudMwException;

    /** Returns the calls that were answered, for deduplication. */
    AppliedCalls appliedCalls();

    /** Waits for running calls; later calls fail. Idempotent. */
    @Override
    void close();
}
