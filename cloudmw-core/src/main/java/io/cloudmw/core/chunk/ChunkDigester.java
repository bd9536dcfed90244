package io.cloudmw.core.chunk;

import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.chunk.LeafDigests;
import java.nio.ByteBuffer;
import java.security.DigestException;
import java.security.MessageDigest;
import java.util.zip.CRC32C;

/** The digester of one chunk's bytes, given in pieces of any size. Confined to one thread; used once. */
public final class ChunkDigester {
    private final long length;
    private final int leafSizeBytes;
    private final int[] crcs;
    private final byte[] shas;
    private final CRC32C crc = new CRC32C();
    private final MessageDigest sha = Sha256.begin();
    private long seen;

    /**
     * @param length bytes of the chunk
     * @param leafSizeBytes see {@link Leaves}
     */
    public ChunkDigester(long length, int leafSizeBytes) {
        this.length = length;
        this.leafSizeBytes = Leaves.checkSize(leafSizeBytes);
        int leaves = Chunk.leafCount(length, leafSizeBytes);
        this.crcs = new int[leaves];
        this.shas = new byte[leaves * LeafDigests.SHA256_BYTES];
    }

    /** Digests a whole chunk at once; leaves the buffer as it is. */
    public static LeafDigests digest(ByteBuffer chunk, int leafSizeBytes) {
        ChunkDigester digester = new ChunkDigester(chunk.remaining(), leafSizeBytes);
        digester.update(chunk.duplicate());
        return digester.finish();
    }

    /** Takes the next bytes of the chunk: all that remain in {@code bytes}. */
    public void update(ByteBuffer bytes) {
        if (bytes.remaining() > length - seen) {
            throw new IllegalStateException("chunk: more than its " + length + " bytes");
        }
        int limit = bytes.limit();
        while (bytes.hasRemaining()) {
            int leafLeft = leafSizeBytes - (int) (seen % leafSizeBytes);
            int step = Math.min(leafLeft, bytes.remaining());
            int start = bytes.position();
            bytes.limit(start + step);
            crc.update(bytes);
            bytes.position(start);
            sha.update(bytes);
            bytes.limit(limit);
            seen += step;
            if (step == leafLeft || seen == length) {
                closeLeaf();
            }
        }
    }

    /** Takes the next bytes of the chunk. */
    public void update(byte[] bytes, int offset, int count) {
        update(ByteBuffer.wrap(bytes, offset, count));
    }

    /**
     * The digests of the whole chunk.
     *
     * @throws IllegalStateException when bytes are still missing
     */
    public LeafDigests finish() {
        if (seen != length) {
            throw new IllegalStateException("chunk: " + seen + " bytes digested (expected: " + length + ")");
        }
        return new LeafDigests(crcs, shas);
    }

    private void closeLeaf() {
        int leaf = (int) ((seen - 1) / leafSizeBytes);
        crcs[leaf] = (int) crc.getValue();
        crc.reset();
        try {
            sha.digest(shas, leaf * LeafDigests.SHA256_BYTES, LeafDigests.SHA256_BYTES);
        } catch (DigestException e) {
            throw new IllegalStateException(e);
        }
    }
}
