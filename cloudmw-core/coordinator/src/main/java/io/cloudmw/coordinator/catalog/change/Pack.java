package io.cloudmw.coordinator.catalog.change;

import io.cloudmw.core.manifest.EncodedSegment;
import io.cloudmw.core.manifest.ManifestSegment;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.chunk.ReplicaReport;
import io.cloudmw.core.model.file.FileVersion;
import java.util.List;

/**
 * A version that no path names, whose only chunk holds the bytes of several small files. The manifests of those files
 * name slices of the chunk. A pack is current as long as a current version names one of its slices.
 *
 * @param version its path is made from its id, for messages
 * @param owed copies that are promised but not yet durable
 */
public record Pack(FileVersion version, EncodedSegment segment, List<ReplicaReport> owed) {
    public Pack {
        owed = List.copyOf(owed);
    }

    /**
     * Makes the pack of a chunk.
     *
     * @param chunk the whole chunk, whose id names the pack's version
     */
    public static Pack of(VolumeName volume, Chunk chunk, List<ReplicaReport> owed, long committedAtMillis) {
        EncodedSegment segment = EncodedSegment.of(new ManifestSegment(0, List.of(chunk)));
        VersionId id = chunk.id().version();
        long bytes = chunk.range().length();
        return new Pack(
                new FileVersion(
                        FilePath.ofPack(volume, id),
                        id,
                        bytes,
                        1,
                        1,
                        chunk.leafSizeBytes(),
                        committedAtMillis,
                        segment.manifestSha256(),
                        bytes),
                segment,
                owed);
    }

    /** The chunk that holds the bytes. */
    public Chunk chunk() {
        return segment.chunks().get(0);
    }
}
