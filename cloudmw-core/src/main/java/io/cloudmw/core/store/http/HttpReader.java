package io.cloudmw.core.store.http;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.store.ChunkReader;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;

/** A reader that waits for a {@link RangeGet}, sent at the first read. A few pieces are received ahead of it. */
final class HttpReader implements ChunkReader, RangeListener {
    /** The bytes requested ahead of the reader. */
    private static final int AHEAD_BYTES = 256 << 10;

    /** Begins the GET. */
    interface Sender {
        RangeGet send(RangeListener listener) throws CloudMwException;
    }

    /** An item of the queue: the head, bytes, the end, a failure, or a cancellation. */
    private record Piece(
            long chunkLength,
            @Nullable ByteBuf bytes,
            @Nullable CloudMwException failure) {
        static final Piece END = new Piece(-1, null, null);
    }

    private final Sender sender;
    private final String what;
    private final BlockingQueue<Piece> pieces = new LinkedBlockingQueue<>();
    private volatile @Nullable RangeGet get;

    /** The piece that is being read. */
    @GuardedBy("this")
    private @Nullable ByteBuf current;

    private long chunkLength = -1;
    private long left;
    private volatile boolean closed;

    /** @param length of the range */
    HttpReader(Sender sender, long length, String what) {
        this.sender = sender;
        this.left = length;
        this.what = what;
    }

    @Override
    public int read(ByteBuffer target) throws CloudMwException {
        if (closed) {
            throw cancelled();
        }
        if (left == 0) {
            return -1;
        }
        RangeGet sent = start();
        int count = copy(target);
        while (count == 0) {
            hold(next());
            count = copy(target);
        }
        left -= count;
        sent.request(count);
        return count;
    }

    private synchronized void hold(ByteBuf piece) throws CloudMwException {
        if (closed) {
            piece.release();
            throw cancelled();
        }
        current = piece;
    }

    /** Copies as much as there is of the current piece. */
    private synchronized int copy(ByteBuffer target) {
        ByteBuf piece = current;
        if (piece == null) {
            return 0;
        }
        int count = Math.min(piece.readableBytes(), target.remaining());
        int limit = target.limit();
        target.limit(target.position() + count);
        piece.readBytes(target);
        target.limit(limit);
        if (!piece.isReadable()) {
            release();
        }
        return count;
    }

    private synchronized void release() {
        ByteBuf piece = current;
        current = null;
        if (piece != null) {
            piece.release();
        }
    }

    /** The length of the whole chunk; sends the request if that was not done yet. */
    long chunkLength() throws CloudMwException {
        try {
            start();
        } catch (CloudMwException e) {
            if (e.code() != ErrorCode.INVALID_ARGUMENT) {
                throw e;
            }
            // No first byte: the chunk is empty.
            return 0;
        }
        return chunkLength;
    }

    /** Sends the request and waits for the head of the answer, once. */
    private RangeGet start() throws CloudMwException {
        RangeGet known = get;
        if (known != null) {
            return known;
        }
        RangeGet sent = sender.send(this);
        get = sent;
        sent.request(AHEAD_BYTES);
        if (closed) {
            sent.cancel();
        }
        chunkLength = take().chunkLength();
        return sent;
    }

    private ByteBuf next() throws CloudMwException {
        ByteBuf bytes = take().bytes();
        if (bytes == null) {
            throw new CloudMwException(
                    ErrorCode.STORE_UNAVAILABLE, what + ": the answer ended " + left + " bytes early");
        }
        return bytes;
    }

    private Piece take() throws CloudMwException {
        try {
            Piece piece = pieces.take();
            if (piece.failure() != null) {
                throw piece.failure();
            }
            return piece;
        } catch (InterruptedException e) {
            close();
            Thread.currentThread().interrupt();
            throw cancelled();
        }
    }

    @Override
    public void began(long length) {
        pieces.add(new Piece(length, null, null));
    }

    @Override
    public void data(ByteBuf bytes) {
        pieces.add(new Piece(-1, bytes, null));
        if (closed) {
            drop();
        }
    }

    @Override
    public void ended() {
        pieces.add(Piece.END);
    }

    @Override
    public void failed(CloudMwException cause) {
        pieces.add(new Piece(-1, null, cause));
    }

    @Override
    public void close() {
        closed = true;
        RangeGet sent = get;
        if (sent != null) {
            sent.cancel();
        }
        release();
        drop();
    }

    /** Releases what waits, and wakes a thread that waits. */
    private void drop() {
        for (Piece piece = pieces.poll(); piece != null; piece = pieces.poll()) {
            ByteBuf bytes = piece.bytes();
            if (bytes != null) {
                bytes.release();
            }
        }
        pieces.add(new Piece(-1, null, cancelled()));
    }

    private CloudMwException cancelled() {
        return new CloudMwException(ErrorCode.CANCELLED, what + ": cancelled");
    }
}
