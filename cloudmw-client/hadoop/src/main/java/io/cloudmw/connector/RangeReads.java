package io.cloudmw.connector;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.client.file.RemoteFile;
import io.cloudmw.core.error.Reasons;
import java.io.EOFException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The reads of groups of ranges: so many at once, the others after them. A buffer is made when its read starts. The
 * bytes of ranges that were combined are read into memory of this class and copied into a buffer of each range. A read
 * that fails fails its ranges alone.
 */
public final class RangeReads {
    private final Reader reader;
    private final BufferSource buffers;
    private final int parallel;

    @GuardedBy("this")
    private final Deque<RangeGroup> waiting;

    @GuardedBy("this")
    private int running;

    /** Calls of {@link #start} that the one under way has to make up for. */
    private final AtomicInteger starts = new AtomicInteger();

    /** Reads of the file. */
    @FunctionalInterface
    interface Reader {
        /** Fills the buffer from this position on. */
        CompletableFuture<Integer> read(ByteBuffer target, long position);
    }

    /**
     * The reads that ranges have become.
     *
     * @param reads the number of reads
     * @param gapBytes bytes that are read and that nobody wants, because they are between ranges
     */
    public record Shape(int reads, long gapBytes) {}

    /**
     * Reads ranges of an open file, several at once. Ranges near each other are read together. The future of each range is
     * completed with a buffer of its own.
     *
     * @param ranges in any order, all in the file
     * @param buffers called by threads of the client, too
     * @throws IllegalArgumentException when two ranges overlap; nothing is read then
     */
    public static Shape read(RemoteFile file, List<RequestedRange> ranges, BufferSource buffers, RangeLimits limits) {
        List<RangeGroup> groups = RangeGroup.combine(
                ranges.stream().filter(each -> each.length() > 0).toList(), limits);
        long gapBytes = groups.stream().mapToLong(RangeGroup::gapBytes).sum();
        for (RequestedRange each : ranges) {
            if (each.length() == 0) {
                each.bytes().complete(buffers.allocate(0));
            }
        }
        new RangeReads(file::read, groups, buffers, limits.parallel()).start();
        return new Shape(groups.size(), gapBytes);
    }

    /** @param parallel reads at once, at least 1 */
    RangeReads(Reader reader, List<RangeGroup> groups, BufferSource buffers, int parallel) {
        this.reader = reader;
        this.buffers = buffers;
        this.parallel = parallel;
        this.waiting = new ArrayDeque<>(groups);
    }

    /** Starts reads, until enough of them run. A call from within a call has the outer one go on. */
    void start() {
        if (starts.getAndIncrement() > 0) {
            return;
        }
        int seen = 1;
        do {
            for (RangeGroup next = take(); next != null; next = take()) {
                read(next);
            }
            seen = starts.addAndGet(-seen);
        } while (seen > 0);
    }

    private synchronized @Nullable RangeGroup take() {
        if (running == parallel || waiting.isEmpty()) {
            return null;
        }
        running++;
        return waiting.poll();
    }

    private void read(RangeGroup group) {
        boolean alone = group.parts().size() == 1;
        int length = (int) group.whole().length();
        ByteBuffer bytes;
        CompletableFuture<Integer> read;
        try {
            bytes = alone ? buffers.allocate(length) : ByteBuffer.allocate(length);
            read = reader.read(bytes, group.whole().offset());
        } catch (RuntimeException | OutOfMemoryError e) {
            fail(group, e);
            ended();
            return;
        }
        var unused = read.whenComplete((count, failure) -> {
            if (failure == null && count == length) {
                deliver(group, bytes, alone);
            } else {
                Throwable reason = failure == null ? shorter(group, count) : Reasons.unwrapped(failure);
                if (alone) {
                    release(bytes, reason);
                }
                fail(group, reason);
            }
            ended();
            start();
        });
    }

    /** Gives a buffer back to its source; the read goes on when that fails. */
    private void release(ByteBuffer bytes, Throwable reason) {
        try {
            buffers.release(bytes);
        } catch (RuntimeException e) {
            reason.addSuppressed(e);
        }
    }

    private synchronized void ended() {
        running--;
    }

    private static EOFException shorter(RangeGroup group, int count) {
        return new EOFException(
                "range: " + group.whole() + ": the file gave " + count + " bytes (expected: all of them)");
    }

    private static void fail(RangeGroup group, Throwable failure) {
        group.parts().forEach(part -> part.bytes().completeExceptionally(failure));
    }

    private void deliver(RangeGroup group, ByteBuffer bytes, boolean alone) {
        if (alone) {
            group.parts().get(0).bytes().complete(bytes.flip());
            return;
        }
        long start = group.whole().offset();
        for (RequestedRange part : group.parts()) {
            try {
                ByteBuffer target = buffers.allocate(part.length());
                target.put(bytes.slice((int) (part.range().offset() - start), part.length()));
                part.bytes().complete(target.flip());
            } catch (RuntimeException | OutOfMemoryError e) {
                part.bytes().completeExceptionally(e);
            }
        }
    }
}
