package io.cloudmw.hadoop.stream;

import io.cloudmw.client.channel.FileChannels;
import io.cloudmw.client.file.RemoteFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/**
 * An open file, and the channel that reads ahead in it. Safe for any thread.
 *
 * @param channel closes the file
 */
record OpenedFile(RemoteFile file, FileChannel channel) implements AutoCloseable {
    static OpenedFile of(RemoteFile file, FileChannels channels) {
        return new OpenedFile(file, channels.open(file));
    }

    /** Reads so many bytes as the buffer has room for, fewer at the end of the file; runs ahead of reads in sequence. */
    int readAhead(ByteBuffer target, long position) throws IOException {
        return channel.read(target, position);
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
