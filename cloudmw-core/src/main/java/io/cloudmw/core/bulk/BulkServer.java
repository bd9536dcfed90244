package io.cloudmw.core.bulk;

import io.cloudmw.core.bulk.frame.BulkViolation;
import io.cloudmw.core.bulk.frame.ViolationException;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.Reasons;
import io.cloudmw.core.tls.TlsCredentials;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/** The accepting side of the bulk plane, on one address. Safe for any thread. */
@SuppressWarnings("FutureReturnValueIgnored") // Netty's: a failed write or close reaches the channel
public final class BulkServer implements AutoCloseable {

    private final Channel channel;
    private final OpenChannels accepted;

    private BulkServer(Channel channel, OpenChannels accepted) {
        this.channel = channel;
        this.accepted = accepted;
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
        OpenChannels accepted = new OpenChannels();
        ChannelFuture bound = BulkSockets.listening(
                        transport, child -> accept(transport, accepted, child, process, handler))
                .bind(address)
                .awaitUninterruptibly();
        if (!bound.isSuccess()) {
            throw new CloudMwException(
                    ErrorCode.LOCAL_IO,
                    "cannot listen on " + address + ": " + Reasons.of(bound.cause()),
                    bound.cause());
        }
        return new BulkServer(bound.channel(), accepted);
    }

    /** The port on which it listens. */
    public int port() {
        return ((InetSocketAddress) channel.localAddress()).getPort();
    }

    /** Stops accepting and closes every connection accepted. Returns at once. Idempotent. */
    @Override
    public void close() {
        channel.close();
        accepted.closeAll();
    }

    private static void accept(
            BulkTransport transport, OpenChannels accepted, Channel child, String process, BulkHandler handler) {
        int limit = transport.options().maxConnections();
        @Nullable
        ViolationException refusal = accepted.size() < limit
                ? null
                : new ViolationException(BulkViolation.TOO_MANY_CONNECTIONS, "more than " + limit + " connections");
        FrameChannel frames = new FrameChannel(
                child,
                transport,
                transport.options(),
                owner -> BulkHandshake.accepting(owner, process, handler, refusal));
        accepted.add(frames);
        BulkSockets.attach(child, frames, transport, transport.tls().map(TlsCredentials::atBulk));
    }
}
