package io.cloudmw.coordinator.catalog;

import io.cloudmw.core.model.VersionId;

/**
 * A version nobody can find by its path any more: replaced, removed, or never committed. Its segments still name the
 * chunks and stores that hold its bytes, until {@link Catalog#forget} is called after those were deleted.
 *
 * @param segments manifest segments that are kept for it
 */
public record RetiredVersion(VersionId id, long retiredAtMillis, int segments) {}
