package io.cloudmw.coordinator.testing;

import io.cloudmw.coordinator.catalog.change.BatchCommit;
import io.cloudmw.coordinator.catalog.change.BatchFile;
import io.cloudmw.coordinator.catalog.change.Pack;
import io.cloudmw.core.manifest.EncodedSegment;
import io.cloudmw.core.manifest.ManifestDigest;
import io.cloudmw.core.manifest.ManifestSegment;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.chunk.LeafDigests;
import io.cloudmw.core.model.file.Attributes;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.model.file.PutCondition;
import io.cloudmw.core.model.volume.Volume;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Small files of equal size whose bytes are in one pack, for tests. */
public final class PackSamples {
    /** The bytes of each file. */
    public static final int FILE_BYTES = 10;

    private PackSamples() {}

    /** Returns the commit of a new pack and of new files at these paths, which may exist or not. */
    public static BatchCommit batch(Volume volume, List<StoreId> stores, String... paths) {
        return batch(volume, VersionId.random(), stores, paths);
    }

    /** Returns the commit of this pack and of new files in it. */
    public static BatchCommit batch(Volume volume, VersionId pack, List<StoreId> stores, String... paths) {
        int leaf = volume.chunking().leafSizeBytes();
        Chunk whole = chunk(new ChunkId(pack, 0), new ByteRange(0, (long) FILE_BYTES * paths.length), leaf, stores);
        List<BatchFile> files = new ArrayList<>();
        for (int i = 0; i < paths.length; i++) {
            files.add(file(new FilePath(volume.name(), paths[i]), whole, i, Optional.empty()));
        }
        return new BatchCommit(Optional.of(Pack.of(volume.name(), whole, List.of(), 1)), files);
    }

    /**
     * Returns a new version of a file.
     *
     * @param place the number of the file in the pack
     */
    public static BatchFile file(FilePath path, Chunk pack, int place, Optional<PutCondition> condition) {
        ByteRange slice = new ByteRange((long) FILE_BYTES * place, FILE_BYTES);
        Chunk chunk =
                chunk(pack.id().slice(slice), new ByteRange(0, FILE_BYTES), pack.leafSizeBytes(), pack.replicas());
        BatchFile file = file(path, VersionId.random(), chunk);
        return new BatchFile(file.version(), file.segment(), condition, Attributes.NONE, Map.of(), List.of());
    }

    /** Returns a version of a file whose only chunk is this one. */
    public static BatchFile file(FilePath path, VersionId id, Chunk chunk) {
        EncodedSegment segment = EncodedSegment.of(new ManifestSegment(0, List.of(chunk)));
        String sha256 = segment.manifestSha256();
        FileVersion version =
                new FileVersion(path, id, chunk.range().length(), 1, 1, chunk.leafSizeBytes(), 1, sha256, FILE_BYTES);
        return new BatchFile(version, Optional.of(segment), Optional.empty(), Attributes.NONE, Map.of(), List.of());
    }

    /** Returns a new version of a file with a chunk of its own, in the same stores as another chunk. */
    public static BatchFile whole(FilePath path, Chunk like) {
        VersionId id = VersionId.random();
        return file(path, id, chunk(new ChunkId(id, 0), like.range(), like.leafSizeBytes(), like.replicas()));
    }

    /** Returns a new version of a file without bytes. */
    public static BatchFile empty(FilePath path, int leafSizeBytes) {
        FileVersion version =
                new FileVersion(path, VersionId.random(), 0, 0, 0, leafSizeBytes, 1, new ManifestDigest().finish());
        return new BatchFile(version, Optional.empty(), Optional.empty(), Attributes.NONE, Map.of(), List.of());
    }

    private static Chunk chunk(ChunkId id, ByteRange range, int leaf, List<StoreId> stores) {
        int leaves = Chunk.leafCount(range.length(), leaf);
        LeafDigests digests = new LeafDigests(new int[leaves], new byte[leaves * LeafDigests.SHA256_BYTES]);
        return new Chunk(0, id, range, leaf, digests, stores);
    }
}
