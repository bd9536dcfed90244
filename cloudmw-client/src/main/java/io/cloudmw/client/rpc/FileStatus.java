package io.cloudmw.client.rpc;

import io.cloudmw.core.model.file.Attributes;
import io.cloudmw.core.model.file.FileVersion;

/**
 * The status of a file, with its current version.
 *
 * @param version its commit was the file's last change
 * @param underReplicatedChunks chunks with fewer good replicas than the volume requires
 * @param createdAtMillis when the file's first version was committed
 */
public record FileStatus(
        FileVersion version, long underReplicatedChunks, long createdAtMillis, Attributes attributes) {}
