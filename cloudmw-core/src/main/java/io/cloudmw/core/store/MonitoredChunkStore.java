package io.cloudmw.core.store;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.monitor.ReadProbe;
import io.cloudmw.core.monitor.SpeedMonitor;
import java.nio.ByteBuffer;

/**
 * A decorator that reports reads to the performance monitor; {@link #file} is forwarded unmeasured. The reader's own
 * time between two reads counts as the store's, unless the reader pauses: what comes after a pause has no speed.
 */
public final class MonitoredChunkStore extends ForwardingChunkStore {
    private final SpeedMonitor monitor;

    public MonitoredChunkStore(ChunkStore store, SpeedMonitor monitor) {
        super(store);
        this.monitor = monitor;
    }

    @Override
    protected ChunkReader opened(ChunkId chunk, ByteRange range, Opening opening) throws CloudMwException {
        if (range.length() == 0) {
            return opening.open();
        }
        ReadProbe probe = monitor.read(id(), range.length());
        try {
            return new MonitoredReader(opening.open(), probe, range.length());
        } catch (CloudMwException e) {
            probe.failed(e.code());
            throw e;
        }
    }

    private static final class MonitoredReader implements ChunkReader {
        private final ChunkReader reader;
        private final ReadProbe probe;
        private long left;

        MonitoredReader(ChunkReader reader, ReadProbe probe, long length) {
            this.reader = reader;
            this.probe = probe;
            this.left = length;
        }

        @Override
        public int read(ByteBuffer target) throws CloudMwException {
            int read;
            probe.asked();
            try {
                read = reader.read(target);
            } catch (CloudMwException e) {
                probe.failed(e.code());
                throw e;
            }
            probe.arrived(read);
            left -= Math.max(0, read);
            if (left == 0) {
                probe.ended();
            }
            return read;
        }

        /** Closes the reader; before its end that counts as cancelled. */
        @Override
        public void close() {
            probe.ended();
            reader.close();
        }
    }
}
