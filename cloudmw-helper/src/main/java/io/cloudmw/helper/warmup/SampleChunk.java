package io.cloudmw.helper.warmup;

import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.volume.Chunking;
import io.cloudmw.core.race.Block;
import io.cloudmw.core.race.BlockId;
import io.cloudmw.core.race.BlockRule;
import io.cloudmw.core.race.Entrant;
import io.cloudmw.core.race.IssuedBlock;
import io.cloudmw.core.race.RacerId;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.zip.CRC32C;

/** The content of a warm-up: chunks whose leaves all have the same bytes, so that none is kept. Immutable. */
final class SampleChunk {
    static final FilePath FILE = FilePath.parse("warm-up:/file");
    static final int LEAF_BYTES = Chunking.DEFAULT_LEAF_BYTES;
    static final int CHUNK_BYTES = 64 << 20;

    private static final SampleChunk ONLY = new SampleChunk();

    private final VersionId version = VersionId.random();
    private final byte[] leaf = new byte[LEAF_BYTES];
    private final int crc32c;

    private SampleChunk() {
        new SplittableRandom(1).nextBytes(leaf);
        CRC32C crc = new CRC32C();
        crc.update(leaf);
        crc32c = (int) crc.getValue();
    }

    static SampleChunk only() {
        return ONLY;
    }

    VersionId version() {
        return version;
    }

    ChunkId chunk(int index) {
        return new ChunkId(version, index);
    }

    /** The bytes of each leaf; not to be changed. */
    byte[] leaf() {
        return leaf;
    }

    int leafCrc32c() {
        return crc32c;
    }

    /** The checksums of as many leaves. */
    int[] leafCrc32c(int leaves) {
        int[] all = new int[leaves];
        Arrays.fill(all, crc32c);
        return all;
    }

    /**
     * The n-th block of a file of such chunks, for the first racer and the first store.
     *
     * @param blockBytes whole leaves, a divisor of the chunk
     */
    IssuedBlock block(int number, int blockBytes, StoreId store) {
        long offset = (long) number * blockBytes;
        int index = (int) (offset / CHUNK_BYTES);
        Block block = new Block(
                new BlockId(number),
                index,
                new ByteRange(offset % CHUNK_BYTES, blockBytes),
                1,
                List.of(new Entrant(new RacerId(0), 0)),
                BlockRule.SOLE);
        return new IssuedBlock(
                block,
                chunk(index),
                CHUNK_BYTES,
                LEAF_BYTES,
                leafCrc32c(blockBytes / LEAF_BYTES),
                List.of(store),
                false);
    }
}
