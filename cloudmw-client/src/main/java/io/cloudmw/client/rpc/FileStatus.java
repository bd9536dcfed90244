package io.cloudmw.client.rpc;

import io.cloudmw.core.model.FileVersion;

/**
 * A file's current version.
 *
 * @param underReplicatedChunks chunks with fewer good replicas than the volume asks for
 */
public record FileStatus(FileVersion version, long underReplicatedChunks) {}
