package io.cloudmw.helper.relay;

import io.cloudmw.core.bulk.BulkConnection;
import io.cloudmw.core.bulk.BulkStream;
import io.cloudmw.core.bulk.BulkStreamListener;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.Reasons;
import io.cloudmw.helper.fetch.FetchedBlock;
import io.netty.buffer.ByteBuf;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Sends one block to the destination: offers it by opening a stream, or answers one that asks for it, then sends leaf after leaf as they are there and
 * the destination grants credit for them. Does not own the block. Safe for any thread; never blocks.
 */
public final class Relay implements BulkStreamListener {
    /** Told once how a relay ended; on any thread. */
    public interface Listener {
        /** Every leaf left for the destination. */
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

    /** Written by whoever pumps: one thread at a time. */
    private int next;

    private Relay(FetchedBlock block, Listener listener) {
        this.block = block;
        this.listener = listener;
    }

    /**
     * Offers {@code block} to the destination.
     *
     * @param offer an encoded {@code OpenRelay}
     */
    public static Relay start(BulkConnection destination, byte[] offer, FetchedBlock block, Listener listener) {
        Relay relay = new Relay(block, listener);
        relay.stream = destination.open(offer, relay);
        relay.pump();
        return relay;
    }

    /**
     * Sends {@code block} on a stream that was opened to ask for it. Whoever listens to that passes on to the relay what it
     * hears.
     */
    public static Relay on(BulkStream asked, FetchedBlock block, Listener listener) {
        Relay relay = new Relay(block, listener);
        relay.stream = asked;
        relay.pump();
        return relay;
    }

    /** How much of the block, from its first byte, was handed to the connection: the destination had asked for it. */
    public long handedBytes() {
        return handedBytes.get();
    }

    /** More of the block is there. */
    public void advanced() {
        pump();
    }

    /** The rest of the block will not come; the listener hears nothing more. False when it was over already. */
    public boolean fail(CloudMwException cause) {
        return reset(cause);
    }

    /** Stops sending; the listener hears nothing more. False when it was over already. */
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
        // The destination says so when it has everything; it confirms that on the control plane as well.
    }

    @Override
    public void failed(CloudMwException cause) {
        if (over.compareAndSet(false, true)) {
            listener.failed(cause);
        }
    }

    /** Whoever comes first pumps for all that come meanwhile. */
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
                return; // whoever brings it says so
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

    /** It was the store that did not give it, unless it is said to be this helper. */
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
