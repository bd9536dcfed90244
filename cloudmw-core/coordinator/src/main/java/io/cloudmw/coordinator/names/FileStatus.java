package io.cloudmw.coordinator.names;

import io.cloudmw.coordinator.catalog.CurrentFile;

/**
 * What is known of a file.
 *
 * @param underReplicatedChunks chunks of which at least one copy is not good
 */
public record FileStatus(CurrentFile file, long underReplicatedChunks) {}
