package io.cloudmw.client.channel;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.NonWritableChannelException;

/** The content of a channel that only reads. Safe for any thread. */
final class ReadContent implements FileContent {
    private final PieceReader reader;

    /** @param reader closed with this */
    ReadContent(PieceReader reader) {
        this.reader = reader;
    }

    @Override
    public long sizeBytes() {
        return reader.file().version().sizeBytes();
    }

    @Override
    public int read(ByteBuffer target, long position) throws IOException {
        return reader.read(target, position);
    }

    @Override
    public int write(ByteBuffer source, long position) {
        throw new NonWritableChannelException();
    }

    @Override
    public void truncate(long size) {
        throw new NonWritableChannelException();
    }

    @Override
    public void force() {}

    @Override
    public void finish() {
        reader.close();
    }

    @Override
    public void discard() {
        reader.close();
    }
}
