package io.cloudmw.client.rpc.coordinator;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.core.chunk.ChunkDigester;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.manifest.ManifestDigest;
import io.cloudmw.core.manifest.ManifestSegment;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.wire.ToWire;
import io.cloudmw.proto.v1.StatedFile;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The slices of files in packs: only that of the manifest is believed. */
final class SmallFileCallsTest {
    private static final int LEAF = 4096;
    private static final int LENGTH = 5000;

    private final Chunk inManifest = slice(new ChunkId(VersionId.random(), 0), 100, LENGTH, "s1");
    private final Chunk compacted = inManifest.storedAs(
            new ChunkId(VersionId.random(), 0).slice(new ByteRange(0, LENGTH)), List.of(new StoreId("s2")));

    private static Chunk slice(ChunkId pack, long offset, int length, String store) {
        return new Chunk(
                0,
                pack.slice(new ByteRange(offset, length)),
                new ByteRange(0, length),
                LEAF,
                ChunkDigester.digest(ByteBuffer.allocate(length), LEAF),
                List.of(new StoreId(store)));
    }

    private static StatedFile.Builder stated(Chunk inManifest, long sizeBytes) {
        byte[] segment = new ManifestSegment(0, List.of(inManifest)).encode();
        String sha256 =
                new ManifestDigest().add(ManifestDigest.ofSegment(segment)).finish();
        FileVersion version =
                new FileVersion(FilePath.parse("vol:/a"), VersionId.random(), sizeBytes, 1, 1, LEAF, 1, sha256);
        return StatedFile.newBuilder().setVersion(ToWire.version(version));
    }

    private static Optional<Chunk> found(StatedFile.Builder file) throws CloudMwException {
        return SmallFileCalls.found(file.build()).slice();
    }

    @Test
    void theManifestsSliceIsBelieved() throws Exception {
        assertThat(found(stated(inManifest, LENGTH).addChunks(ToWire.chunk(inManifest))))
                .contains(inManifest);
    }

    @Test
    void aSliceOfACompactedPackIsBelievedWithThatOfTheManifest() throws Exception {
        assertThat(found(stated(inManifest, LENGTH)
                        .addChunks(ToWire.chunk(compacted))
                        .setManifestChunkId(inManifest.id().toString())
                        .addManifestStoreIds("s1")))
                .contains(compacted);
    }

    @Test
    void anotherSliceIsNotUsed() throws Exception {
        assertThat(found(stated(inManifest, LENGTH).addChunks(ToWire.chunk(compacted))))
                .as("without that of the manifest")
                .isEmpty();
        Chunk shifted =
                inManifest.storedAs(inManifest.id().stored().slice(new ByteRange(101, LENGTH)), inManifest.replicas());
        assertThat(found(stated(inManifest, LENGTH).addChunks(ToWire.chunk(shifted))))
                .as("at another place")
                .isEmpty();
        assertThat(found(stated(inManifest, LENGTH + 1).addChunks(ToWire.chunk(inManifest))))
                .as("of another length than the file")
                .isEmpty();
    }
}
