package io.cloudmw.client.channel;

import io.cloudmw.core.model.FilePath;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.NonWritableChannelException;
import java.util.Optional;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/** The content of a channel that only reads. Safe for any thread. */
final class ReadContent implements FileContent {
    private final FilePath file;
    private final FileChannels channels;

    /** Lets reads end before their version is closed. */
    private final ReadWriteLock versions = new ReentrantReadWriteLock();

    private volatile PieceReader reader;

    /** @param reader closed with this */
    ReadContent(FilePath file, FileChannels channels, PieceReader reader) {
        this.file = file;
        this.channels = channels;
        this.reader = reader;
    }

    @Override
    public long sizeBytes() {
        return reader.file().version().sizeBytes();
    }

    @Override
    public int read(ByteBuffer target, long position) throws IOException {
        versions.readLock().lock();
        try {
            return reader.read(target, position);
        } finally {
            versions.readLock().unlock();
        }
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
    public void refresh() throws IOException {
        PieceReader before = reader;
        Optional<PieceReader> current =
                channels.newer(file, Optional.of(before.file().version().id()));
        if (current.isPresent()) {
            versions.writeLock().lock();
            try {
                reader = current.get();
            } finally {
                versions.writeLock().unlock();
            }
            before.close();
        }
    }

    @Override
    public void finish() {
        reader.close();
    }

    @Override
    public void discard() {
        reader.close();
    }
}
