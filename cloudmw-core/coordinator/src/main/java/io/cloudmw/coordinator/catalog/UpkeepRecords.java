package io.cloudmw.coordinator.catalog;

import io.cloudmw.coordinator.lease.Lease;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.Page;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.chunk.ReplicaRecord;
import io.cloudmw.core.model.file.FileVersion;
import java.util.List;
import java.util.Optional;

/**
 * What repair, scrub, collection and drain need of a catalog. Where a chunk's copies are is what its manifest says, which
 * never changes, with what is recorded of single copies laid over it. As with {@link Catalog}, every call is atomic.
 */
public interface UpkeepRecords {
    /** {@link #settle} takes at most this many records. */
    int MAX_SETTLED = 30;

    /** All that is recorded of chunk {@code firstIndex} up to but not {@code endIndex}, by chunk and store. */
    List<ReplicaRecord> records(VersionId version, long firstIndex, long endIndex) throws CloudMwException;

    /**
     * Copies that something is to be done about, of whatever version, by chunk and store: those owed, missing and corrupt.
     * Takes time in proportion to the page.
     *
     * @param limit 1..{@value Catalog#MAX_PAGE}
     */
    Page<ReplicaRecord> pending(String pageToken, int limit) throws CloudMwException;

    /**
     * Records what upkeep decided or did, in place of what was recorded of these copies; {@code GOOD} leaves nothing
     * recorded. Neither opens a version nor renews one; of a version nothing is known of nothing is recorded.
     *
     * @param lease what it is done under
     * @param records at most {@value #MAX_SETTLED}
     * @throws CloudMwException {@code LEASE_LOST} when another coordinator does upkeep now
     */
    void settle(Lease lease, List<ReplicaRecord> records) throws CloudMwException;

    /**
     * Current versions by id, each under the path it was committed to.
     *
     * @param limit 1..{@value Catalog#MAX_PAGE}
     */
    Page<FileVersion> live(String pageToken, int limit) throws CloudMwException;

    /** Empty when nothing is known of the version. */
    Optional<VersionState> state(VersionId version) throws CloudMwException;
}
