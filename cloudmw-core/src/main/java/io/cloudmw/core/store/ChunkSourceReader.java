package io.cloudmw.core.store;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.Reasons;
import io.cloudmw.core.model.chunk.ChunkId;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;

/** A reader of a {@link ChunkSource} to its end, which keeps the source's failures apart from the store's. */
public final class ChunkSourceReader {
    private static final int PIECE_BYTES = 128 * 1024;

    private ChunkSourceReader() {}

    /** The sink of the bytes: it takes all that remain in the buffer. */
    @FunctionalInterface
    public interface Sink<E extends Exception> {
        void write(ByteBuffer bytes) throws E;
    }

    /**
     * Copies exactly {@link ChunkSource#length()} bytes.
     *
     * @throws CloudMwException {@code LOCAL_IO} when the source fails, or has fewer or more bytes than its length;
     *     {@code CANCELLED} when the thread is interrupted
     * @throws E the failure of the sink
     */
    public static <E extends Exception> void copy(ChunkId chunk, ChunkSource source, Sink<E> sink)
            throws CloudMwException, E {
        byte[] piece = new byte[(int) Math.max(1, Math.min(PIECE_BYTES, source.length()))];
        long copied = 0;
        InputStream in = open(chunk, source);
        try {
            for (int read = next(chunk, in, piece); read >= 0; read = next(chunk, in, piece)) {
                if (Thread.currentThread().isInterrupted()) {
                    throw new CloudMwException(ErrorCode.CANCELLED, "chunk=" + chunk + ": put interrupted");
                }
                copied += read;
                if (copied > source.length()) {
                    throw wrongLength(chunk, source, copied + " or more");
                }
                sink.write(ByteBuffer.wrap(piece, 0, read));
            }
        } finally {
            closeQuietly(in);
        }
        if (copied != source.length()) {
            throw wrongLength(chunk, source, Long.toString(copied));
        }
    }

    private static InputStream open(ChunkId chunk, ChunkSource source) throws CloudMwException {
        try {
            return source.open();
        } catch (IOException e) {
            throw broken(chunk, e);
        }
    }

    private static int next(ChunkId chunk, InputStream in, byte[] piece) throws CloudMwException {
        try {
            return in.read(piece);
        } catch (IOException e) {
            throw broken(chunk, e);
        }
    }

    private static void closeQuietly(InputStream in) {
        try {
            in.close();
        } catch (IOException e) {
            // The source was read to its end, or a failure that says more is being thrown.
        }
    }

    private static CloudMwException broken(ChunkId chunk, IOException e) {
        return e instanceof CloudMwException already
                ? already
                : new CloudMwException(
                        ErrorCode.LOCAL_IO, "chunk=" + chunk + ": its source cannot be read: " + Reasons.of(e), e);
    }

    private static CloudMwException wrongLength(ChunkId chunk, ChunkSource source, String found) {
        return new CloudMwException(
                ErrorCode.LOCAL_IO,
                "chunk=" + chunk + ": its source gave " + found + " bytes (expected: " + source.length() + ")");
    }
}
