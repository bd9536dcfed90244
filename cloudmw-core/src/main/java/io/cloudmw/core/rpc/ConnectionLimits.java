package io.cloudmw.core.rpc;

import io.cloudmw.core.audit.AuditedPeer;
import io.cloudmw.core.audit.RefusalTrail;
import io.cloudmw.core.schedule.ConnectionSlots;
import io.cloudmw.core.tls.TlsFailures;
import io.grpc.Attributes;
import io.grpc.Grpc;
import io.grpc.ServerTransportFilter;
import io.grpc.netty.GrpcHttp2ConnectionHandler;
import io.grpc.netty.InternalProtocolNegotiator.ProtocolNegotiator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.AsciiString;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.channels.ClosedChannelException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The limits on a gRPC server's connections: in total; on those whose handshake has not ended; and on those whose peer
 * showed no certificate in it. The last two are limits in total and by remote address. A connection beyond a limit is
 * closed before a call is read from it. One without a certificate is closed after some time, too: it is there for an
 * enrolment, which is one call. In plain text nobody has a certificate, and all may stay. Safe for any thread.
 */
@SuppressWarnings("FutureReturnValueIgnored") // Netty's: the listener of the close does not fail
final class ConnectionLimits extends ServerTransportFilter implements ProtocolNegotiator {
    private final ProtocolNegotiator negotiator;
    private final ConnectionSlots all;
    private final ConnectionSlots handshakes;
    private final ConnectionSlots strangers;
    private final int strangerSeconds;
    private final Map<SocketAddress, Channel> unfinished = new ConcurrentHashMap<>();

    private final RefusalTrail refusals;

    /**
     * @param negotiator shakes hands on connections within the limits
     * @param refusals has the TLS handshakes that fail
     */
    ConnectionLimits(ProtocolNegotiator negotiator, RpcServers.Limits limits, RefusalTrail refusals) {
        this.refusals = refusals;
        this.negotiator = negotiator;
        this.all = new ConnectionSlots(limits.connections(), limits.connections());
        this.handshakes = new ConnectionSlots(limits.handshakes(), limits.handshakesOfOneAddress());
        this.strangers = new ConnectionSlots(limits.strangers(), limits.strangersOfOneAddress());
        this.strangerSeconds = limits.strangerSeconds();
    }

    @Override
    public AsciiString scheme() {
        return negotiator.scheme();
    }

    @Override
    public void close() {
        negotiator.close();
    }

    @Override
    public ChannelHandler newHandler(GrpcHttp2ConnectionHandler handler) {
        return new Gate(negotiator.newHandler(handler));
    }

    /**
     * Ends the count of a handshake, and keeps the identity of the peer for the calls: gRPC calls this when it was
     * successful, on the connection's event loop.
     */
    @Override
    public Attributes transportReady(Attributes attributes) {
        @Nullable SocketAddress peer = attributes.get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR);
        @Nullable Channel channel = peer == null ? null : finished(peer);
        Attributes identified = CallerIdentity.identified(attributes);
        if (channel != null
                && CallerIdentity.isEncrypted(identified)
                && CallerIdentity.of(identified).isEmpty()
                && peer instanceof InetSocketAddress place) {
            limitStranger(channel, place.getAddress());
        }
        return identified;
    }

    /** Limits a connection whose peer has no certificate. */
    private void limitStranger(Channel channel, InetAddress address) {
        if (!strangers.tryTake(address)) {
            channel.eventLoop().execute(() -> closeAtOnce(channel)); // not while gRPC makes it ready
            return;
        }
        var ending = channel.eventLoop().schedule(() -> closeAtOnce(channel), strangerSeconds, TimeUnit.SECONDS);
        channel.closeFuture().addListener(closed -> {
            strangers.giveBack(address);
            ending.cancel(false);
        });
    }

    /** Closes a connection without its handlers: that of HTTP/2 would wait half a minute for the peer. */
    private static void closeAtOnce(Channel channel) {
        ChannelHandlerContext first = channel.pipeline().firstContext();
        if (first != null) {
            var unused = first.close();
        }
    }

    /** Gives back the slot of a handshake, and returns its connection; null: it ended before. */
    private @Nullable Channel finished(SocketAddress peer) {
        @Nullable Channel channel = unfinished.remove(peer);
        if (channel != null && peer instanceof InetSocketAddress place) {
            handshakes.giveBack(place.getAddress());
        }
        return channel;
    }

    /** Takes the slots of a new connection; returns false beyond a limit. */
    private boolean admit(Channel channel) {
        if (!(channel.remoteAddress() instanceof InetSocketAddress peer)) {
            return false; // closed already
        }
        InetAddress address = peer.getAddress();
        if (!all.tryTake(address)) {
            return false;
        }
        channel.closeFuture().addListener(closed -> all.giveBack(address));
        if (!handshakes.tryTake(address)) {
            return false;
        }
        unfinished.put(peer, channel);
        channel.closeFuture().addListener(closed -> finished(peer));
        return true;
    }

    /** The handler behind the handshake, which hears why it fails. A connection that only ends has no reason. */
    private final class FailureWatch extends ChannelInboundHandlerAdapter {
        private boolean failed;

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable failure) {
            if (!failed && TlsFailures.isOne(failure) && !(failure instanceof ClosedChannelException)) {
                failed = true;
                refusals.handshakeFailed(
                        AuditedPeer.of(Optional.empty(), ctx.channel().remoteAddress(), ""),
                        TlsFailures.of("connection", failure));
            }
            ctx.fireExceptionCaught(failure);
        }
    }

    /** The first handler of a connection, which gives way to the handshake. */
    private final class Gate extends ChannelInboundHandlerAdapter {
        private final ChannelHandler next;

        Gate(ChannelHandler next) {
            this.next = next;
        }

        @Override
        public void handlerAdded(ChannelHandlerContext ctx) {
            if (admit(ctx.channel())) {
                ctx.pipeline().addAfter(ctx.name(), null, new FailureWatch());
                ctx.pipeline().replace(this, null, next);
            } else {
                ctx.channel().close();
            }
        }
    }
}
