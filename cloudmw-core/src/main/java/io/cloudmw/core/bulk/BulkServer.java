package io.cloudmw.core.bulk;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.Reasons;
import io.cloudmw.core.tls.TlsCredentials;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import java.net.InetSocketAddress;
import java.util.function.Supplier;

/** The accepting side of the bulk plane, on one address. Safe for any thread. */
@SuppressWarnings("FutureReturnValueIgnored") // Netty's: a failed write or close reaches the channel
public final class BulkServer implements AutoCloseable {
    private final Channel channel;
    private final OpenChannels open;

    private BulkServer(Channel channel, OpenChannels open) {
        this.channel = channel;
        this.open = open;
    }

    /**
     * Binds and starts to accept. Not for event loops.
     *
     * @param address port 0 takes a free one
     * @param process the name of this process, for peers' logs
     * @param handler called with accepted connections and with the streams their peers open
     * @throws CloudMwException {@code LOCAL_IO} when the address cannot be bound
     */
    public static BulkServer bind(
            BulkTransport transport, InetSocketAddress address, String process, BulkHandler handler)
            throws CloudMwException {
        return bind(transport, address, () -> process, handler);
    }

    /** Binds as {@link #bind(BulkTransport, InetSocketAddress, String, BulkHandler)}, for a client that serves others. */
    public static BulkServer bindClient(BulkTransport transport, InetSocketAddress address, BulkHandler handler)
            throws CloudMwException {
        return bind(transport, address, transport::clientName, handler);
    }

    private static BulkServer bind(
            BulkTransport transport, InetSocketAddress address, Supplier<String> process, BulkHandler handler)
            throws CloudMwException {
        OpenChannels open = new OpenChannels();
        BulkConnectionLimits limits =
                new BulkConnectionLimits(transport.options().maxConnections(), open);
        ChannelFuture bound = BulkSockets.listening(
                        transport,
                        child -> limits.decide(child)
                                .ifPresentOrElse(
                                        decision ->
                                                open.add(accept(child, decision, transport, process.get(), handler)),
                                        child::close))
                .bind(address)
                .awaitUninterruptibly();
        if (!bound.isSuccess()) {
            throw new CloudMwException(
                    ErrorCode.LOCAL_IO,
                    "cannot listen on " + address + ": " + Reasons.of(bound.cause()),
                    bound.cause());
        }
        return new BulkServer(bound.channel(), open);
    }

    /** The port on which it listens. */
    public int port() {
        return ((InetSocketAddress) channel.localAddress()).getPort();
    }

    /** Stops accepting and closes every connection accepted. Returns at once. Idempotent. */
    @Override
    public void close() {
        channel.close();
        open.closeAll();
    }

    private static FrameChannel accept(
            Channel child,
            BulkConnectionLimits.Decision decision,
            BulkTransport transport,
            String process,
            BulkHandler handler) {
        FrameChannel frames = new FrameChannel(
                child,
                transport,
                transport.options(),
                owner -> BulkHandshake.accepting(owner, process, handler, decision.refusal(), decision.greeted()));
        BulkSockets.attach(child, frames, transport, transport.tls().map(TlsCredentials::atBulk));
        return frames;
    }
}
