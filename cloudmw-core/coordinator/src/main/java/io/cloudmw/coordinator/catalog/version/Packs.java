package io.cloudmw.coordinator.catalog.version;

import io.cloudmw.coordinator.catalog.change.Pack;
import io.cloudmw.coordinator.lease.Lease;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.Page;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.file.FileVersion;

/**
 * The packs of a catalog: current versions without a path, whose chunks hold the bytes of small files. Atomic, durable
 * and safe for any thread like the catalog.
 */
public interface Packs {
    /**
     * Makes an open or unknown version a pack. A repeated call changes nothing.
     *
     * @throws CloudMwException {@code CONFLICT} when the version was abandoned, or is another one; {@code
     *     VOLUME_NOT_FOUND}
     */
    void addPack(Pack pack) throws CloudMwException;

    /**
     * Returns the packs, ordered by id.
     *
     * @param limit 1..{@value io.cloudmw.coordinator.catalog.Catalog#MAX_PAGE}
     */
    Page<FileVersion> packs(String pageToken, int limit) throws CloudMwException;

    /**
     * Returns current versions of files that name slices of a pack, ordered by id.
     *
     * @param limit 1..{@value io.cloudmw.coordinator.catalog.Catalog#MAX_PAGE}; a page may have fewer before the last
     */
    Page<FileVersion> filesOf(VersionId pack, String pageToken, int limit) throws CloudMwException;

    /**
     * Retires a pack unless a current version names a slice of it. None ever will again then, since commits name slices
     * of new packs and of current versions only. A catalog that commits files in several steps closes the pack to files
     * first, and retires it at a call that comes more than a minute later.
     *
     * @param nowMillis the same clock as in earlier calls for this pack
     * @return whether this call has retired it
     * @throws CloudMwException {@code LEASE_LOST}
     */
    boolean retirePack(Lease lease, VersionId pack, long nowMillis) throws CloudMwException;
}
