package io.cloudmw.helper.serve;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.bulk.BulkStream;
import io.cloudmw.core.bulk.BulkStreamListener;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.helper.fetch.Attempt;
import io.cloudmw.helper.fetch.FetchedBlock;
import io.cloudmw.helper.relay.Relay;
import io.netty.buffer.ByteBuf;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/** One block on its way to a switch below this one, leaf by leaf as it comes. Safe for any thread; never blocks. */
final class SharedRead implements BulkStreamListener, Attempt.Listener, Relay.Listener {
    /**
     * What is told of it.
     *
     * @param over run once, when nothing of it is sent any more
     * @param sent told once how many bytes were
     * @param doubted run when it did not arrive as it should
     */
    record Events(Runnable over, LongConsumer sent, Runnable doubted) {}

    private final BulkStream stream;
    private final boolean answering;
    private final Events events;
    private volatile @Nullable Relay relay;

    @GuardedBy("this")
    private @Nullable Attempt attempt;

    @GuardedBy("this")
    private @Nullable FetchedBlock whole;

    @GuardedBy("this")
    private boolean over;

    /** @param answering whether who asks is told by credit, of one byte, as soon as all of it is here */
    SharedRead(BulkStream stream, boolean answering, Events events) {
        this.stream = stream;
        this.answering = answering;
        this.events = events;
    }

    /** This is what brings it; it may have already. */
    void started(Attempt running) {
        boolean late;
        synchronized (this) {
            attempt = running;
            late = over;
        }
        if (late) {
            running.cancel();
        }
    }

    // ---- what comes

    @Override
    public void began(FetchedBlock growing) {
        relay = Relay.on(stream, growing, this);
    }

    @Override
    public void progressed(long bytes) {
        Relay open = relay;
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
        Relay open = relay;
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

    // ---- what is heard of who wants it

    @Override
    public void granted() {
        Relay open = relay;
        if (open != null) {
            open.granted();
        }
    }

    @Override
    public void data(ByteBuf payload, int crc32c) {
        payload.release();
        stream.reset(ErrorCode.PROTOCOL_VIOLATION, "data sent to who is asked for some");
        stop();
    }

    @Override
    public void ended(byte[] trailer) {
        // Who asks has nothing to say.
    }

    /** Of the stream, and, by way of it, of the relay. */
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
        Relay open = relay;
        if (open != null) {
            open.cancel();
        }
        Attempt running;
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
        Relay sent = relay;
        events.sent().accept(sent == null ? 0 : sent.handedBytes());
        if (held != null) {
            held.close();
        }
        events.over().run();
    }
}
