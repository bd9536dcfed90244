package io.cloudmw.core.bulk;

import io.cloudmw.core.audit.AuditedPeer;
import io.cloudmw.core.bulk.frame.BulkViolation;
import io.cloudmw.core.bulk.frame.FrameReader;
import io.cloudmw.core.bulk.frame.ReceiveBuffers;
import io.cloudmw.core.bulk.frame.ViolationException;
import io.cloudmw.core.bulk.message.BulkWire;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.metrics.BulkMetrics;
import io.cloudmw.core.tls.Certificates;
import io.cloudmw.core.tls.ProcessIdentity;
import io.cloudmw.core.tls.TlsCredentials;
import io.cloudmw.core.tls.TlsFailures;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A socket that reads frames, hands them to the sink of the connection's phase, counts the peer's violations, and
 * closes. Confined to the event loop, except where a method says otherwise.
 */
@SuppressWarnings("FutureReturnValueIgnored") // Netty's: a failed write or close reaches the channel
final class FrameChannel extends ChannelInboundHandlerAdapter {
    /** The message of a connection that the peer closed without a reason. */
    static final String PEER_CLOSED = "the peer closed the connection";

    private static final Logger log = LoggerFactory.getLogger(FrameChannel.class);

    /** The time for which a closing connection tries to send the peer the reason. */
    static final long FAREWELL_MILLIS = 1000;

    private static final int IPTOS_LOWDELAY = 0x10;

    private final Channel channel;
    private final BulkOptions options;
    private final BulkMetrics metrics;
    private final Optional<Duration> connectionAge;
    private final EventLoops loops;
    private final FrameReader reader;
    private final OutboundScheduler outbound;
    private @Nullable CloudMwException cause;
    private long bytesRead;

    /**
     * @param handshake makes the sink of the first phase
     */
    FrameChannel(
            Channel channel,
            BulkTransport transport,
            BulkOptions options,
            Function<FrameChannel, BulkHandshake> handshake) {
        this.channel = channel;
        this.options = options;
        this.metrics = transport.metrics();
        this.connectionAge = transport.tls().map(TlsCredentials::connectionAge);
        this.loops = transport.loops();
        this.outbound = new OutboundScheduler(
                this,
                transport.allocator(),
                options.fileRegions() && transport.tls().isEmpty());
        this.reader = new FrameReader(transport.allocator(), options.maxFrameBytes(), handshake.apply(this));
    }

    Channel channel() {
        return channel;
    }

    /** The peer; empty on a connection in plain text. After the TLS handshake. */
    Optional<ProcessIdentity> peerIdentity() {
        return Optional.ofNullable(channel.pipeline().get(SslHandler.class))
                .flatMap(tls -> Certificates.peer(tls.engine().getSession()));
    }

    /** Returns whether the connection is in plain text. */
    boolean isPlainText() {
        return channel.pipeline().get(SslHandler.class) == null;
    }

    /** The peer as the audit trail names it; its certificate only when the TLS handshake was successful. */
    AuditedPeer peer() {
        return AuditedPeer.of(peerIdentity(), channel.remoteAddress(), "");
    }

    /** The age from which on nothing new begins on this process's connections; empty: any. */
    Optional<Duration> connectionAge() {
        return connectionAge;
    }

    EventLoops loops() {
        return loops;
    }

    BulkOptions options() {
        return options;
    }

    BulkMetrics metrics() {
        return metrics;
    }

    OutboundScheduler outbound() {
        return outbound;
    }

    FrameReader reader() {
        return reader;
    }

    /** The cause of its end; null while it is open. */
    @Nullable
    CloudMwException cause() {
        return cause;
    }

    /** Announces a request that is expected within moments. Any thread. */
    void expect() {
        loops.expect(channel.eventLoop());
    }

    /**
     * Marks the connection's packets as small requests that a caller waits for. An option that the system does not
     * support is ignored.
     */
    void mark() {
        try {
            channel.config().setOption(ChannelOption.IP_TOS, IPTOS_LOWDELAY);
        } catch (ChannelException e) {
            log.debug("peer={} packets are not marked", channel.remoteAddress(), e);
        }
        // The loop writes once, then other connections have their turn.
        channel.config().setWriteSpinCount(1);
    }

    /** Moves the connection to another event loop, on which {@code then} runs. */
    void moveTo(EventLoopGroup group, Runnable then) {
        channel.deregister().addListener(left -> {
            if (!left.isSuccess() || group.isShuttingDown()) {
                lost(left);
            } else if (cause == null) {
                register(group, then);
            }
        });
    }

    private void register(EventLoopGroup group, Runnable then) {
        group.register(channel).addListener(there -> {
            if (!there.isSuccess()) {
                lost(there);
            } else if (cause == null) {
                guarded(then);
            }
        });
    }

    private void guarded(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException | Error e) {
            channel.pipeline().fireExceptionCaught(e);
        }
    }

    /** Closes a connection that was lost between two event loops. */
    private void lost(Future<?> move) {
        close(
                new CloudMwException(ErrorCode.HELPER_UNAVAILABLE, "connection: no event loop takes it", move.cause()),
                false);
    }

    /** A count that grows with every frame or byte from the peer. */
    long activity() {
        return bytesRead + outbound.framesSent();
    }

    /**
     * Runs a task on the event loop, never inside this call, so that callbacks are not re-entered. Any thread.
     *
     * @return false when the event loop, and with it the connection, has ended
     */
    boolean later(Runnable task) {
        try {
            channel.eventLoop().execute(task);
            return true;
        } catch (RejectedExecutionException e) {
            return false;
        }
    }

    /** Counts the violation, tells the peer and closes the connection. */
    void violated(ViolationException violation) {
        if (cause != null) {
            return;
        }
        metrics.violation(violation.kind().tag());
        log.debug("closing peer={} violation={}", channel.remoteAddress(), violation.text());
        ErrorCode code = switch (violation.kind()) {
            case VERSION -> ErrorCode.VERSION_UNSUPPORTED;
            case TOO_MANY_CONNECTIONS, TOO_MANY_HANDSHAKES -> ErrorCode.OVERLOADED;
            case WRONG_IDENTITY -> ErrorCode.TLS_FAILED;
            case HANDSHAKE_TIMEOUT, SILENT, TRUNCATED, NOT_READING -> ErrorCode.HELPER_UNAVAILABLE;
            default -> ErrorCode.PROTOCOL_VIOLATION;
        };
        close(new CloudMwException(code, violation.text()), true);
    }

    /** Fails everything on the connection and closes it; the first cause counts. */
    void close(CloudMwException reason, boolean tell) {
        if (cause != null) {
            return;
        }
        cause = reason;
        reader.close();
        reader.sink().closed(reason);
        outbound.close(reason);
        if (tell && channel.isActive()) {
            outbound.farewell(BulkWire.reset(reason.code(), String.valueOf(reason.getMessage())))
                    .addListener(ChannelFutureListener.CLOSE);
            var abandon = channel.eventLoop().schedule(() -> channel.close(), FAREWELL_MILLIS, TimeUnit.MILLISECONDS);
            channel.closeFuture().addListener(closed -> abandon.cancel(false));
        } else {
            channel.close();
        }
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        if (channel.pipeline().get(SslHandler.class) == null) {
            channel.config().setRecvByteBufAllocator(new ReceiveBuffers(reader));
        }
        if (channel.isActive()) {
            started();
        }
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        started();
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ByteBuf bytes = (ByteBuf) message;
        bytesRead += bytes.readableBytes();
        outbound.hold();
        try {
            reader.read(bytes);
        } catch (ViolationException e) {
            violated(e);
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        outbound.resume();
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        if (reader.insideFrame()) {
            metrics.violation(BulkViolation.TRUNCATED.tag());
        }
        close(new CloudMwException(ErrorCode.HELPER_UNAVAILABLE, PEER_CLOSED), false);
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
        close(new CloudMwException(ErrorCode.HELPER_UNAVAILABLE, "the connection has ended"), false);
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event instanceof SslHandshakeCompletionEvent handshake && !handshake.isSuccess()) {
            refused(handshake.cause());
        }
        ctx.fireUserEventTriggered(event);
    }

    /** Closes a connection whose TLS handshake failed, or whose records are no TLS. */
    private void refused(Throwable failure) {
        close(
                TlsFailures.isOne(failure)
                        ? TlsFailures.of("connection", failure)
                        : new CloudMwException(ErrorCode.HELPER_UNAVAILABLE, PEER_CLOSED),
                false);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable failure) {
        if (TlsFailures.isOne(failure)) {
            refused(failure);
            return;
        }
        if (failure instanceof IOException) {
            close(new CloudMwException(ErrorCode.HELPER_UNAVAILABLE, "connection: " + failure.getMessage()), false);
            return;
        }
        if (cause == null) {
            log.warn("closing peer={}", channel.remoteAddress(), failure);
        }
        close(CloudMwException.ofDefect("connection", failure), true);
    }

    private void started() {
        if (reader.sink() instanceof BulkHandshake handshake) {
            handshake.start();
        }
    }
}
