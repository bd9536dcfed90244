package io.cloudmw.client.pack;

import io.cloudmw.client.write.FilePutSource;
import io.cloudmw.client.write.PutSource;
import io.cloudmw.core.error.CloudMwException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.OptionalLong;

/**
 * The content of a small file on this machine.
 *
 * @param sizeBytes as it was measured before; empty: it was not
 */
record LocalContent(Path path, OptionalLong sizeBytes) implements SmallSource {
    @Override
    public long measure() throws CloudMwException {
        return sizeBytes.isPresent() ? sizeBytes.getAsLong() : FilePutSource.size(path);
    }

    @Override
    public void read(ByteBuffer room) throws CloudMwException {
        try (FilePutSource source = new FilePutSource(path)) {
            open(source, room.remaining());
            source.read(0, room);
            source.checkUnchanged();
        }
    }

    @Override
    public PutSource whole() {
        return new FilePutSource(path);
    }

    @Override
    public void close() {}

    @Override
    public String toString() {
        return path.toString();
    }
}
