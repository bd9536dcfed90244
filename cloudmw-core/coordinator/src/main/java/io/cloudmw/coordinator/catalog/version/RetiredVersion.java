package io.cloudmw.coordinator.catalog.version;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.core.model.VersionId;

/**
 * A version that no path names any more: replaced, removed, or never committed. Its segments still name the chunks and
 * stores that hold its bytes. {@link Catalog#forget} drops them after the chunks were deleted.
 *
 * @param segments how many manifest segments are kept
 */
public record RetiredVersion(VersionId id, long retiredAtMillis, int segments) {}
