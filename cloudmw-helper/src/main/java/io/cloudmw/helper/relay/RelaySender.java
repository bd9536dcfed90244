package io.cloudmw.helper.relay;

import io.cloudmw.core.bulk.BulkConnection;
import io.cloudmw.core.bulk.BulkStream;
import io.cloudmw.core.bulk.BulkStreamListener;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.Reasons;
import io.cloudmw.helper.block.FetchedBlock;
import io.netty.buffer.ByteBuf;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The sender of one block to its destination. The sender opens a stream to offer the block, or answers a stream that
 * requests it. Then it sends the leaves in order, as they arrive here and as the destination grants credit. The sender
 * does not own the block. Safe for any thread; never blocks.
 */
public final class RelaySender implements BulkStreamListener {
    /** The listener of a relay, which hears once, on any thread, how it ended. */
    public interface Listener {
        /** Every leaf was sent. */
        void sent();

        /** The destination refused it or went away, or sending failed. */
        void failed(CloudMwException cause);
    }

    private static final byte[] NO_TRAILER = {};

    private final FetchedBlock block;
    private final Listener listener;
    private final AtomicInteger wanted = new AtomicInteger();
    private final AtomicInteger leavesSent = new AtomicInteger();
    private final AtomicLong handedBytes = new AtomicLong();
    private final AtomicBoolean over = new AtomicBoolean();
    private volatile @Nullable BulkStream stream;

    /** Written by the thread that pumps, one at a time. */
    private int next;

    private RelaySender(FetchedBlock block, Listener listener) {
        this.block = block;
        this.listener = listener;
    }

    /**
     * Offers {@code block} to the destination.
     *
     * @param offer an encoded {@code OpenRelay}
     */
    public static RelaySender start(BulkConnection destination, byte[] offer, FetchedBlock block, Listener listener) {
        RelaySender relay = new RelaySender(block, listener);
        relay.stream = destination.open(offer, relay);
        relay.pump();
        return relay;
    }

    /**
     * Sends {@code block} on a stream that was opened to request it. The stream's listener passes its events on to the
     * relay.
     */
    public static RelaySender on(BulkStream asked, FetchedBlock block, Listener listener) {
        RelaySender relay = new RelaySender(block, listener);
        relay.stream = asked;
        relay.pump();
        return relay;
    }

    /** Bytes of the block, from its first, that were handed to the connection. */
    public long handedBytes() {
        return handedBytes.get();
    }

    /** More of the block has arrived here. */
    public void advanced() {
        pump();
    }

    /** Ends the relay, since the rest of the block will not come. Returns false when it was over already. */
    public boolean fail(CloudMwException cause) {
        return reset(cause);
    }

    /** Stops sending; the listener hears nothing more. Returns false when the relay was over already. */
    public boolean cancel() {
        return reset(new CloudMwException(ErrorCode.CANCELLED, "no longer wanted"));
    }

    private boolean reset(CloudMwException why) {
        boolean first = over.compareAndSet(false, true);
        BulkStream open = stream;
        if (first && open != null) {
            open.reset(why);
        }
        return first;
    }

    @Override
    public void granted() {
        pump();
    }

    @Override
    public void data(ByteBuf payload, int crc32c) {
        payload.release();
        broken(new CloudMwException(ErrorCode.PROTOCOL_VIOLATION, block.block() + ": data from the destination"));
    }

    @Override
    public void ended(byte[] trailer) {
        // The destination has everything; it confirms that on the control plane as well.
    }

    @Override
    public void failed(CloudMwException cause) {
        if (over.compareAndSet(false, true)) {
            listener.failed(cause);
        }
    }

    /** Sends what is granted; one thread does so at a time, also for those that call meanwhile. */
    private void pump() {
        if (wanted.getAndIncrement() != 0) {
            return;
        }
        int seen = 1;
        do {
            BulkStream open = stream;
            if (open != null) {
                sendWhatIsGranted(open);
            }
            seen = wanted.addAndGet(-seen);
        } while (seen != 0);
    }

    private void sendWhatIsGranted(BulkStream open) {
        int leaves = block.block().leaves().leaves();
        while (next < leaves && !over.get() && block.block().leaves().length(next) <= open.credit()) {
            CompletableFuture<Void> sent = block.send(open, next);
            if (sent == null) {
                return; // it has not arrived; advanced() is called when it has
            }
            handedBytes.addAndGet(block.block().leaves().length(next));
            next++;
            var unused = sent.whenComplete((nothing, error) -> leafDone(leaves, error));
            if (next == leaves) {
                open.end(NO_TRAILER);
            }
        }
    }

    private void leafDone(int leaves, @Nullable Throwable error) {
        if (error != null) {
            broken(unsent(Reasons.unwrapped(error)));
        } else if (leavesSent.incrementAndGet() == leaves && over.compareAndSet(false, true)) {
            listener.sent();
        }
    }

    /** The failure blames the store, unless its cause says that this helper failed. */
    private CloudMwException unsent(Throwable error) {
        return error instanceof CloudMwException known && known.code() == ErrorCode.HELPER_UNAVAILABLE
                ? known
                : new CloudMwException(
                        ErrorCode.STORE_UNAVAILABLE, block.block() + ": cannot send: " + error.getMessage(), error);
    }

    private void broken(CloudMwException cause) {
        if (fail(cause)) {
            listener.failed(cause);
        }
    }
}
