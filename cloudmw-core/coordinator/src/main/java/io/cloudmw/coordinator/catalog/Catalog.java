package io.cloudmw.coordinator.catalog;

import io.cloudmw.coordinator.lease.Lease;
import io.cloudmw.coordinator.lease.LeaseKeeper;
import io.cloudmw.coordinator.lease.Leases;
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
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.model.file.Rename;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.model.volume.Volume;
import java.io.Closeable;
import java.util.List;
import java.util.Optional;

/**
 * The durable state of a cluster. Every method is atomic, and what it changed is durable when it returns; a crash leaves
 * the state before or after a call. Calls block on storage; any number of threads may call at once. Besides the codes
 * named below every call may fail with {@code OVERLOADED} (too many calls wait), {@code STORE_FULL} (no room for the
 * catalog's own files) or {@code INTERNAL}.
 *
 * <p>What takes a {@link ChangeRequest} takes effect once, however often, at once and wherever the call it names is tried: the other
 * tries answer what the first one answered; a call that is too old fails with {@code INVALID_ARGUMENT}. See
 * {@link AppliedCalls}.
 *
 * <p>A version goes through three states: <em>open</em> from its first segment, <em>current</em> from its commit,
 * <em>retired</em> when the path names another version, is removed, or the upload was abandoned.
 */
public interface Catalog extends UpkeepRecords, SharedChunks, Closeable {
    /** Pages hold at most this many items. */
    int MAX_PAGE = 1000;

    /**
     * Adds a volume.
     *
     * @return the volume as it was added
     * @throws CloudMwException {@code ALREADY_EXISTS}; {@code NOT_FOUND} when one of its stores is not known
     */
    Volume createVolume(Volume volume, ChangeRequest request) throws CloudMwException;

    /** Adds a volume; tried once. */
    default void createVolume(Volume volume) throws CloudMwException {
        Volume unused = createVolume(volume, ChangeRequest.once(volume.createdAtMillis()));
    }

    /**
     * Changes a volume in one step: no other change of it takes effect between what the change reads and what it writes.
     *
     * @param change makes the volume that is kept from the one that is there; it may be asked several times
     * @return the volume as it is kept
     * @throws CloudMwException {@code VOLUME_NOT_FOUND}; {@code NOT_FOUND} when a store it names anew is not known; what the
     *     change refuses with
     */
    Volume changeVolume(VolumeName name, Alteration<Volume> change, ChangeRequest request) throws CloudMwException;

    Optional<Volume> volume(VolumeName name) throws CloudMwException;

    /** All volumes by name. */
    List<Volume> volumes() throws CloudMwException;

    /**
     * Removes a volume; all its versions become retired. Takes time in proportion to its files.
     *
     * @param force also when it still has files
     * @throws CloudMwException {@code VOLUME_NOT_FOUND}; {@code VOLUME_NOT_EMPTY}
     */
    void deleteVolume(VolumeName name, boolean force, ChangeRequest request) throws CloudMwException;

    /** Removes a volume; tried once. */
    default void deleteVolume(VolumeName name, boolean force, long nowMillis) throws CloudMwException {
        deleteVolume(name, force, ChangeRequest.once(nowMillis));
    }

    /**
     * Makes a store known. The same again is a success.
     *
     * @return the store
     * @throws CloudMwException as {@link StorePlaces#requireFree}
     */
    Store addStore(Store store, ChangeRequest request) throws CloudMwException;

    /**
     * Changes what is known of a store in one step, as {@link #changeVolume}.
     *
     * @throws CloudMwException {@code NOT_FOUND}; what the change refuses with
     */
    Store changeStore(StoreId id, Alteration<Store> change, ChangeRequest request) throws CloudMwException;

    /** Makes a store known, or replaces what is known of it. */
    void putStore(Store store) throws CloudMwException;

    /**
     * Has the credentials of a bucket found elsewhere.
     *
     * @return the store as it is kept now
     * @throws CloudMwException {@code NOT_FOUND}; {@code INVALID_ARGUMENT} when it is a disk
     */
    Store setCredentials(StoreId id, CredentialsReference reference, ChangeRequest request) throws CloudMwException;

    /** All stores by id. */
    List<Store> stores() throws CloudMwException;

    /**
     * Forgets a store.
     *
     * @return what was known of it
     * @throws CloudMwException {@code NOT_FOUND}; {@code STORE_IN_USE} when a volume names it, or it leaves one
     */
    Store removeStore(StoreId id, ChangeRequest request) throws CloudMwException;

    /** Forgets a store; tried once. */
    default void removeStore(StoreId id) throws CloudMwException {
        Store unused = removeStore(id, ChangeRequest.once(0));
    }

    /** Opens a version, or notes that its upload goes on; nothing happens to one that is no longer open. */
    void touch(VersionId version, long nowMillis) throws CloudMwException;

    /**
     * Notes that the upload of an open version goes on, as {@link #touch}, but opens none.
     *
     * @return whether it is open
     */
    boolean resume(VersionId version, long nowMillis) throws CloudMwException;

    /**
     * Keeps a segment of an open version; the first one opens it. The same segment again changes nothing; another one
     * with the same index replaces it (the writer placed a chunk anew).
     *
     * @param encoded taken as it is
     * @param shared what it names of chunks that other versions wrote
     * @throws CloudMwException {@code CONFLICT} when the version is no longer open and this is not what it holds
     */
    void putSegment(VersionId version, int index, byte[] encoded, List<SharedRun> shared, long nowMillis)
            throws CloudMwException;

    /** Keeps a segment that names no other version's chunks. */
    default void putSegment(VersionId version, int index, byte[] encoded, long nowMillis) throws CloudMwException {
        putSegment(version, index, encoded, List.of(), nowMillis);
    }

    /** A segment as it was put. */
    Optional<byte[]> segment(VersionId version, int index) throws CloudMwException;

    /**
     * Lets a path name a new version, if it still names what is expected. What it named before becomes retired.
     * Repeating a commit that succeeded is a success and gives what it gave, whatever happened since, until it is forgotten.
     *
     * @return the version as it was committed
     * @throws CloudMwException {@code CONFLICT} when the path names something else, or this version was abandoned;
     *     {@code VOLUME_NOT_FOUND}; {@code INVALID_ARGUMENT} when the version's segments are not those its manifest
     *     digest is of, or the path lies in more than {@value Tree#MAX_DIRECTORIES} directories some of which are new;
     *     {@code ALREADY_EXISTS} when the path is a directory, or lies below a file
     */
    FileVersion commit(Commit commit) throws CloudMwException;

    /**
     * Ends the upload of a version that is not committed: no commit of it succeeds any more. It becomes retired, and its id is never
     * forgotten.
     *
     * @return what it was committed as, if it was: then nothing is changed
     */
    Optional<FileVersion> giveUp(VersionId version, long nowMillis) throws CloudMwException;

    /**
     * Whether a file could be committed at this path now, as far as paths go.
     *
     * @throws CloudMwException {@code VOLUME_NOT_FOUND}; {@code ALREADY_EXISTS}; {@code INVALID_ARGUMENT}, as {@link #commit}
     */
    void checkPath(FilePath file) throws CloudMwException;

    /** What the path names, with what else is kept of the file. */
    Optional<CurrentFile> file(FilePath file) throws CloudMwException;

    /** What the path names. */
    default Optional<FileVersion> current(FilePath file) throws CloudMwException {
        return file(file).map(CurrentFile::version);
    }

    /**
     * Changes the attributes of a file, which it keeps from version to version and under any path. Makes no version.
     *
     * @return all it has now
     * @throws CloudMwException {@code NOT_FOUND}; {@code INVALID_ARGUMENT} when that would be more than {@link Attributes}
     *     may be
     */
    Attributes setAttributes(AttributeChange change, ChangeRequest request) throws CloudMwException;

    /** Changes attributes; tried once. */
    default Attributes setAttributes(AttributeChange change, long nowMillis) throws CloudMwException {
        return setAttributes(change, ChangeRequest.once(nowMillis));
    }

    /** A version that was committed once, current or retired, with the path it was committed to. */
    Optional<FileVersion> version(VersionId id) throws CloudMwException;

    /**
     * Lets a path name nothing; what it named becomes retired.
     *
     * @return what it named
     * @throws CloudMwException {@code NOT_FOUND}
     */
    FileVersion remove(FilePath file, ChangeRequest request) throws CloudMwException;

    /** Removes a file; tried once. */
    default FileVersion remove(FilePath file, long nowMillis) throws CloudMwException {
        return remove(file, ChangeRequest.once(nowMillis));
    }

    /**
     * Gives a file or a directory another path in its volume, in one step and in time that does not depend on what lies
     * below it. Versions and their readers do not notice. A file takes the place of another if that is wished, which becomes
     * retired; directories take nobody's place.
     *
     * @return what was moved, under its new name
     * @throws CloudMwException {@code NOT_FOUND} when nothing is at the old path; {@code ALREADY_EXISTS} when the new one is a
     *     directory, lies below a file, or is a file that is not to be replaced by this; {@code INVALID_ARGUMENT} when a
     *     directory is to be moved into itself, or the new path has too many directories, or a path below it would be too
     *     long (or would have been, with a file that was there once); {@code VOLUME_NOT_FOUND}
     */
    DirectoryEntry rename(Rename rename, ChangeRequest request) throws CloudMwException;

    /** Renames; tried once. */
    default DirectoryEntry rename(Rename rename, long nowMillis) throws CloudMwException {
        return rename(rename, ChangeRequest.once(nowMillis));
    }

    /**
     * Lets another path of a volume name the version that a path names, as a file of its own: as old as is said, and with these
     * attributes. What it named before becomes retired. Done already: nothing changes.
     *
     * @param from of the same volume as {@code to}; it keeps its name
     * @return the version, at its new path
     * @throws CloudMwException {@code CONFLICT} when {@code from} names another version, or none; {@code INVALID_ARGUMENT} when
     *     it is of another volume; what {@link #checkPath} says of the new path
     */
    FileVersion link(FilePath from, FilePath to, TreeFile as, long nowMillis) throws CloudMwException;

    /**
     * Lists the immediate children of a directory in the order of their names' UTF-8 bytes. Takes memory and time in
     * proportion to the page, however much is in the directory or lies below it, and wherever in it the page is.
     *
     * @param directory {@code /} or {@code /a/b}; one that does not exist has no children
     * @param pageToken as the last page gave it; empty from the start
     * @param limit 1..{@value #MAX_PAGE}
     * @throws CloudMwException {@code INVALID_ARGUMENT} when the directory or the token is malformed; {@code CONFLICT} when
     *     the directory whose page gave the token has another path now
     */
    Page<DirectoryEntry> list(VolumeName volume, String directory, String pageToken, int limit) throws CloudMwException;

    /**
     * Records what was found out about replicas. {@code GOOD} clears what was recorded; if the version is still open it
     * is remembered, so that a commit which arrives later and still calls the copy owed is not believed. {@code OWED}
     * never replaces what is known already. Nothing replaces what upkeep has dropped. Of a version nothing is known of, which may have
     * been forgotten, only what its writer says is recorded ({@code GOOD}, {@code OWED}), and opens it.
     */
    void report(List<ReplicaReport> reports, long nowMillis) throws CloudMwException;

    /** Replicas of these chunks that are not good: chunk {@code firstIndex} up to but not {@code endIndex}. */
    List<ReplicaReport> faults(VersionId version, long firstIndex, long endIndex) throws CloudMwException;

    /** Chunks that a version names of which at least one replica is not good. */
    long underReplicatedChunks(VersionId version) throws CloudMwException;

    /** Replicas that are not good, of chunks that the current versions of a volume's files name, by chunk and store. */
    Page<ReplicaReport> underReplicated(VolumeName volume, String pageToken, int limit) throws CloudMwException;

    /** What coordinators that share this catalog tell each other; empty where a catalog has one coordinator only. */
    default Optional<FleetBoard> fleet() {
        return Optional.empty();
    }

    /** Who does which background job. What such a job writes names its lease. */
    Leases leases();

    /**
     * Retires open versions that nobody has written to since {@code beforeMillis}. May take long where there are many.
     *
     * @param keeper asked before each write
     * @return how many
     * @throws CloudMwException {@code LEASE_LOST}
     */
    int retireAbandoned(LeaseKeeper keeper, long beforeMillis, long nowMillis) throws CloudMwException;

    /** The same under a lease that lasts as long. */
    default int retireAbandoned(Lease lease, long beforeMillis, long nowMillis) throws CloudMwException {
        return retireAbandoned(() -> lease, beforeMillis, nowMillis);
    }

    /** Open versions by id: uploads that were neither committed nor given up. */
    Page<VersionId> open(String pageToken, int limit) throws CloudMwException;

    /** Retired versions by id. */
    Page<RetiredVersion> retired(String pageToken, int limit) throws CloudMwException;

    /**
     * Drops everything kept of a retired version, after the chunks nobody else needs were deleted (see
     * {@link SharedChunks#namedElsewhere}). Nothing happens if it is not one. As long as others name chunks it wrote, those and what
     * is known of their copies stay known. Of one that was never committed the id stays: whoever still writes it is refused, as before.
     *
     * @throws CloudMwException {@code LEASE_LOST}
     */
    void forget(Lease lease, VersionId version) throws CloudMwException;

    /** What upkeep notes of itself. */
    Notes notes();

    /** What has happened to the names in volumes. Open as long as this is. */
    ChangeLog changes();

    /** How names were at moments that were kept. */
    Snapshots snapshots();

    /**
     * Names this catalog, and so the cluster that has it: 32 hexadecimal digits, as long as the catalog is, that no other has.
     */
    String clusterId() throws CloudMwException;

    /** Which calls have taken effect. */
    AppliedCalls appliedCalls();

    /** Waits for calls that run; later calls fail. Idempotent. */
    @Override
    void close();
}
