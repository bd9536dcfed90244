package io.cloudmw.core.manifest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cloudmw.core.chunk.ChunkCutter;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.chunk.LeafDigests;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class ManifestTest {
    private static final VersionId VERSION = new VersionId("0123456789abcdef0123456789abcdef");

    /** Over many sizes: every chunk is in exactly one segment, and no segment breaks its limits. */
    @Test
    void thePlanOfAFileBeginsAsThatOfTheLongest() {
        for (long chunkBytes : new long[] {4096, 64 << 20, 1 << 30}) {
            ManifestPlan longest = ManifestPlan.longest(chunkBytes, 1 << 20);
            assertThat(longest.cutter().count()).isLessThanOrEqualTo(ChunkId.MAX_INDEX + 1);
            assertThat(longest.segmentCount()).isLessThanOrEqualTo(ManifestPlan.MAX_SEGMENTS);
            ManifestPlan known = new ManifestPlan(new ChunkCutter(5 * chunkBytes + 1, chunkBytes), 1 << 20);
            assertThat(longest.chunksPerSegment()).isEqualTo(known.chunksPerSegment());
            assertThat(longest.cutter().range(4)).isEqualTo(known.cutter().range(4));
        }
    }

    @Test
    void segmentsCoverAllChunksWithinTheirLimits() {
        Random random = new Random(11);
        for (int round = 0; round < 2_000; round++) {
            int leafSize = 1 << random.nextInt(12, 21);
            long chunkSize = Math.min(1L << 30, 1 + random.nextLong((long) leafSize * ManifestSegment.MAX_LEAVES));
            ChunkCutter cutter = new ChunkCutter(random.nextLong(chunkSize * 5_000), chunkSize);
            ManifestPlan plan = new ManifestPlan(cutter, leafSize);
            long next = 0;
            for (int segment = 0; segment < plan.segmentCount(); segment++) {
                assertThat(plan.firstChunk(segment)).isEqualTo(next);
                assertThat(plan.chunkCount(segment)).isBetween(1, ManifestSegment.MAX_CHUNKS);
                long leaves = (long) plan.chunkCount(segment) * Chunk.leafCount(chunkSize, leafSize);
                assertThat(leaves).isLessThanOrEqualTo(ManifestSegment.MAX_LEAVES);
                assertThat(plan.segmentOf(next)).isEqualTo(segment);
                next += plan.chunkCount(segment);
                assertThat(plan.segmentOf(next - 1)).isEqualTo(segment);
            }
            assertThat(next).isEqualTo(cutter.count());
        }
    }

    @Test
    void anEmptyFileHasNoSegments() {
        assertThat(new ManifestPlan(new ChunkCutter(0, 100), 4096).segmentCount())
                .isZero();
    }

    @Test
    void aChunkThatFitsNoSegmentIsRefused() {
        long tooLong = (long) ManifestSegment.MAX_LEAVES * 4096 + 1;
        assertThatThrownBy(() -> new ManifestPlan(new ChunkCutter(1, tooLong), 4096))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("a segment must hold a whole chunk");
    }

    @Test
    void aSegmentComesBackAsItWasAndAlwaysAsTheSameBytes() throws Exception {
        ManifestSegment segment = new ManifestSegment(3, chunks(0, 50, 1));
        byte[] bytes = segment.encode();
        assertThat(ManifestSegment.decode(3, bytes)).isEqualTo(segment);
        assertThat(ManifestSegment.decode(3, bytes).encode()).isEqualTo(bytes);
    }

    @Test
    void theLargestSegmentIsHeldAndOneMoreIsRefused() throws Exception {
        assertThat(new ManifestSegment(0, chunks(0, ManifestSegment.MAX_CHUNKS, 1)).encode())
                .hasSizeLessThan(400 << 10);
        assertThat(new ManifestSegment(0, chunks(0, 2, ManifestSegment.MAX_LEAVES / 2)).encode())
                .hasSizeLessThan(400 << 10);
        refused(chunks(0, ManifestSegment.MAX_CHUNKS + 1, 1));
        refused(chunks(0, 2, ManifestSegment.MAX_LEAVES / 2 + 1));
        refused(List.of());
    }

    @Test
    void gapsAndOverlapsAreRefused() {
        List<Chunk> gap = new ArrayList<>(chunks(0, 3, 1));
        gap.remove(1);
        refused(gap);
        List<Chunk> twice = new ArrayList<>(chunks(0, 3, 1));
        twice.add(1, twice.get(1));
        refused(twice);
    }

    @Test
    void damagedBytesAreRefused() {
        assertThatThrownBy(() -> ManifestSegment.decode(0, new byte[] {1, 2, 3}))
                .isInstanceOfSatisfying(
                        CloudMwException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT));
    }

    @Test
    void theDigestDependsOnEverySegmentAndTheirOrder() {
        byte[] one = ManifestDigest.ofSegment(new byte[] {1});
        byte[] two = ManifestDigest.ofSegment(new byte[] {2});
        String digest = new ManifestDigest().add(one).add(two).finish();
        assertThat(digest).isEqualTo(new ManifestDigest().add(one).add(two).finish());
        assertThat(digest).isNotEqualTo(new ManifestDigest().add(two).add(one).finish());
        assertThat(digest).isNotEqualTo(new ManifestDigest().add(one).finish());
        assertThat(new ManifestDigest().finish())
                .isEqualTo("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    }

    private static void refused(List<Chunk> chunks) {
        assertThatThrownBy(() -> ManifestSegment.checked(0, chunks))
                .isInstanceOfSatisfying(
                        CloudMwException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT));
    }

    private static List<Chunk> chunks(long first, int count, int leaves) {
        List<Chunk> chunks = new ArrayList<>();
        long length = leaves * 4096L;
        for (long index = first; index < first + count; index++) {
            chunks.add(new Chunk(
                    index,
                    new ChunkId(VERSION, index),
                    new ByteRange(index * length, length),
                    4096,
                    new LeafDigests(new int[leaves], new byte[leaves * 32]),
                    List.of(new StoreId("s1"), new StoreId("s2"), new StoreId("s3"))));
        }
        return chunks;
    }
}
