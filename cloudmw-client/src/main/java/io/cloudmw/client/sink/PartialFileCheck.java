package io.cloudmw.client.sink;

import io.cloudmw.core.chunk.Sha256;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.chunk.Chunk;
import java.nio.ByteBuffer;
import java.security.MessageDigest;

/** A check of the leaves that a destination already has, by their SHA-256, whichever process wrote them. */
public final class PartialFileCheck {
    /** The existing bytes of a file. */
    public interface Bytes {
        /** Their number, from the beginning of the file. */
        long keptBytes();

        /** Fills a buffer with them; may block. */
        void read(long offset, ByteBuffer into) throws CloudMwException;
    }

    private static final int BUFFER_BYTES = 64 << 10;

    private PartialFileCheck() {}

    /**
     * The leaves of a chunk that must be fetched: from the first to the last one that is missing or corrupt. Blocks;
     * needs the memory of a small buffer.
     *
     * @param leaves the wanted range in the chunk
     */
    public static ByteRange missing(Bytes bytes, Chunk chunk, ByteRange leaves) throws CloudMwException {
        MessageDigest sha256 = Sha256.begin();
        long kept = bytes.keptBytes() - chunk.range().offset();
        long first = -1;
        long last = 0;
        for (long at = leaves.offset(); at < leaves.end(); at += chunk.leafSizeBytes()) {
            long end = Math.min(at + chunk.leafSizeBytes(), leaves.end());
            if (end > kept) {
                first = first < 0 ? at : first;
                last = leaves.end();
                break;
            }
            byte[] digest = digest(bytes, chunk.range().offset() + at, end - at, sha256);
            if (!chunk.leaves().matches((int) (at / chunk.leafSizeBytes()), digest)) {
                first = first < 0 ? at : first;
                last = end;
            }
        }
        return first < 0 ? new ByteRange(leaves.end(), 0) : new ByteRange(first, last - first);
    }

    private static byte[] digest(Bytes bytes, long offset, long length, MessageDigest sha256) throws CloudMwException {
        ByteBuffer buffer = ByteBuffer.allocate((int) Math.min(BUFFER_BYTES, length));
        for (long done = 0; done < length; done += buffer.limit()) {
            buffer.clear().limit((int) Math.min(buffer.capacity(), length - done));
            bytes.read(offset + done, buffer);
            sha256.update(buffer.flip());
        }
        return sha256.digest();
    }
}
