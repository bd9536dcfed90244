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
 * A proxy between S3 clients and an S3 endpoint, with one port per emulated store. Slows responses to reads to the
 * store's speed; other traffic passes unchanged. HTTP/1.1 without TLS only. The {@code Host} header stays the one that
 * the client signed.
 *
 * <p>Memory is bounded: the proxy holds at most {@value #PIECE_BYTES} bytes of each response. It reads more from the
 * endpoint only when these are sent, so a client that does not read applies back-pressure. When a client hangs up, the
 * proxy closes the connection to the endpoint and fetches no more.
 */
public final class ShapingProxy implements AutoCloseable {
    /** The most bytes of one response that the proxy holds. */
    static final int PIECE_BYTES = 64 << 10;

    private static final int MAX_CONNECTIONS = 1024;
    private static final int MAX_HEADER_BYTES = 64 << 10;
    private static final long CLOSE_SECONDS = 5;

    private final InetSocketAddress upstream;
    private final EventLoopGroup group;
    private final ChannelGroup open = new DefaultChannelGroup("lab-proxy", GlobalEventExecutor.INSTANCE, true);

    /**
     * Creates a proxy without ports.
     *
     * @param endpoint {@code http://host:port}
     * @throws IllegalArgumentException when that is not an HTTP endpoint
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

    /** Opens a port for another store. */
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

    /** Returns an allocator that makes each {@code read()} read one piece. */
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
