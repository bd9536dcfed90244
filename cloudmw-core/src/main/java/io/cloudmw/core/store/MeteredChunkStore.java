package io.cloudmw.core.store;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.metrics.StoreMetrics;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.Page;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.chunk.StoredChunk;
import io.cloudmw.core.time.Ticker;
import io.micrometer.core.instrument.MeterRegistry;
import java.nio.ByteBuffer;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;

/** A decorator that counts a store's requests and their results. {@link #file} is forwarded uncounted. */
public final class MeteredChunkStore extends ForwardingChunkStore {
    private final StoreMetrics metrics;
    private final Ticker ticker;

    public MeteredChunkStore(ChunkStore store, MeterRegistry meters, Ticker ticker) {
        super(store);
        this.metrics = new StoreMetrics(meters, store.id().value());
        this.ticker = ticker;
    }

    @Override
    protected ChunkReader opened(ChunkId chunk, ByteRange range, Opening opening) throws CloudMwException {
        long openedNanos = ticker.nanos();
        return new MeteredReader(counted("read", opening::open), openedNanos, range.length());
    }

    @Override
    public PutOutcome put(ChunkId chunk, ChunkSource source) throws CloudMwException {
        PutOutcome outcome = counted("put", () -> super.put(chunk, source));
        if (outcome == PutOutcome.WRITTEN) {
            metrics.written(source.length());
        }
        return outcome;
    }

    @Override
    public OptionalLong length(ChunkId chunk) throws CloudMwException {
        return counted("length", () -> super.length(chunk));
    }

    @Override
    public boolean delete(ChunkId chunk) throws CloudMwException {
        return counted("delete", () -> super.delete(chunk));
    }

    @Override
    public boolean delete(ChunkId chunk, BooleanSupplier isOver) throws CloudMwException {
        return counted("delete", () -> super.delete(chunk, isOver));
    }

    @Override
    public Page<StoredChunk> list(String pageToken, int limit) throws CloudMwException {
        return counted("list", () -> super.list(pageToken, limit));
    }

    private interface Call<T> {
        T run() throws CloudMwException;
    }

    private <T> T counted(String operation, Call<T> call) throws CloudMwException {
        metrics.request(operation);
        try {
            return call.run();
        } catch (CloudMwException e) {
            countFailure(operation, e);
            throw e;
        }
    }

    private void countFailure(String operation, CloudMwException e) {
        if (e.code() != ErrorCode.CANCELLED) {
            metrics.error(operation, e.code().name());
        }
    }

    private final class MeteredReader implements ChunkReader {
        private final ChunkReader reader;
        private final long openedNanos;
        private final AtomicBoolean over = new AtomicBoolean();
        private boolean first = true;
        private long left;

        MeteredReader(ChunkReader reader, long openedNanos, long length) {
            this.reader = reader;
            this.openedNanos = openedNanos;
            this.left = length;
            if (length == 0) {
                over.set(true);
            }
        }

        @Override
        public int read(ByteBuffer target) throws CloudMwException {
            int read;
            try {
                read = reader.read(target);
            } catch (CloudMwException e) {
                // Failures after the end of a read, or after its cancellation, do not count.
                if (e.code() != ErrorCode.CANCELLED && over.compareAndSet(false, true)) {
                    countFailure("read", e);
                }
                throw e;
            }
            if (read > 0) {
                count(read);
            }
            return read;
        }

        @Override
        public void close() {
            if (over.compareAndSet(false, true)) {
                metrics.cancelled();
            }
            reader.close();
        }

        private void count(int read) {
            if (first) {
                first = false;
                metrics.firstByte(ticker.nanos() - openedNanos);
            }
            metrics.read(read);
            left -= read;
            if (left == 0) {
                over.set(true);
            }
        }
    }
}
