package io.cloudmw.lab.s3;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.concurrent.TimeUnit;

/**
 * Stands between clients of the S3 protocol and an endpoint of it, on a port for every emulated store, and lets
 * responses to reads through as slowly as the store's conditions say; everything else passes as it comes. HTTP/1.1 only,
 * without TLS; the {@code Host} header stays what the client signed.
 *
 * <p>Memory is bounded: of each response at most {@value #PIECE_BYTES} bytes are held, the endpoint is read from only
 * when they have gone on, and a client that does not read stops its response. A client that hangs up takes its
 * connection to the endpoint with it, so what it gave up is not fetched.
 */
public final class ShapingProxy implements AutoCloseable {
    /** Bytes of one response held here. */
    static final int PIECE_BYTES = 64 << 10;

    private static final int MAX_CONNECTIONS = 1024;
    private static final int MAX_HEADER_BYTES = 64 << 10;
    private static final long CLOSE_SECONDS = 5;

    private final InetSocketAddress upstream;
    private final EventLoopGroup group;
    private final ChannelGroup open = new DefaultChannelGroup("lab-proxy", GlobalEventExecutor.INSTANCE, true);

    /**
     * @param endpoint {@code http://host:port}
     * @throws IllegalArgumentException when it is none
     */
    public ShapingProxy(String endpoint) {
        URI uri = URI.create(endpoint);
        if (!"http".equals(uri.getScheme()) || uri.getHost() == null) {
            throw new IllegalArgumentException(
                    "endpoint: " + endpoint + " (expected: http://host:port; the proxy cannot look into TLS)");
        }
        upstream = new InetSocketAddress(uri.getHost(), uri.getPort() < 0 ? 80 : uri.getPort());
        IoHandlerFactory io = Epoll.isAvailable() ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
        group = new MultiThreadIoEventLoopGroup(2, new DefaultThreadFactory("cloudmw-lab-proxy", true), io);
    }

    /** Opens a port for one more store. */
    public ShapedStore listen() throws IOException {
        ShapedStore store = new ShapedStore();
        ServerBootstrap bootstrap = new ServerBootstrap()
                .group(group)
                .channel(serverType())
                .option(ChannelOption.SO_BACKLOG, MAX_CONNECTIONS)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(ChannelOption.AUTO_READ, false)
                .childHandler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel channel) {
                        accepted(channel, store);
                    }
                });
        var bound = bootstrap
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .awaitUninterruptibly();
        if (!bound.isSuccess()) {
            throw new IOException("cannot listen: " + bound.cause(), bound.cause());
        }
        open.add(bound.channel());
        store.listening(bound.channel());
        return store;
    }

    private void accepted(SocketChannel channel, ShapedStore store) {
        if (open.size() >= MAX_CONNECTIONS) {
            var unused = channel.close();
            return;
        }
        open.add(channel);
        channel.pipeline().addLast(new HttpServerCodec(decoder()), new ProxiedConnection(this, store));
    }

    static HttpDecoderConfig decoder() {
        return new HttpDecoderConfig().setMaxChunkSize(PIECE_BYTES).setMaxHeaderSize(MAX_HEADER_BYTES);
    }

    /** One piece for each {@code read()}. */
    static RecvByteBufAllocator pieces() {
        return new FixedRecvByteBufAllocator(PIECE_BYTES).maxMessagesPerRead(1);
    }

    InetSocketAddress upstream() {
        return upstream;
    }

    private static Class<? extends ServerChannel> serverType() {
        return Epoll.isAvailable() ? EpollServerSocketChannel.class : NioServerSocketChannel.class;
    }

    static Class<? extends Channel> socketType() {
        return Epoll.isAvailable() ? EpollSocketChannel.class : NioSocketChannel.class;
    }

    /** Closes every port and connection. Idempotent. */
    @Override
    public void close() {
        open.close().awaitUninterruptibly(CLOSE_SECONDS, TimeUnit.SECONDS);
        group.shutdownGracefully(0, CLOSE_SECONDS, TimeUnit.SECONDS)
                .awaitUninterruptibly(CLOSE_SECONDS, TimeUnit.SECONDS);
    }
}
