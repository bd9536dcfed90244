package io.cloudmw.client.pack;

import io.cloudmw.client.write.PutSource;
import io.cloudmw.client.write.StreamPutSource;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.ByteRange;
import java.nio.ByteBuffer;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The content of a small file from a stream, which is read to its end once and kept, in memory as far as the budget of
 * streams allows.
 */
final class StreamContent implements SmallSource {
    private final StreamPutSource stream;
    private final long sizeBytes;
    private PutSource.@Nullable Part kept;
    private boolean closed;

    /** @param stream of this known length */
    StreamContent(StreamPutSource stream, long sizeBytes) {
        this.stream = stream;
        this.sizeBytes = sizeBytes;
    }

    /** Reads the stream; for a thread that may block as long as the stream does. */
    @Override
    public long measure() throws CloudMwException {
        PutSource.Part all = stream.part(new ByteRange(0, sizeBytes));
        keep(all);
        stream.checkUnchanged();
        return sizeBytes;
    }

    private synchronized void keep(PutSource.Part all) {
        kept = all;
        if (closed) {
            all.close();
        }
    }

    @Override
    public void read(ByteBuffer room) throws CloudMwException {
        kept().read(0, room);
    }

    private synchronized PutSource.Part kept() {
        PutSource.Part all = kept;
        if (all == null) {
            throw new IllegalStateException("the stream was not read yet");
        }
        return all;
    }

    @Override
    public PutSource whole() {
        return new PutSource() {
            @Override
            public OptionalLong open() {
                return OptionalLong.of(sizeBytes);
            }

            @Override
            public long measure() {
                return sizeBytes;
            }

            @Override
            public boolean isStream() {
                return false;
            }

            @Override
            public Part part(ByteRange range) {
                return Part.of(range, (offset, target) -> kept().read(offset, target));
            }

            @Override
            public void checkUnchanged() {}

            @Override
            public void close() {}
        };
    }

    /** The put has no caller any more: the rest of the stream is left to its owner. */
    void stop() {
        stream.close();
    }

    @Override
    public synchronized void close() {
        closed = true;
        stream.close();
        PutSource.Part all = kept;
        if (all != null) {
            all.close();
        }
    }

    @Override
    public String toString() {
        return "source";
    }
}
