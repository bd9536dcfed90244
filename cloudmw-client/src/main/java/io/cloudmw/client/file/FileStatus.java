package io.cloudmw.client.file;

import io.cloudmw.core.model.file.Attributes;
import io.cloudmw.core.model.file.FileVersion;

/**
 * The status of a file: its version, its replicas and its attributes.
 *
 * @param version current version; the time of its commit is the file's modification time
 * @param underReplicatedChunks chunks with fewer good replicas than the volume asks for
 * @param createdAtMillis commit of the file's first version, in milliseconds since 1970
 * @param attributes of the file
 */
public record FileStatus(
        FileVersion version, long underReplicatedChunks, long createdAtMillis, Attributes attributes) {}
