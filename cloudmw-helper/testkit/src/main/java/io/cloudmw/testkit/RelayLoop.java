package io.cloudmw.testkit;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.Reasons;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** The event loop of a cluster's relays, on loopback. Safe for any thread but the event loop itself. */
final class RelayLoop implements AutoCloseable {
    private static final long CLOSE_SECONDS = 5;

    private final EventLoopGroup loop = new MultiThreadIoEventLoopGroup(
            1, new DefaultThreadFactory("cloudmw-testkit-relay", true), NioIoHandler.newFactory());

    /**
     * Opens a relay on a free port. It refuses connections until it has a target.
     *
     * @throws CloudMwException {@code LOCAL_IO} when no port can be bound
     */
    Relay open() throws CloudMwException {
        Relay relay = new Relay(this);
        ChannelFuture bound = new ServerBootstrap()
                .group(loop)
                .channel(NioServerSocketChannel.class)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(ChannelOption.AUTO_READ, false)
                .childHandler(initialized(relay::accepted))
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .awaitUninterruptibly();
        if (!bound.isSuccess()) {
            throw new CloudMwException(
                    ErrorCode.LOCAL_IO,
                    "testkit: cannot listen on loopback: " + Reasons.of(bound.cause()),
                    bound.cause());
        }
        relay.listening(bound.channel());
        return relay;
    }

    /** Connects to a server on loopback, on the same event loop; the connection does not read yet. */
    ChannelFuture connect(int port, Consumer<Channel> made) {
        return new Bootstrap()
                .group(loop)
                .channel(NioSocketChannel.class)
                .option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.AUTO_READ, false)
                .handler(initialized(made))
                .connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    }

    private static ChannelHandler initialized(Consumer<Channel> made) {
        return new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel channel) {
                made.accept(channel);
            }
        };
    }

    /** Closes every relay and connection, and waits for the thread. Idempotent. */
    @Override
    public void close() {
        loop.shutdownGracefully(0, CLOSE_SECONDS, TimeUnit.SECONDS)
                .awaitUninterruptibly(CLOSE_SECONDS, TimeUnit.SECONDS);
    }
}
