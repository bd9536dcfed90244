package io.cloudmw.core.bulk;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * The age of a connection under TLS. From then on the side that connected begins nothing new on it. The connection is
 * closed when several looks in succession find no stream and nothing that holds it, so that a request that chose it
 * before comes in time. The side that accepted waits longer: it does not know what holds the connection at its peer. Then
 * it refuses new streams of its peer, whatever that thinks of the connection: its certificate may be over. Running
 * streams end as they would.
 *
 * @param age empty: any
 * @param looks that find the connection unused before it is closed
 */
record ConnectionAge(Optional<Duration> age, int looks) {
    private static final Duration BETWEEN_LOOKS = Duration.ofSeconds(1);
    private static final Duration LEAST_GRACE = Duration.ofSeconds(10);
    private static final int LOOKS_OF_CONNECTOR = 5;
    private static final int LOOKS_OF_ACCEPTOR = 60;

    /** The part of the age by which connections differ, so that not all are replaced at once. */
    private static final double SPREAD = 0.1;

    /**
     * The age for the side that connected: the smaller of its own and the peer's, less a part that is drawn.
     *
     * @param own empty: plain text
     * @param peerMillis not positive: any
     * @param draw 0 to 1
     */
    static ConnectionAge connecting(Optional<Duration> own, long peerMillis, double draw) {
        return new ConnectionAge(
                own.map(limit ->
                                peerMillis > 0 && peerMillis < limit.toMillis() ? Duration.ofMillis(peerMillis) : limit)
                        .map(limit -> Duration.ofNanos((long) (limit.toNanos() * (1 - SPREAD * draw)))),
                LOOKS_OF_CONNECTOR);
    }

    /** The age for the side that accepted: a quarter more, and some seconds at least. */
    static ConnectionAge accepting(Optional<Duration> own) {
        return new ConnectionAge(
                own.map(limit -> {
                    Duration quarter = limit.dividedBy(4);
                    return limit.plus(quarter.compareTo(LEAST_GRACE) > 0 ? quarter : LEAST_GRACE);
                }),
                LOOKS_OF_ACCEPTOR);
    }

    /** Watches a connection until it is closed. On its event loop. */
    void watch(FrameChannel frames, Multiplexer connection) {
        age.ifPresent(limit -> new Watched(frames, connection, looks, limit).start(limit));
    }

    /** A connection that is watched. Confined to its event loop. */
    @SuppressWarnings("FutureReturnValueIgnored") // Netty's: a failed close reaches the channel
    private static final class Watched {
        private final FrameChannel frames;
        private final Multiplexer connection;
        private final int looks;
        private final long lookNanos;
        private long opened = -1;
        private int unused;

        Watched(FrameChannel frames, Multiplexer connection, int looks, Duration age) {
            this.frames = frames;
            this.connection = connection;
            this.looks = looks;
            this.lookNanos = Math.min(age.toNanos(), BETWEEN_LOOKS.toNanos());
        }

        void start(Duration age) {
            var reaching = frames.channel().eventLoop().schedule(this::reached, age.toNanos(), TimeUnit.NANOSECONDS);
            frames.channel().closeFuture().addListener(closed -> reaching.cancel(false));
        }

        private void reached() {
            connection.becomeOld();
            var looking = frames.channel()
                    .eventLoop()
                    .scheduleWithFixedDelay(this::look, lookNanos, lookNanos, TimeUnit.NANOSECONDS);
            frames.channel().closeFuture().addListener(closed -> looking.cancel(false));
        }

        private void look() {
            long before = opened;
            opened = connection.openedStreams();
            unused = connection.isUnused() && opened == before ? unused + 1 : 0;
            if (unused >= looks) {
                frames.close(
                        new CloudMwException(
                                ErrorCode.HELPER_UNAVAILABLE, "the connection has reached its age, and was not in use"),
                        true);
            }
        }
    }
}
