package io.cloudmw.client.rpc.coordinator;

import io.cloudmw.core.model.VersionId;
import java.util.Optional;

/**
 * How a file is to be written.
 *
 * @param chunkSizeBytes 0: depends on the length, which was not told
 * @param expected the version the commit must still find; empty: the path must not exist
 * @param open of an upload that was to go on: whether it does
 * @param volumeCreatedAtMillis tells the volume from another that had its name before
 */
public record PutParameters(
        long chunkSizeBytes,
        int leafSizeBytes,
        Optional<VersionId> expected,
        int writeQuorum,
        boolean open,
        long volumeCreatedAtMillis) {}
