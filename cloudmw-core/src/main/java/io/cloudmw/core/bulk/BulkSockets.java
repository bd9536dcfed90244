package io.cloudmw.core.bulk;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The factory of the bulk plane's sockets: the only place that decides how one connects, listens, and passes its bytes
 * to frames. Stateless; safe for any thread.
 */
final class BulkSockets {
    private static final int BACKLOG = 1024;

    private BulkSockets() {}

    /**
     * A bootstrap for one outgoing connection.
     *
     * @param opened called on the event loop with the new channel
     */
    static Bootstrap connecting(
            BulkTransport transport, EventLoopGroup group, Duration timeout, Consumer<Channel> opened) {
        return new Bootstrap()
                .group(group)
                .channel(transport.socketType())
                .option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.ALLOCATOR, transport.allocator())
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int) timeout.toMillis())
                .handler(initializer(opened));
    }

    /**
     * A bootstrap for a listening socket.
     *
     * @param accepted called on the event loop with each accepted channel
     */
    static ServerBootstrap listening(BulkTransport transport, Consumer<Channel> accepted) {
        return new ServerBootstrap()
                .group(transport.group())
                .channel(transport.serverType())
                .option(ChannelOption.SO_BACKLOG, BACKLOG)
                .option(ChannelOption.SO_REUSEADDR, true)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(ChannelOption.ALLOCATOR, transport.allocator())
                .childHandler(initializer(accepted));
    }

    private static ChannelInitializer<SocketChannel> initializer(Consumer<Channel> opened) {
        return new ChannelInitializer<>() {
            @Override
            protected void initChannel(SocketChannel channel) {
                opened.accept(channel);
            }
        };
    }

    private static SslHandler encrypting(SslContext context, Channel channel, BulkOptions options) {
        SslHandler handler = context.newHandler(channel.alloc());
        handler.setHandshakeTimeoutMillis(options.handshakeTimeout().toMillis());
        handler.setCloseNotifyFlushTimeoutMillis(FrameChannel.FAREWELL_MILLIS);
        return handler;
    }

    /**
     * Counts the channel and lets the frames read and write its bytes.
     *
     * @param tls encrypts them; empty: plain text
     */
    static void attach(Channel channel, FrameChannel frames, BulkTransport transport, Optional<SslContext> tls) {
        transport.metrics().opened();
        channel.closeFuture().addListener(gone -> transport.metrics().closed());
        transport.open().add(frames);
        tls.ifPresent(context -> channel.pipeline().addLast(encrypting(context, channel, frames.options())));
        channel.pipeline().addLast(frames);
    }
}
