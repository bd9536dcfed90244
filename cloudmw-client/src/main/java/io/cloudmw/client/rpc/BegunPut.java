package io.cloudmw.client.rpc;

import io.cloudmw.core.model.VersionId;
import java.util.Optional;

/**
 * How a file is to be written.
 *
 * @param expected the version the commit must still find; empty: the path must not exist
 */
public record BegunPut(
        long chunkSizeBytes, long chunkCount, int leafSizeBytes, Optional<VersionId> expected, int writeQuorum) {}
