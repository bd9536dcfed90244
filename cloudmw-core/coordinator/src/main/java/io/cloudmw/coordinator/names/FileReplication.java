package io.cloudmw.coordinator.names;

import io.cloudmw.coordinator.catalog.tree.CurrentFile;

/**
 * A file and the number of its chunks that lack a good copy.
 *
 * @param underReplicatedChunks chunks of which at least one copy is not good
 */
public record FileReplication(CurrentFile file, long underReplicatedChunks) {}
