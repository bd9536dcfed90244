package io.cloudmw.hadoop.stream;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.hadoop.volume.HadoopErrors;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.fs.FileRange;
import org.apache.hadoop.fs.impl.CombinedFileRange;
import org.apache.hadoop.fs.statistics.StreamStatisticNames;
import org.jspecify.annotations.Nullable;

/**
 * The reads of one vectored call: so many at once, the others after them. The bytes of ranges that were combined are
 * read into memory of this class and copied into a buffer of each range, so that no two ranges share a buffer. Safe for
 * any thread.
 */
final class VectoredRead {
    private final Reader reader;
    private final RangeBuffers buffers;
    private final StreamCounters counters;
    private final int parallel;

    @GuardedBy("this")
    private final Deque<CombinedFileRange> waiting;

    @GuardedBy("this")
    private int running;

    @GuardedBy("this")
    private boolean starting;

    /** Reads of the file. */
    @FunctionalInterface
    interface Reader {
        /** Fills the buffer from this position on. */
        CompletableFuture<Integer> read(ByteBuffer target, long position);
    }

    /** @param parallel reads at once, at least 1 */
    VectoredRead(
            Reader reader,
            List<CombinedFileRange> ranges,
            RangeBuffers buffers,
            StreamCounters counters,
            int parallel) {
        this.reader = reader;
        this.buffers = buffers;
        this.counters = counters;
        this.parallel = parallel;
        this.waiting = new ArrayDeque<>(ranges);
    }

    /** Starts reads, until enough of them run. */
    void start() {
        for (CombinedFileRange next = take(false); next != null; next = take(true)) {
            read(next);
        }
    }

    private synchronized @Nullable CombinedFileRange take(boolean again) {
        if (starting && !again) {
            return null; // a read ended while its caller starts more
        }
        CombinedFileRange next = running < parallel ? waiting.poll() : null;
        starting = next != null;
        if (next != null) {
            running++;
        }
        return next;
    }

    private void read(CombinedFileRange range) {
        List<FileRange> parts = range.getUnderlying();
        boolean alone = parts.size() == 1;
        ByteBuffer bytes;
        CompletableFuture<Integer> read;
        try {
            bytes = alone ? buffers.allocate(range.getLength()) : ByteBuffer.allocate(range.getLength());
            read = reader.read(bytes, range.getOffset());
        } catch (RuntimeException | OutOfMemoryError e) {
            ended();
            parts.forEach(part -> part.getData().completeExceptionally(e));
            return;
        }
        var unused = read.whenComplete((count, failure) -> {
            ended();
            if (failure != null) {
                if (alone) {
                    buffers.release(bytes);
                }
                failed(parts, failure);
            } else if (alone) {
                parts.get(0).getData().complete(bytes.flip());
            } else {
                deliver(range, bytes);
            }
            start();
        });
    }

    private synchronized void ended() {
        running--;
    }

    private void failed(List<FileRange> parts, Throwable failure) {
        counters.add(StreamStatisticNames.STREAM_READ_EXCEPTIONS, 1);
        parts.forEach(part -> part.getData().completeExceptionally(HadoopErrors.of(part, failure)));
    }

    private void deliver(CombinedFileRange range, ByteBuffer bytes) {
        long wanted = 0;
        for (FileRange part : range.getUnderlying()) {
            try {
                ByteBuffer target = buffers.allocate(part.getLength());
                target.put(bytes.slice((int) (part.getOffset() - range.getOffset()), part.getLength()));
                part.getData().complete(target.flip());
            } catch (RuntimeException | OutOfMemoryError e) {
                part.getData().completeExceptionally(e);
            }
            wanted += part.getLength();
        }
        counters.add(
                StreamStatisticNames.STREAM_READ_VECTORED_READ_BYTES_DISCARDED,
                Math.max(0, range.getLength() - wanted));
    }
}
