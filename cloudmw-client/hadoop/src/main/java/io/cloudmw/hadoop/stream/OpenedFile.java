package io.cloudmw.hadoop.stream;

import io.cloudmw.client.channel.FileChannels;
import io.cloudmw.client.channel.PieceReader;
import io.cloudmw.client.file.RemoteFile;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * An open file, and the reader that reads ahead in it. Safe for any thread.
 *
 * @param reader closes the file
 */
record OpenedFile(RemoteFile file, PieceReader reader) implements AutoCloseable {
    static OpenedFile of(RemoteFile file, FileChannels channels) {
        return new OpenedFile(file, channels.reader(file));
    }

    /** Reads so many bytes as the buffer has room for, fewer at the end of the file; runs ahead of reads in sequence. */
    int readAhead(ByteBuffer target, long position) throws IOException {
        return reader.read(target, position);
    }

    @Override
    public void close() {
        reader.close();
    }
}
