package io.cloudmw.client.peer.server;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.bulk.BulkStream;
import io.cloudmw.core.bulk.BulkStreamListener;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.time.Ticker;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * An upload of leaves of one chunk to a neighbour, straight from the file, as far as the neighbour's credit goes. Each
 * leaf carries its checksum from the manifest. Safe for any thread.
 */
final class PeerUpload implements BulkStreamListener {
    /** A listener to the end of an upload; called by any thread. */
    interface Listener {
        /** The upload no longer uses the chunk; called once. */
        void over(long sentBytes);

        /** The chunk's content arrived corrupt; may be called after the upload is over. */
        void corrupt();
    }

    private static final byte[] NO_TRAILER = {};

    private final BulkStream stream;
    private final PeerChunk chunk;
    private final ByteRange range;
    private final Listener listener;
    private final Ticker ticker;

    @GuardedBy("this")
    private long next;

    /** The time when the neighbour last took something. */
    @GuardedBy("this")
    private long movedNanos;

    /** Leaves handed to the connection, which may still read the file for them. */
    @GuardedBy("this")
    private int underWay;

    @GuardedBy("this")
    private boolean ended;

    @GuardedBy("this")
    private boolean reported;

    PeerUpload(BulkStream stream, PeerChunk chunk, ByteRange range, Ticker ticker, Listener listener) {
        this.stream = stream;
        this.chunk = chunk;
        this.range = range;
        this.ticker = ticker;
        this.listener = listener;
        movedNanos = ticker.nanos();
        next = range.offset();
    }

    @Override
    public void granted() {
        List<CompletableFuture<Void>> sent = new ArrayList<>();
        synchronized (this) {
            while (!ended && next < range.end()) {
                int length = chunk.leafLength(next);
                if (stream.credit() < length) {
                    break;
                }
                underWay++;
                sent.add(stream.send(chunk.file(), next, length, chunk.leafCrc32c(next)));
                next += length;
            }
            if (!ended && next == range.end()) {
                ended = true;
                stream.end(NO_TRAILER);
            }
        }
        for (CompletableFuture<Void> one : sent) {
            var unused = one.whenComplete((nothing, failure) -> sent(failure != null));
        }
        tellIfOver();
    }

    private void sent(boolean failed) {
        synchronized (this) {
            underWay--;
            movedNanos = ticker.nanos();
            ended |= failed;
        }
        tellIfOver();
    }

    @Override
    public void data(ByteBuf payload, int crc32c) {
        payload.release();
        stream.reset(ErrorCode.PROTOCOL_VIOLATION, "data in a request to read");
        end();
    }

    @Override
    public void ended(byte[] trailer) {
        // Neighbours send nothing.
    }

    @Override
    public void failed(CloudMwException cause) {
        if (cause.code() == ErrorCode.REPLICA_CORRUPT) {
            listener.corrupt();
        }
        end();
    }

    /** Ends the upload when its neighbour has taken nothing for so long, so that others get its slot. */
    void endIfIdle(long nanos) {
        boolean idle;
        synchronized (this) {
            idle = !ended && ticker.nanos() - movedNanos >= nanos;
        }
        if (idle) {
            stream.reset(ErrorCode.DEADLINE_EXCEEDED, "chunk=" + chunk.id() + ": the neighbour took nothing for long");
            end();
        }
    }

    private void end() {
        synchronized (this) {
            ended = true;
        }
        tellIfOver();
    }

    private void tellIfOver() {
        long sentBytes;
        synchronized (this) {
            if (!ended || underWay > 0 || reported) {
                return;
            }
            reported = true;
            sentBytes = next - range.offset();
        }
        listener.over(sentBytes);
    }
}
