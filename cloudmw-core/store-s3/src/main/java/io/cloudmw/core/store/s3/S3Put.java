package io.cloudmw.core.store.s3;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.Reasons;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.store.ChunkSource;
import io.cloudmw.core.store.ChunkSourceReader;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.core.sync.RequestBody;

/**
 * The body of one put. S3 checks and keeps its CRC32C. For a server that takes the checksum only before the body, the
 * source is read twice: first for the checksum, then to send.
 */
final class S3Put {
    private final ChunkId chunk;
    private final ChunkSource source;
    private volatile String crc32c = "";
    private volatile @Nullable IOException sourceFailure;

    S3Put(ChunkId chunk, ChunkSource source) {
        this.chunk = chunk;
        this.source = source;
    }

    /** The big-endian CRC32C of the whole chunk in Base64, as S3 wants it; the source is read once for it. */
    String crc32c() throws CloudMwException {
        String known = crc32c;
        if (known.isEmpty()) {
            CRC32C crc = new CRC32C();
            ChunkSourceReader.copy(chunk, source, crc::update);
            known = base64(crc);
            crc32c = known;
        }
        return known;
    }

    static String base64(CRC32C crc) {
        byte[] value = ByteBuffer.allocate(4).putInt((int) crc.getValue()).array();
        return Base64.getEncoder().encodeToString(value);
    }

    long length() {
        return source.length();
    }

    /** Returns the body. Each attempt to send it opens the source again. */
    RequestBody body() {
        return RequestBody.fromContentProvider(this::open, source.length(), "application/octet-stream");
    }

    /** Throws the source's failure, if the source broke and not the store. */
    void checkSource() throws CloudMwException {
        IOException failure = sourceFailure;
        if (failure instanceof CloudMwException already) {
            throw already;
        }
        if (failure != null) {
            throw new CloudMwException(
                    ErrorCode.LOCAL_IO,
                    "chunk=" + chunk + ": its source cannot be read: " + Reasons.of(failure),
                    failure);
        }
    }

    private InputStream open() {
        try {
            return new FailureRecordingStream(source.open());
        } catch (IOException e) {
            sourceFailure = e;
            throw new UncheckedIOException(e);
        }
    }

    /**
     * A stream that notes the source's failures. It returns to a mark by opening the source again: a signer opens a
     * body once, and resets it.
     */
    private final class FailureRecordingStream extends FilterInputStream {
        private long position;
        private long mark;

        FailureRecordingStream(InputStream in) {
            super(in);
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] target, int offset, int count) throws IOException {
            try {
                int read = in.read(target, offset, count);
                position += Math.max(0, read);
                return read;
            } catch (IOException e) {
                sourceFailure = e;
                throw e;
            }
        }

        @Override
        public long skip(long count) throws IOException {
            long skipped = in.skip(count);
            position += skipped;
            return skipped;
        }

        @Override
        public boolean markSupported() {
            return true;
        }

        @Override
        public synchronized void mark(int readLimit) {
            mark = position;
        }

        @Override
        public synchronized void reset() throws IOException {
            try {
                in.close();
                in = source.open();
                in.skipNBytes(mark);
                position = mark;
            } catch (IOException e) {
                sourceFailure = e;
                throw e;
            }
        }
    }
}
