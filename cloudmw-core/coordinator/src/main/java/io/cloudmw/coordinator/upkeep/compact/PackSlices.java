package io.cloudmw.coordinator.upkeep.compact;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.manifest.ManifestSegment;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.file.FileVersion;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A reader of manifests that finds the slices of a pack. Stateless; calls block on the catalog. */
final class PackSlices {
    /** The most segments of a manifest that is read; that of a small file has one. */
    private static final int MOST_SEGMENTS = 16;

    private final Catalog catalog;
    private final VersionId original;

    /** @param original the pack whose slices manifests name */
    PackSlices(Catalog catalog, VersionId original) {
        this.catalog = catalog;
        this.original = original;
    }

    /** Returns whether the manifest of a version is too long to be read. */
    static boolean isTooLong(FileVersion version) {
        return version.segmentCount() > MOST_SEGMENTS;
    }

    /** Returns the slices of the pack that a version names. */
    List<ByteRange> of(FileVersion version) throws CloudMwException {
        List<ByteRange> slices = new ArrayList<>();
        for (int index = 0; index < version.segmentCount(); index++) {
            Optional<byte[]> segment = catalog.segment(version.id(), index);
            if (segment.isEmpty()) {
                // The version was forgotten meanwhile: it was retired long ago, by a clock that is wrong.
                continue;
            }
            for (Chunk chunk : ManifestSegment.decode(index, segment.get()).chunks()) {
                if (chunk.id().version().equals(original)) {
                    chunk.id().slice().ifPresent(slices::add);
                }
            }
        }
        return slices;
    }
}
