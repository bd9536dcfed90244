package io.cloudmw.client.rpc.coordinator;

import io.cloudmw.core.model.VersionId;
import java.util.Optional;

/**
 * The coordinator's decisions about a put.
 *
 * @param chunkSizeBytes 0: the length, which was not given, decides
 * @param expected the version that the commit must still find; empty: the path must not exist
 * @param open whether an upload that was to be continued is still open
 * @param volumeCreatedAtMillis tells the volume from an earlier one of its name
 */
public record PutParameters(
        long chunkSizeBytes,
        int leafSizeBytes,
        Optional<VersionId> expected,
        int writeQuorum,
        boolean open,
        long volumeCreatedAtMillis) {}
