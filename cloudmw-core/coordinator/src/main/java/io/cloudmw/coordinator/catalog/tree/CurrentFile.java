package io.cloudmw.coordinator.catalog.tree;

import io.cloudmw.core.model.file.Attributes;
import io.cloudmw.core.model.file.FileVersion;

/**
 * A file at a path now.
 *
 * @param version the current version; its commit time is the file's modification time
 * @param createdAtMillis the commit time of the file's first version
 */
public record CurrentFile(FileVersion version, long createdAtMillis, Attributes attributes) {}
