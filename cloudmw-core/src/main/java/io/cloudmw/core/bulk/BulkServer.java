package io.cloudmw.core.bulk;

import io.cloudmw.core.bulk.frame.BulkViolation;
import io.cloudmw.core.bulk.frame.ViolationException;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.Reasons;
import io.cloudmw.core.schedule.ConnectionSlots;
import io.cloudmw.core.tls.TlsCredentials;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** The accepting side of the bulk plane, on one address. Safe for any thread. */
@SuppressWarnings("FutureReturnValueIgnored") // Netty's: a failed write or close reaches the channel
public final class BulkServer implements AutoCloseable {

    private final Channel channel;
    private final Accepted accepted;

    private BulkServer(Channel channel, Accepted accepted) {
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
        Accepted accepted = Accepted.within(transport.options().maxConnections());
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
        accepted.open().closeAll();
    }

    /** The connections of a server, and the slots of those that have not greeted. */
    private record Accepted(OpenChannels open, ConnectionSlots handshakes) {
        /** The limits: half of all connections, and a quarter from one address, once there are more than these. */
        private static final int FEW = 64;

        static Accepted within(int connections) {
            int few = Math.min(FEW, connections);
            return new Accepted(
                    new OpenChannels(),
                    new ConnectionSlots(Math.max(connections / 2, few), Math.max(connections / 4, few)));
        }

        /** Takes a slot until the result is run or the connection has ended; empty: no slot is left. */
        Optional<Runnable> beginHandshake(Channel child) {
            if (!(child.remoteAddress() instanceof InetSocketAddress peer)) {
                return Optional.of(() -> {}); // closed already
            }
            if (!handshakes.tryTake(peer.getAddress())) {
                return Optional.empty();
            }
            AtomicBoolean over = new AtomicBoolean();
            Runnable end = () -> {
                if (!over.getAndSet(true)) {
                    handshakes.giveBack(peer.getAddress());
                }
            };
            child.closeFuture().addListener(closed -> end.run());
            return Optional.of(end);
        }
    }

    private static void accept(
            BulkTransport transport, Accepted accepted, Channel child, String process, BulkHandler handler) {
        int limit = transport.options().maxConnections();
        Optional<Runnable> slot = accepted.beginHandshake(child);
        @Nullable ViolationException refusal = null;
        if (accepted.open().size() >= limit) {
            refusal = new ViolationException(BulkViolation.TOO_MANY_CONNECTIONS, "more than " + limit + " connections");
        } else if (slot.isEmpty()) {
            refusal = new ViolationException(
                    BulkViolation.TOO_MANY_HANDSHAKES, "too many connections that have not greeted");
        }
        @Nullable ViolationException why = refusal;
        FrameChannel frames = new FrameChannel(
                child,
                transport,
                transport.options(),
                owner -> BulkHandshake.accepting(owner, process, handler, why, slot.orElse(() -> {})));
        accepted.open().add(frames);
        BulkSockets.attach(child, frames, transport, transport.tls().map(TlsCredentials::atBulk));
    }
}
