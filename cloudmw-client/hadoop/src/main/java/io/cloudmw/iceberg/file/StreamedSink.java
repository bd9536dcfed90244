package io.cloudmw.iceberg.file;

import io.cloudmw.client.channel.RemoteOutputStream;
import java.io.IOException;

/** A sink whose bytes are stored while they are written. */
record StreamedSink(RemoteOutputStream stream) implements FileContentSink {
    @Override
    public void write(byte[] source, int offset, int count) throws IOException {
        stream.write(source, offset, count);
    }

    @Override
    public void commit() throws IOException {
        stream.close();
    }

    @Override
    public void abort() {
        stream.abort();
    }
}
