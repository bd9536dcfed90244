package io.cloudmw.client.rpc;

import io.cloudmw.core.model.Attributes;
import io.cloudmw.core.model.FileVersion;

/**
 * A file and its current version.
 *
 * @param version the file was modified when it was committed
 * @param underReplicatedChunks chunks with fewer good replicas than the volume asks for
 * @param createdAtMillis when the file's first version was committed
 */
public record FileStatus(
        FileVersion version, long underReplicatedChunks, long createdAtMillis, Attributes attributes) {}
