package io.cloudmw.coordinator.catalog.change;

import io.cloudmw.core.manifest.EncodedSegment;
import io.cloudmw.core.manifest.ManifestSegment;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.chunk.PackRelocation;
import io.cloudmw.core.model.chunk.ReplicaReport;
import io.cloudmw.core.model.file.FileVersion;
import java.util.List;
import java.util.Optional;

/**
 * A version that no path names, whose only chunk holds the bytes of several small files. The manifests of those files
 * name slices of the chunk. A pack is current as long as a current version needs one of its slices. A pack that was
 * compacted is replaced by one that has its slices at other places.
 *
 * @param version its path is made from its id, for messages
 * @param owed copies that are promised but not yet durable
 * @param relocation the places here of the slices of an earlier pack, which manifests name; empty: they name slices of
 *     this one
 */
public record Pack(
        FileVersion version, EncodedSegment segment, List<ReplicaReport> owed, Optional<PackRelocation> relocation) {
    public Pack {
        owed = List.copyOf(owed);
        if (relocation.isPresent() && !relocation.get().pack().equals(version.id())) {
            throw new IllegalArgumentException(
                    "relocation to " + relocation.get().pack() + " (expected: to " + version.id() + ")");
        }
    }

    /** Creates a pack of which manifests name slices. */
    public Pack(FileVersion version, EncodedSegment segment, List<ReplicaReport> owed) {
        this(version, segment, owed, Optional.empty());
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

    /** Returns the same pack with the slices of an earlier one. */
    public Pack with(PackRelocation of) {
        return new Pack(version, segment, owed, Optional.of(of));
    }

    /** The pack whose slices manifests name. */
    public VersionId original() {
        return relocation.map(PackRelocation::original).orElse(version.id());
    }

    /** The chunk that holds the bytes. */
    public Chunk chunk() {
        return segment.chunks().get(0);
    }
}
