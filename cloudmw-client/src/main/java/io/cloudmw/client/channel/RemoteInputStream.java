package io.cloudmw.client.channel;

import io.cloudmw.client.rpc.FileErrors;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.FilePath;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.Objects;

/**
 * A stream over one version of a file. A read fills the buffer unless the file ends. {@code mark} and {@code reset} work
 * without a limit. Safe for any thread; reads take turns, and {@link #close} ends a read under way.
 */
final class RemoteInputStream extends InputStream {
    private final PieceReader reader;
    private final long sizeBytes;
    private long position;
    private long marked;

    /** @param reader closed with this */
    RemoteInputStream(PieceReader reader) {
        this.reader = reader;
        this.sizeBytes = reader.file().version().sizeBytes();
    }

    private FilePath path() {
        return reader.file().version().file();
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public synchronized int read(byte[] target, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, target.length);
        try {
            int read = reader.read(ByteBuffer.wrap(target, offset, length), position);
            position += Math.max(0, read);
            return read;
        } catch (CloudMwException e) {
            throw FileErrors.of(path().toString(), e);
        }
    }

    @Override
    public synchronized long skip(long count) {
        long step = Math.max(0, Math.min(count, sizeBytes - position));
        position += step;
        return step;
    }

    /** The bytes to the end of the file, as the JDK's stream of a local file. */
    @Override
    public synchronized int available() {
        return (int) Math.min(Integer.MAX_VALUE, Math.max(0, sizeBytes - position));
    }

    @Override
    public boolean markSupported() {
        return true;
    }

    @Override
    public synchronized void mark(int readLimit) {
        marked = position;
    }

    @Override
    public synchronized void reset() {
        position = marked;
    }

    @Override
    public void close() {
        reader.close();
    }
}
