package io.cloudmw.coordinator.catalog;

import io.cloudmw.core.model.Attributes;
import io.cloudmw.core.model.FileVersion;

/**
 * What a path names.
 *
 * @param version the current one; the file was modified when it was committed
 * @param createdAtMillis when the file's first version was committed
 */
public record CurrentFile(FileVersion version, long createdAtMillis, Attributes attributes) {}
