package io.cloudmw.client.peer.server;

import io.cloudmw.core.chunk.Sha256;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.chunk.LeafDigests;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.List;
import java.util.SplittableRandom;
import java.util.zip.CRC32C;

/** Chunks of random bytes, as their manifest would describe them. */
public final class Chunks {
    public static final int LEAF = 4096;

    private Chunks() {}

    public static byte[] bytes(int length, long seed) {
        byte[] bytes = new byte[length];
        new SplittableRandom(seed).nextBytes(bytes);
        return bytes;
    }

    public static Chunk of(VersionId version, long index, byte[] bytes) {
        int leaves = Chunk.leafCount(bytes.length, LEAF);
        int[] crc32c = new int[leaves];
        byte[] sha256 = new byte[leaves * LeafDigests.SHA256_BYTES];
        MessageDigest digest = Sha256.begin();
        for (int leaf = 0; leaf < leaves; leaf++) {
            int length = Math.min(LEAF, bytes.length - leaf * LEAF);
            CRC32C crc = new CRC32C();
            crc.update(bytes, leaf * LEAF, length);
            crc32c[leaf] = (int) crc.getValue();
            digest.update(bytes, leaf * LEAF, length);
            System.arraycopy(digest.digest(), 0, sha256, leaf * LeafDigests.SHA256_BYTES, LeafDigests.SHA256_BYTES);
        }
        return new Chunk(
                index,
                new ChunkId(version, index),
                new ByteRange(0, bytes.length),
                LEAF,
                new LeafDigests(crc32c, sha256),
                List.of(new StoreId("s1")));
    }

    /** Keeps every leaf but {@code except}, the last first. */
    static void grow(PeerChunkCache.Growing growing, byte[] bytes, int except) {
        for (int leaf = Chunk.leafCount(bytes.length, LEAF) - 1; leaf >= 0; leaf--) {
            if (leaf != except) {
                int length = Math.min(LEAF, bytes.length - leaf * LEAF);
                growing.keep((long) leaf * LEAF, ByteBuffer.wrap(bytes, leaf * LEAF, length));
            }
        }
    }

    static void hold(PeerChunkCache held, Chunk chunk, byte[] bytes) {
        grow(held.begin(chunk).orElseThrow(), bytes, -1);
    }
}
