package io.cloudmw.coordinator.catalog.version;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.lease.Lease;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.Page;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.chunk.ReplicaRecord;
import io.cloudmw.core.model.file.FileVersion;
import java.util.List;
import java.util.Optional;

/**
 * The records that repair, scrub, collection and drain read and write. The immutable manifest says where a chunk's
 * copies are; records of single copies overlay it. Every call is atomic, as in {@link Catalog}.
 */
public interface UpkeepRecords {
    /** The most records that {@link #settle} takes. */
    int MAX_SETTLED = 30;

    /**
     * Returns all records of chunk {@code firstIndex} (inclusive) to {@code endIndex} (exclusive), ordered by chunk and
     * store.
     */
    List<ReplicaRecord> records(VersionId version, long firstIndex, long endIndex) throws CloudMwException;

    /**
     * Returns the copies that need work, of all versions, ordered by chunk and store: owed, missing and corrupt ones.
     * Takes time in proportion to the page.
     *
     * @param limit 1..{@value Catalog#MAX_PAGE}
     */
    Page<ReplicaRecord> pending(String pageToken, int limit) throws CloudMwException;

    /**
     * Replaces the records of these copies by the results of upkeep; {@code GOOD} clears a record. Neither opens a
     * version nor renews one, and records nothing for an unknown version.
     *
     * @param lease the lease of upkeep
     * @param records at most {@value #MAX_SETTLED}
     * @throws CloudMwException {@code LEASE_LOST} when another coordinator does upkeep now
     */
    void settle(Lease lease, List<ReplicaRecord> records) throws CloudMwException;

    /**
     * Returns the current versions, ordered by id, each with the path of its commit.
     *
     * @param limit 1..{@value Catalog#MAX_PAGE}
     */
    Page<FileVersion> live(String pageToken, int limit) throws CloudMwException;

    /** Returns the state of a version; empty when it is unknown. */
    Optional<VersionState> state(VersionId version) throws CloudMwException;
}
