package io.cloudmw.coordinator.catalog.change;

import io.cloudmw.core.manifest.EncodedSegment;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.chunk.ReplicaReport;
import io.cloudmw.core.model.file.AttributeChange;
import io.cloudmw.core.model.file.Attributes;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.model.file.PutCondition;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A file of at most one manifest segment, as part of a {@link BatchCommit}.
 *
 * @param version the new version of its path; its commit time is when the commit takes effect
 * @param segment its manifest; empty: the file has no bytes
 * @param condition the version that the path must name now; empty: any, or none
 * @param created attributes given to a file that the commit creates; another file keeps its own
 * @param set attributes that the file has afterwards in any case
 * @param owed copies of its own chunk that are promised but not yet durable
 */
public record BatchFile(
        FileVersion version,
        Optional<EncodedSegment> segment,
        Optional<PutCondition> condition,
        Attributes created,
        Map<String, String> set,
        List<ReplicaReport> owed) {
    public BatchFile {
        set = Map.copyOf(set);
        owed = List.copyOf(owed);
        if (version.segmentCount() != (segment.isPresent() ? 1 : 0)) {
            throw new IllegalArgumentException(
                    version.file() + ": " + version.segmentCount() + " segments (expected: at most one)");
        }
    }

    /** The same file, committed now and cut into chunks of this size. */
    public BatchFile committed(long atMillis, long chunkSizeBytes) {
        return new BatchFile(version.committed(atMillis, chunkSizeBytes), segment, condition, created, set, owed);
    }

    /** The attributes of the file if the commit creates it. */
    public Attributes initial() {
        return created.with(change());
    }

    /** The change of the attributes of a file that exists. */
    public AttributeChange change() {
        return new AttributeChange(version.file(), set, Set.of());
    }

    /** The commit of this file, whose path names {@code expected}. */
    public CommitRequest commit(Optional<VersionId> expected) {
        return new CommitRequest(version, expected, owed, List.of(), initial(), List.of());
    }
}
