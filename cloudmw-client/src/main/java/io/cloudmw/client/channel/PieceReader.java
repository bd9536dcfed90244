package io.cloudmw.client.channel;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.client.file.RemoteFile;
import io.cloudmw.client.rpc.Calls;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.Reasons;
import io.cloudmw.core.model.ByteRange;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The reader of one open file. Sequential reads come from pieces that a {@link SequentialFetch} reads ahead; other reads
 * go to the {@link RemoteFile}, and nothing is read ahead for them. An interrupted read leaves the reader open. Safe for
 * any thread; calls block.
 */
public final class PieceReader implements AutoCloseable {
    /** A read that begins so near to the end of the last one continues it. */
    private static final int NEAR_BYTES = PieceLayout.PIECE_BYTES;

    /** So many bytes must have been read in sequence before anything is read ahead. */
    private static final int RUN_BYTES = PieceLayout.PIECE_BYTES;

    private final RemoteFile file;
    private final ReadAheadBuffers buffers;
    private final PieceLayout layout;
    private final CompletableFuture<byte[]> closing = new CompletableFuture<>();

    /** End of the last read. */
    @GuardedBy("this")
    private long lastEnd;

    /** Bytes read in sequence. */
    @GuardedBy("this")
    private long runBytes;

    /** The last piece that was requested in this run; -1: none. */
    @GuardedBy("this")
    private long requested = -1;

    @GuardedBy("this")
    private @Nullable SequentialFetch running;

    /** @param file closed with this */
    PieceReader(RemoteFile file, ReadAheadBuffers buffers) {
        this.file = file;
        this.buffers = buffers;
        this.layout = new PieceLayout(file.version().sizeBytes());
    }

    RemoteFile file() {
        return file;
    }

    /**
     * Fills the buffer, or reads to the end of the file. After a failure, the buffer holds a correct beginning.
     *
     * @return the number of bytes; -1 when the buffer has room and the file ends at or before the position
     * @throws CloudMwException {@code CANCELLED} when this is closed, or the thread is interrupted
     */
    public int read(ByteBuffer target, long position) throws CloudMwException {
        if (!target.hasRemaining()) {
            return 0;
        }
        if (position >= layout.sizeBytes()) {
            return -1;
        }
        int length = (int) Math.min(target.remaining(), layout.sizeBytes() - position);
        if (continues(position, length)) {
            readPieces(target, new ByteRange(position, length));
        } else {
            readAlone(target, new ByteRange(position, length));
        }
        return length;
    }

    private void readAlone(ByteBuffer target, ByteRange range) throws CloudMwException {
        ByteBuffer slice = target.slice(target.position(), (int) range.length());
        Integer unused = Calls.await(file.read(slice, range.offset()));
        target.position(target.position() + (int) range.length());
    }

    private void readPieces(ByteBuffer target, ByteRange range) throws CloudMwException {
        for (long at = range.offset(); at < range.end(); ) {
            long index = layout.indexOf(at);
            ByteRange piece = layout.range(index);
            int step = (int) (Math.min(range.end(), piece.end()) - at);
            int from = (int) (at - piece.offset());
            boolean here =
                    await(piece(index)) && buffers.pieces().use(key(index), bytes -> target.put(bytes, from, step));
            if (!here) {
                readAlone(target, new ByteRange(at, step));
            }
            at += step;
        }
    }

    private PieceKey key(long index) {
        return new PieceKey(file.version().id(), index);
    }

    /** Waits for a piece; false: its fetch failed. */
    private boolean await(CompletableFuture<byte[]> piece) throws CloudMwException {
        try {
            if (!piece.isDone()) {
                Object unused = Calls.await(CompletableFuture.anyOf(piece, closing));
            }
            return !piece.isCompletedExceptionally();
        } catch (RuntimeException | CloudMwException e) {
            if (closing.isDone() || Thread.currentThread().isInterrupted()) {
                throw new CloudMwException(ErrorCode.CANCELLED, file.version().file() + ": it was closed", e);
            }
            return false; // the fetch of somebody else; the caller's own read finds out whether the file is readable
        }
    }

    /** Notes a read. Returns whether it continues a sequential run. */
    private synchronized boolean continues(long position, int length) {
        boolean near = Math.abs(position - lastEnd) <= NEAR_BYTES;
        boolean sequential = near && runBytes >= RUN_BYTES;
        if (!near) {
            endRun();
        }
        runBytes += length;
        lastEnd = position + length;
        return sequential;
    }

    @GuardedBy("this")
    private void endRun() {
        runBytes = 0;
        requested = -1;
        if (running != null) {
            running.close();
            running = null;
        }
    }

    /** Requests a piece, and those that follow. */
    private CompletableFuture<byte[]> piece(long index) {
        synchronized (this) {
            long from = Math.max(requested + 1, index);
            long to = Math.min(index + buffers.ahead(), layout.count() - 1);
            if (from <= to) {
                SequentialFetch fetch = fetchFrom(from);
                long last = fetch == null ? from : to;
                for (long each = from; each <= last; each++) {
                    var unused = request(each, fetch);
                }
                requested = last;
            }
        }
        return request(index, null);
    }

    /** The fetch that delivers the pieces from this one on; null: too many others run. */
    @GuardedBy("this")
    private @Nullable SequentialFetch fetchFrom(long index) {
        if (running == null || !running.isAhead(index)) {
            if (running != null) {
                running.close();
            }
            running = buffers.fetch(file.version(), layout, index).orElse(null);
        }
        return running;
    }

    private CompletableFuture<byte[]> request(long index, @Nullable SequentialFetch fetch) {
        int length = (int) layout.range(index).length();
        CompletableFuture<byte[]> piece = buffers.pieces().get(key(index), length, result -> {
            if (fetch == null || !fetch.expect(index, result)) {
                fetchAlone(index, result);
            }
        });
        if (fetch != null && piece.isDone()) {
            fetch.expect(index, null);
        }
        return piece;
    }

    private void fetchAlone(long index, CompletableFuture<byte[]> result) {
        ByteRange range = layout.range(index);
        ByteBuffer bytes = ByteBuffer.wrap(buffers.allocate((int) range.length()));
        var unused = file.read(bytes, range.offset()).whenComplete((read, failure) -> {
            if (failure == null) {
                result.complete(bytes.array());
            } else {
                result.completeExceptionally(Reasons.unwrapped(failure));
            }
        });
    }

    /** Closes the file. Reads under way fail with {@code CANCELLED}. Idempotent. */
    @Override
    public void close() {
        closing.completeExceptionally(
                new CloudMwException(ErrorCode.CANCELLED, file.version().file() + ": it was closed"));
        synchronized (this) {
            endRun();
        }
        file.close();
    }
}
