package io.cloudmw.client.write;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.Reasons;
import io.cloudmw.core.memory.ByteBudget;
import io.cloudmw.core.store.UnlinkedFile;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of a stream that are kept so that they can be sent again: in memory as far as the budget allows, the rest in
 * a nameless temporary file. One thread writes; any thread reads when it has all bytes.
 */
final class SpooledBytes implements AutoCloseable {
    /** The unit in which memory is taken from the budget. */
    static final int PIECE_BYTES = 256 << 10;

    private final ByteBudget memory;
    private final List<byte[]> pieces = new ArrayList<>();
    private long length;
    private byte @Nullable [] copyBuffer;
    private @Nullable FileChannel file;
    private boolean closed;

    /** @param memory of all streams together */
    SpooledBytes(ByteBudget memory) {
        this.memory = memory;
    }

    /** The number of bytes so far. */
    long length() {
        return length;
    }

    /** Whether some of the bytes are in a file. */
    boolean hasFile() {
        return file != null;
    }

    /**
     * Reads a part of the stream.
     *
     * @param most largest number of bytes to read, at least 1
     * @return the number of bytes read; -1: the stream has ended
     * @throws CloudMwException {@code LOCAL_IO} when the temporary file cannot be written
     */
    int readFrom(InputStream stream, long most) throws IOException {
        int used = (int) (length % PIECE_BYTES);
        if (file == null && (used != 0 || memory.tryTake(PIECE_BYTES))) {
            if (used == 0) {
                pieces.add(new byte[PIECE_BYTES]);
            }
            byte[] piece = pieces.get(pieces.size() - 1);
            int read = stream.read(piece, used, (int) Math.min(PIECE_BYTES - used, most));
            if (read < 0 && used == 0) {
                pieces.remove(pieces.size() - 1);
                memory.giveBack(PIECE_BYTES);
            }
            length += Math.max(0, read);
            return read;
        }
        byte[] buffer = copyBuffer;
        if (buffer == null) {
            buffer = new byte[PIECE_BYTES];
            copyBuffer = buffer;
        }
        int read = stream.read(buffer, 0, (int) Math.min(buffer.length, most));
        if (read > 0) {
            append(ByteBuffer.wrap(buffer, 0, read));
            length += read;
        }
        return read;
    }

    private void append(ByteBuffer bytes) throws CloudMwException {
        try {
            FileChannel target = file;
            if (target == null) {
                target = UnlinkedFile.open();
                file = target;
            }
            while (bytes.hasRemaining()) {
                target.write(bytes);
            }
        } catch (IOException e) {
            throw new CloudMwException(
                    ErrorCode.LOCAL_IO,
                    "temporary file in " + System.getProperty("java.io.tmpdir") + ": cannot write to it: "
                            + Reasons.of(e),
                    e);
        }
    }

    /** No more bytes follow. */
    void complete() {
        copyBuffer = null;
    }

    /**
     * Fills a buffer.
     *
     * @throws IOException when there are fewer bytes, or the temporary file cannot be read
     */
    synchronized void read(long offset, ByteBuffer target) throws IOException {
        long at = offset;
        long inMemory = (long) pieces.size() * PIECE_BYTES;
        while (target.hasRemaining() && at < Math.min(inMemory, length)) {
            int within = (int) (at % PIECE_BYTES);
            long left = Math.min(PIECE_BYTES - within, length - at);
            int step = (int) Math.min(left, target.remaining());
            target.put(pieces.get((int) (at / PIECE_BYTES)), within, step);
            at += step;
        }
        FileChannel rest = file;
        while (target.hasRemaining()) {
            int read = rest == null ? -1 : rest.read(target, at - inMemory);
            if (read < 0) {
                throw new IOException("the kept bytes of the stream end at " + at);
            }
            at += read;
        }
    }

    /** Returns the memory and deletes the file. Later reads fail. Idempotent. */
    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        memory.giveBack((long) pieces.size() * PIECE_BYTES);
        pieces.clear();
        FileChannel spool = file;
        if (spool != null) {
            try {
                spool.close();
            } catch (IOException e) {
                // A temporary file promises nothing.
            }
        }
    }
}
