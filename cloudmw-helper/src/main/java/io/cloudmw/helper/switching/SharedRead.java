package io.cloudmw.helper.switching;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.bulk.BulkStream;
import io.cloudmw.core.bulk.BulkStreamListener;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.helper.block.FetchedBlock;
import io.cloudmw.helper.fetch.BlockAttempt;
import io.cloudmw.helper.relay.RelaySender;
import io.netty.buffer.ByteBuf;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A response to a switch below this one, or to a reader: a block, sent leaf by leaf as it comes. Safe for any thread;
 * never blocks.
 */
final class SharedRead implements BulkStreamListener, BlockAttempt.Listener, RelaySender.Listener {
    /**
     * The callbacks of a response.
     *
     * @param over run once, when no more of the block is sent
     * @param sent hears once how many bytes were sent
     * @param doubted run when the block arrived damaged
     */
    record Events(Runnable over, LongConsumer sent, Runnable doubted) {}

    private final BulkStream stream;
    private final boolean answering;
    private final Events events;
    private volatile @Nullable RelaySender relay;

    @GuardedBy("this")
    private @Nullable BlockAttempt attempt;

    @GuardedBy("this")
    private @Nullable FetchedBlock whole;

    @GuardedBy("this")
    private boolean over;

    /** @param answering whether a credit of one byte tells the other side that the whole block is here */
    SharedRead(BulkStream stream, boolean answering, Events events) {
        this.stream = stream;
        this.answering = answering;
        this.events = events;
    }

    /** Hands over the attempt that brings the block; the attempt may be over already. */
    void started(BlockAttempt running) {
        boolean late;
        synchronized (this) {
            attempt = running;
            late = over;
        }
        if (late) {
            running.cancel();
        }
    }

    // ---- events of the attempt

    @Override
    public void began(FetchedBlock growing) {
        relay = RelaySender.on(stream, growing, this);
    }

    @Override
    public void progressed(long bytes) {
        RelaySender open = relay;
        if (open != null) {
            open.advanced();
        }
    }

    @Override
    public void finished(FetchedBlock fetched) {
        boolean late;
        synchronized (this) {
            late = over;
            whole = fetched;
        }
        if (late) {
            fetched.close();
        } else {
            if (answering) {
                stream.grant(1);
            }
            progressed(fetched.availableBytes());
        }
    }

    @Override
    public void failed(CloudMwException cause, long bytes) {
        RelaySender open = relay;
        if (open == null) {
            stream.reset(cause);
        } else {
            open.fail(cause);
        }
        end();
    }

    @Override
    public void cancelled(long bytes) {
        end();
    }

    // ---- events of the stream

    @Override
    public void granted() {
        RelaySender open = relay;
        if (open != null) {
            open.granted();
        }
    }

    @Override
    public void data(ByteBuf payload, int crc32c) {
        payload.release();
        stream.reset(ErrorCode.PROTOCOL_VIOLATION, "data on a stream that requests data");
        stop();
    }

    @Override
    public void ended(byte[] trailer) {
        // The other side has nothing to say.
    }

    /** The stream failed, or the relay on it. */
    @Override
    public void failed(CloudMwException cause) {
        if (cause.code() == ErrorCode.REPLICA_CORRUPT) {
            events.doubted().run();
        }
        stop();
    }

    @Override
    public void sent() {
        end();
    }

    private void stop() {
        RelaySender open = relay;
        if (open != null) {
            open.cancel();
        }
        BlockAttempt running;
        synchronized (this) {
            running = attempt;
        }
        end();
        if (running != null) {
            running.cancel();
        }
    }

    private void end() {
        FetchedBlock held;
        synchronized (this) {
            if (over) {
                return;
            }
            over = true;
            held = whole;
        }
        RelaySender sent = relay;
        events.sent().accept(sent == null ? 0 : sent.handedBytes());
        if (held != null) {
            held.close();
        }
        events.over().run();
    }
}
