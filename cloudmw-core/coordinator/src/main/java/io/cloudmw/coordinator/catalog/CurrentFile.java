package io.cloudmw.coordinator.catalog;

import io.cloudmw.core.model.file.Attributes;
import io.cloudmw.core.model.file.FileVersion;

/**
 * What a path names.
 *
 * @param version the current one; the file was modified when it was committed
 * @param createdAtMillis when the file's first version was committed
 */
public record CurrentFile(FileVersion version, long createdAtMillis, Attributes attributes) {}
