package io.cloudmw.client.channel;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.client.context.Failures;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.time.Ticker;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * A read of a file from a piece to its end, which runs ahead of a sequential reader. The transfer writes the bytes in
 * order; this cuts them into pieces and gives each to the future that expects it. The transfer waits behind the last
 * expected piece, so that the reader sets the pace. Safe for any thread.
 */
final class SequentialFetch implements WritableByteChannel {
    private final PieceLayout layout;
    private final IntFunction<byte[]> arrays;
    private final Ticker ticker;

    @GuardedBy("this")
    private final Map<Long, CompletableFuture<byte[]>> expected = new HashMap<>();

    /** The piece whose bytes come next. */
    @GuardedBy("this")
    private long next;

    /** The last piece that the transfer may deliver. */
    @GuardedBy("this")
    private long limit;

    /** The bytes of the next piece so far; null: nobody expects it, or none has arrived. */
    @GuardedBy("this")
    private byte @Nullable [] filling;

    @GuardedBy("this")
    private int filled;

    @GuardedBy("this")
    private @Nullable CloudMwException failure;

    private volatile long usedNanos;
    private volatile @Nullable CompletableFuture<?> transfer;

    /**
     * @param first piece with which the transfer begins
     * @param arrays makes an array of this length, whatever its bytes
     */
    SequentialFetch(PieceLayout layout, long first, IntFunction<byte[]> arrays, Ticker ticker) {
        this.layout = layout;
        this.arrays = arrays;
        this.ticker = ticker;
        this.next = first;
        this.limit = first - 1;
        this.usedNanos = ticker.nanos();
    }

    /** The bytes that the transfer is to read. */
    synchronized ByteRange range() {
        long from = layout.range(next).offset();
        return new ByteRange(from, layout.sizeBytes() - from);
    }

    /** Takes the future of the transfer that writes to this. */
    void transfer(CompletableFuture<?> started) {
        transfer = started;
        var unused = started.whenComplete((receipt, failed) -> end(
                failed == null
                        ? new CloudMwException(ErrorCode.INTERNAL, "the read ended before its last byte")
                        : Failures.of(failed)));
        if (isOver()) {
            started.cancel(true);
        }
    }

    /**
     * Lets the transfer deliver the pieces up to this one.
     *
     * @param piece the bytes of the last of them; null: somebody else fetches it
     * @return false: the transfer is over, or has passed the piece already
     */
    synchronized boolean expect(long index, @Nullable CompletableFuture<byte[]> piece) {
        usedNanos = ticker.nanos();
        if (failure != null || index < next || (index == next && filled > 0 && piece != null)) {
            return false;
        }
        if (piece != null) {
            expected.put(index, piece);
        }
        limit = Math.max(limit, index);
        notifyAll();
        return true;
    }

    /** Returns whether this delivers a piece, now or when it is expected. */
    synchronized boolean isAhead(long index) {
        return failure == null && index >= next;
    }

    /** How long no piece was expected. */
    long idleNanos() {
        return ticker.nanos() - usedNanos;
    }

    synchronized boolean isOver() {
        return failure != null;
    }

    @Override
    public int write(ByteBuffer bytes) throws CloudMwException {
        int length = bytes.remaining();
        while (bytes.hasRemaining()) {
            take(bytes).run();
        }
        return length;
    }

    /** Takes bytes of one piece; returns what hands the piece on, to be run without the lock. */
    private synchronized Runnable take(ByteBuffer bytes) throws CloudMwException {
        awaitExpected();
        int length = (int) layout.range(next).length();
        int step = Math.min(bytes.remaining(), length - filled);
        if (expected.containsKey(next)) {
            byte[] into = filling;
            if (into == null) {
                into = arrays.apply(length);
                filling = into;
            }
            bytes.get(into, filled, step);
        } else {
            bytes.position(bytes.position() + step);
        }
        filled += step;
        if (filled < length) {
            return () -> {};
        }
        byte[] full = filling;
        CompletableFuture<byte[]> piece = expected.remove(next);
        filling = null;
        filled = 0;
        next++;
        return full == null || piece == null ? () -> {} : () -> piece.complete(full);
    }

    @GuardedBy("this")
    private void awaitExpected() throws CloudMwException {
        while (failure == null && next > limit) {
            try {
                wait();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new CloudMwException(ErrorCode.CANCELLED, "reading ahead: interrupted", e);
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    private void end(CloudMwException why) {
        List<CompletableFuture<byte[]>> left;
        synchronized (this) {
            if (failure == null) {
                failure = why;
            }
            left = new ArrayList<>(expected.values());
            expected.clear();
            filling = null;
            notifyAll();
        }
        left.forEach(piece -> piece.completeExceptionally(why));
    }

    @Override
    public boolean isOpen() {
        return !isOver();
    }

    /** Cancels the transfer; expected pieces fail with {@code CANCELLED}. Idempotent. */
    @Override
    public void close() {
        end(new CloudMwException(ErrorCode.CANCELLED, "reading ahead has ended"));
        CompletableFuture<?> running = transfer;
        if (running != null) {
            running.cancel(true);
        }
    }
}
