package io.cloudmw.core.bulk;

import io.cloudmw.core.bulk.frame.BulkViolation;
import io.cloudmw.core.bulk.frame.FrameType;
import io.cloudmw.core.bulk.frame.ViolationException;
import io.netty.channel.Channel;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * The detector of silent peers. It checks {@value #LOOKS} times per idle timeout for traffic, pings a peer without
 * any, and closes the connection when there was none for the whole time. It counts checks instead of reading a clock,
 * so a pause of this process is not blamed on the peer. Confined to the event loop.
 */
@SuppressWarnings("FutureReturnValueIgnored") // Netty's: a failed write or close reaches the channel
final class Liveness {
    private static final int LOOKS = 5;

    private final FrameChannel frames;
    private final Duration idleTimeout;
    private long seen;
    private int quiet;

    private Liveness(FrameChannel frames, Duration idleTimeout) {
        this.frames = frames;
        this.idleTimeout = idleTimeout;
        this.seen = frames.activity();
    }

    /** Watches a connection until it is closed. */
    static void watch(FrameChannel frames) {
        Liveness liveness = new Liveness(frames, frames.options().idleTimeout());
        Channel channel = frames.channel();
        long everyNanos = liveness.idleTimeout.toNanos() / LOOKS;
        var looking = channel.eventLoop()
                .scheduleWithFixedDelay(liveness::look, everyNanos, everyNanos, TimeUnit.NANOSECONDS);
        channel.closeFuture().addListener(closed -> looking.cancel(false));
    }

    private void look() {
        long now = frames.activity();
        if (now != seen) {
            seen = now;
            quiet = 0;
            return;
        }
        quiet++;
        if (quiet < LOOKS) {
            frames.outbound().control(FrameType.PING, 0, new byte[0]);
        } else {
            frames.violated(new ViolationException(BulkViolation.SILENT, "no sign of life for " + idleTimeout));
        }
    }
}
