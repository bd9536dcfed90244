package io.cloudmw.coordinator.catalog.version;

import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.file.FileVersion;
import java.util.ArrayList;
import java.util.List;

/** The choice of versions of one segment each, whose segments are read and held in memory together. */
public final class SegmentBatch {
    private SegmentBatch() {}

    /**
     * Returns the first versions, at least one if there is any, that have at most so many leaves together.
     *
     * @param mostLeaves of 36 bytes each
     */
    public static List<VersionId> first(List<FileVersion> versions, long mostLeaves) {
        List<VersionId> first = new ArrayList<>();
        long leaves = 0;
        for (FileVersion version : versions) {
            leaves += 1 + version.sizeBytes() / version.leafSizeBytes();
            if (!first.isEmpty() && leaves > mostLeaves) {
                break;
            }
            first.add(version.id());
        }
        return first;
    }
}
