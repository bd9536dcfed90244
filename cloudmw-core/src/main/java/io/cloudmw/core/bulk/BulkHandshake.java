package io.cloudmw.core.bulk;

import io.cloudmw.core.bulk.frame.BulkViolation;
import io.cloudmw.core.bulk.frame.FrameHeader;
import io.cloudmw.core.bulk.frame.FrameLimits;
import io.cloudmw.core.bulk.frame.FrameSink;
import io.cloudmw.core.bulk.frame.FrameType;
import io.cloudmw.core.bulk.frame.ViolationException;
import io.cloudmw.core.bulk.message.BulkWire;
import io.cloudmw.core.bulk.message.BulkWire.Greeting;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.tls.ProcessIdentity;
import io.cloudmw.core.wire.ProtocolVersion;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.util.concurrent.Future;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The handshake of a bulk connection, on either side. Confined to the event loop. */
final class BulkHandshake implements FrameSink {
    private final FrameChannel frames;
    private final Introduction own;
    private final BulkHandler handler;
    private final @Nullable CompletableFuture<BulkConnection> connecting;
    private final @Nullable ViolationException refusal;
    private final Runnable greeted;
    private @Nullable Future<?> timeout;
    private boolean started;
    /** The peer has sent HELLO and has no answer yet: it must not send anything before the answer. */
    private boolean answering;

    /**
     * The part of the handshake that the connecting side decides.
     *
     * @param process the name of this process
     * @param interactive whether the connection is for small requests that a caller waits for
     * @param expected the id of the process to which this side connects; empty: any
     */
    record Introduction(String process, boolean interactive, Optional<String> expected) {}

    private BulkHandshake(
            FrameChannel frames,
            Introduction own,
            BulkHandler handler,
            @Nullable CompletableFuture<BulkConnection> connecting,
            @Nullable ViolationException refusal,
            Runnable greeted) {
        this.frames = frames;
        this.own = own;
        this.handler = handler;
        this.connecting = connecting;
        this.refusal = refusal;
        this.greeted = greeted;
    }

    /** The connecting side's handshake; completes {@code connecting}. */
    static BulkHandshake connecting(
            FrameChannel frames, Introduction own, BulkHandler handler, CompletableFuture<BulkConnection> connecting) {
        return new BulkHandshake(frames, own, handler, connecting, null, () -> {});
    }

    /**
     * The accepting side's handshake; a {@code refusal} refuses the connection at once.
     *
     * @param greeted called when the peer has greeted properly
     */
    static BulkHandshake accepting(
            FrameChannel frames,
            String process,
            BulkHandler handler,
            @Nullable ViolationException refusal,
            Runnable greeted) {
        Introduction own = new Introduction(process, false, Optional.empty());
        return new BulkHandshake(frames, own, handler, null, refusal, greeted);
    }

    /** Begins when the socket is connected. */
    void start() {
        if (started) {
            return;
        }
        started = true;
        if (refusal != null) {
            frames.violated(refusal);
            return;
        }
        timeout = frames.channel()
                .eventLoop()
                .schedule(this::late, frames.options().handshakeTimeout().toNanos(), TimeUnit.NANOSECONDS);
        if (connecting != null) {
            frames.outbound().control(FrameType.HELLO, 0, BulkWire.hello(greeting("")));
        }
    }

    @Override
    public boolean admit(FrameHeader header) throws ViolationException {
        FrameType awaited = connecting != null ? FrameType.HELLO_ACK : FrameType.HELLO;
        boolean refused = header.type() == FrameType.RESET
                && header.stream() == 0
                && header.length() <= FrameLimits.MAX_HELLO_BYTES * 2;
        if ((answering || header.type() != awaited) && !refused) {
            throw new ViolationException(
                    BulkViolation.WRONG_ORDER,
                    header.type() + " (expected: " + (answering ? "nothing before the answer" : awaited) + ")");
        }
        return true;
    }

    @Override
    public void frame(FrameHeader header, ByteBuf payload) throws ViolationException {
        byte[] content = ByteBufUtil.getBytes(payload);
        payload.release();
        try {
            switch (header.type()) {
                case RESET -> frames.close(BulkWire.readReset(content), false);
                case HELLO -> accept(BulkWire.readHello(content));
                default -> accepted(BulkWire.readHelloAck(content));
            }
        } catch (CloudMwException e) {
            throw new ViolationException(BulkViolation.BAD_MESSAGE, String.valueOf(e.getMessage()));
        }
    }

    @Override
    public void damaged(FrameHeader header) throws ViolationException {
        throw new ViolationException(BulkViolation.BAD_CHECKSUM, header.type().name());
    }

    @Override
    public void closed(CloudMwException cause) {
        stopTimeout();
        if (connecting != null) {
            connecting.completeExceptionally(isUnanswered(cause) ? unanswered(cause) : cause);
        } else if (cause.code() == ErrorCode.TLS_FAILED) {
            handler.refused(frames.peer(), cause);
        }
    }

    /** Returns whether the peer closed the connection and has sent nothing before. */
    private boolean isUnanswered(CloudMwException cause) {
        return FrameChannel.PEER_CLOSED.equals(cause.getMessage()) && frames.isPlainText();
    }

    private static CloudMwException unanswered(CloudMwException cause) {
        return new CloudMwException(
                cause.code(),
                cause.getMessage() + " without a greeting (this process speaks plain text; if the other side is under"
                        + " TLS, expected: without --insecure, tls.insecure=true and CLOUDMW_TLS_INSECURE=true)",
                cause);
    }

    private void accept(Greeting greeting) throws ViolationException {
        requireVersion(greeting);
        requireIdentity(greeting);
        stopTimeout();
        greeted.run();
        answering = true;
        if (greeting.interactive()) {
            frames.mark();
            frames.moveTo(frames.loops().interactive(), () -> answer(greeting));
        } else {
            answer(greeting);
        }
    }

    private void answer(Greeting greeting) {
        String sessionId = UUID.randomUUID().toString();
        frames.outbound().control(FrameType.HELLO_ACK, 0, BulkWire.helloAck(greeting(sessionId)));
        handler.connected(established(sessionId, greeting));
    }

    private void accepted(Greeting greeting) throws ViolationException {
        requireVersion(greeting);
        requireIdentity(greeting);
        requireExpected();
        stopTimeout();
        Multiplexer connection = established(greeting.sessionId(), greeting);
        if (connecting != null && !connecting.complete(connection)) {
            connection.close();
        }
    }

    private Multiplexer established(String sessionId, Greeting greeting) {
        Multiplexer connection = new Multiplexer(
                frames, handler, sessionId, greeting, connecting != null, own.interactive() || greeting.interactive());
        frames.reader().sink(connection);
        Liveness.watch(frames);
        ConnectionAge age = connecting != null
                ? ConnectionAge.connecting(frames.connectionAge(), greeting.connectionAgeMillis(), draw(sessionId))
                : ConnectionAge.accepting(frames.connectionAge());
        age.watch(frames, connection);
        return connection;
    }

    /** A number from 0 to 1 that is as random as the session id. */
    private static double draw(String sessionId) {
        return Math.floorMod(sessionId.hashCode(), 1000) / 1000.0;
    }

    private static void requireVersion(Greeting greeting) throws ViolationException {
        if (!ProtocolVersion.CURRENT.understands(greeting.version())) {
            throw new ViolationException(
                    BulkViolation.VERSION,
                    greeting.process() + " speaks protocol " + greeting.version() + " (expected: major "
                            + ProtocolVersion.CURRENT.major() + ")");
        }
    }

    private void requireIdentity(Greeting greeting) throws ViolationException {
        Optional<ProcessIdentity> certified = frames.peerIdentity();
        if (certified.isPresent() && !certified.get().id().equals(greeting.process())) {
            throw new ViolationException(
                    BulkViolation.WRONG_IDENTITY,
                    "greeting of " + greeting.process() + " (expected: "
                            + certified.get().id() + ", as in its certificate)");
        }
    }

    private void requireExpected() throws ViolationException {
        Optional<ProcessIdentity> certified = frames.peerIdentity();
        if (certified.isPresent()
                && own.expected().isPresent()
                && !own.expected().get().equals(certified.get().id())) {
            throw new ViolationException(
                    BulkViolation.WRONG_IDENTITY,
                    "certificate of " + certified.get().describe() + " (expected: that of "
                            + own.expected().get() + ", to which this process connects)");
        }
    }

    private Greeting greeting(String sessionId) {
        return new Greeting(
                ProtocolVersion.CURRENT,
                own.process(),
                sessionId,
                frames.options().maxStreams(),
                own.interactive(),
                frames.connectionAge().map(Duration::toMillis).orElse(0L));
    }

    private void late() {
        frames.violated(new ViolationException(
                BulkViolation.HANDSHAKE_TIMEOUT,
                "no handshake within " + frames.options().handshakeTimeout()));
    }

    private void stopTimeout() {
        if (timeout != null) {
            timeout.cancel(false);
        }
    }
}
