package io.cloudmw.testkit;

import io.cloudmw.core.config.HostPort;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import java.net.InetSocketAddress;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A TCP relay before a server, whose address stays the same while the server stops and starts. Cutting the relay resets
 * its connections, as the end of a killed process does. Bytes are kept nowhere but in the sockets and in the output
 * buffer of a connection, which holds back the other one when it is full. Safe for any thread.
 */
final class Relay {
    private static final int NONE = 0;

    private final RelayLoop relays;
    private final Set<Channel> connections = ConcurrentHashMap.newKeySet();
    private volatile HostPort address = new HostPort("127.0.0.1", 0);
    private volatile int target = NONE;

    Relay(RelayLoop relays) {
        this.relays = relays;
    }

    void listening(Channel channel) {
        address = new HostPort("127.0.0.1", ((InetSocketAddress) channel.localAddress()).getPort());
    }

    /** The address on which it listens. */
    HostPort address() {
        return address;
    }

    /** Relays new connections to a port on loopback. */
    void to(int port) {
        target = port;
    }

    /** Resets all connections, and refuses new ones until there is a target again. */
    void cut() {
        target = NONE;
        connections.forEach(Relay::reset);
    }

    private static void reset(Channel channel) {
        try {
            channel.config().setOption(ChannelOption.SO_LINGER, 0);
        } catch (ChannelException e) {
            // It is closed already.
        }
        var unused = channel.close();
    }

    /** Takes an accepted connection; called on the event loop. */
    void accepted(Channel accepted) {
        int port = target;
        track(accepted);
        if (port == NONE) {
            reset(accepted);
            return;
        }
        var unused = relays.connect(port, server -> {
                    track(server);
                    server.pipeline().addLast(new Pipe(accepted));
                })
                .addListener((ChannelFutureListener) connected -> {
                    if (!connected.isSuccess() || target == NONE) {
                        reset(accepted);
                        reset(connected.channel());
                        return;
                    }
                    accepted.pipeline().addLast(new Pipe(connected.channel()));
                    accepted.config().setAutoRead(true);
                    connected.channel().config().setAutoRead(true);
                });
    }

    private void track(Channel channel) {
        connections.add(channel);
        channel.closeFuture().addListener(closed -> connections.remove(channel));
    }

    /** The direction from one connection to the other. */
    private static final class Pipe extends ChannelInboundHandlerAdapter {
        private final Channel other;

        Pipe(Channel other) {
            this.other = other;
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            var unused = other.write(message);
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext context) {
            other.flush();
            if (!other.isWritable()) {
                context.channel().config().setAutoRead(false);
            }
        }

        @Override
        public void channelWritabilityChanged(ChannelHandlerContext context) {
            // This connection takes bytes again, or is full: the other one reads, or waits.
            other.config().setAutoRead(context.channel().isWritable());
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            var unused = other.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            reset(context.channel());
            reset(other);
        }
    }
}
