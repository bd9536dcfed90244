package io.cloudmw.coordinator.catalog.version;

import io.cloudmw.coordinator.catalog.change.Pack;
import io.cloudmw.coordinator.lease.Lease;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.Page;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.chunk.PackRelocation;
import io.cloudmw.core.model.file.FileVersion;
import java.util.Optional;

/**
 * The packs of a catalog: current versions without a path, whose chunks hold the bytes of small files. Atomic, durable
 * and safe for any thread like the catalog.
 */
public interface Packs {
    /**
     * Makes an open or unknown version a pack, and records the slices of an earlier pack that it has. A repeated call
     * changes nothing.
     *
     * @throws CloudMwException {@code CONFLICT} when the version was abandoned or replaced, or is another one, and when
     *     the pack is closed; {@code VOLUME_NOT_FOUND}
     */
    void addPack(Pack pack) throws CloudMwException;

    /**
     * Returns the packs, ordered by id.
     *
     * @param limit 1..{@value io.cloudmw.coordinator.catalog.Catalog#MAX_PAGE}
     */
    Page<FileVersion> packs(String pageToken, int limit) throws CloudMwException;

    /**
     * Returns current versions of files that need slices of a pack, ordered by id.
     *
     * @param pack in the list of packs
     * @param limit 1..{@value io.cloudmw.coordinator.catalog.Catalog#MAX_PAGE}; a page may have fewer before the last
     */
    default Page<FileVersion> filesOf(VersionId pack, String pageToken, int limit) throws CloudMwException {
        return filesSince(pack, Long.MAX_VALUE, pageToken, limit);
    }

    /**
     * Returns current versions of files that need slices of a pack, and those that were retired at a time or after it;
     * ordered by id. Versions that are committed while the pages are read may be missing: each names slices of its base,
     * which is in the pages if it was current at that time.
     *
     * @param pack in the list of packs
     * @param sinceMillis by the clock of the calls that retire versions
     * @param limit 1..{@value io.cloudmw.coordinator.catalog.Catalog#MAX_PAGE}; a page may have fewer before the last
     */
    Page<FileVersion> filesSince(VersionId pack, long sinceMillis, String pageToken, int limit) throws CloudMwException;

    /** Returns the present place of the slices of a pack that manifests name; empty: they are in that pack. */
    Optional<PackRelocation> relocation(VersionId original) throws CloudMwException;

    /** Returns the pack that has the slices of a compacted one, with its relocation; empty when there is none. */
    Optional<PackRelocation> relocationTo(VersionId pack) throws CloudMwException;

    /**
     * Closes a pack to files whose versions do not continue a current one, before it is compacted.
     *
     * @param nowMillis the same clock as in earlier calls for this pack
     * @return whether {@link #filesSince} finds all its files now; otherwise a call that comes more than a minute later
     *     returns true
     * @throws CloudMwException {@code LEASE_LOST}
     */
    boolean closePack(Lease lease, VersionId pack, long nowMillis) throws CloudMwException;

    /**
     * Replaces a closed pack by one with the slices that are still needed, and retires it, in one step. A repeated call
     * changes nothing.
     *
     * @param pack with a relocation; its copies are durable, but for those that it says are owed
     * @return false when the pack is not in the list of packs any more, and was replaced by another one or by none
     * @throws CloudMwException {@code LEASE_LOST}; {@code CONFLICT} when the new version was abandoned, or the replaced
     *     pack is not closed
     */
    boolean replacePack(Lease lease, VersionId replaced, Pack pack, long nowMillis) throws CloudMwException;

    /**
     * Retires a pack unless a current version needs a slice of it. None ever will again then, since commits name slices
     * of new packs and of current versions only. A catalog that commits files in several steps closes the pack to files
     * first, and retires it at a call that comes more than a minute later.
     *
     * @param nowMillis the same clock as in earlier calls for this pack
     * @return whether this call has retired it
     * @throws CloudMwException {@code LEASE_LOST}
     */
    boolean retirePack(Lease lease, VersionId pack, long nowMillis) throws CloudMwException;
}
