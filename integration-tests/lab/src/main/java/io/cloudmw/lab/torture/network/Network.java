package io.cloudmw.lab.torture.network;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * A network simulator that forwards connections between named parties and can cut them. The caller's process identifies
 * the party ({@link SocketOwners}). Safe for any thread.
 *
 * <p>Memory is bounded: each direction of a connection holds at most one read buffer and one write buffer. A side that
 * does not take bytes stops the reads from the other.
 */
public final class Network implements AutoCloseable {
    private static final int MAX_CONNECTIONS = 4096;
    private static final long CLOSE_SECONDS = 5;

    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(
            1, new DefaultThreadFactory("torture-network", true), NioIoHandler.newFactory());
    private final ExecutorService lookups =
            Executors.newSingleThreadExecutor(new DefaultThreadFactory("torture-sockets", true));
    private final ChannelGroup open = new DefaultChannelGroup("torture", GlobalEventExecutor.INSTANCE, true);
    private final Set<ForwardedConnection> connections = ConcurrentHashMap.newKeySet();
    private final Map<Pair, CutKind> cuts = new ConcurrentHashMap<>();
    private final Supplier<Map<Long, String>> processes;

    /**
     * Creates a network.
     *
     * @param processes the current parties by process id
     */
    public Network(Supplier<Map<Long, String>> processes) {
        this.processes = processes;
    }

    /**
     * Forwards connections to an address.
     *
     * @param front the address to listen on; port 0 takes any free one
     * @param target the address to forward to
     * @param name of the party at the target
     * @return the address that this listens on
     * @throws IOException when this cannot listen there
     */
    public InetSocketAddress forward(InetSocketAddress front, InetSocketAddress target, String name)
            throws IOException {
        var bound = new ServerBootstrap()
                .group(group)
                .channel(NioServerSocketChannel.class)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(ChannelOption.AUTO_READ, false)
                .childHandler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel channel) {
                        accepted(channel, target, name);
                    }
                })
                .bind(front)
                .awaitUninterruptibly();
        if (!bound.isSuccess()) {
            throw new IOException("cannot listen on " + front + ": " + bound.cause(), bound.cause());
        }
        open.add(bound.channel());
        return (InetSocketAddress) bound.channel().localAddress();
    }

    private void accepted(SocketChannel channel, InetSocketAddress target, String name) {
        if (open.size() >= MAX_CONNECTIONS) {
            var unused = channel.close();
            return;
        }
        open.add(channel);
        lookups.execute(() -> {
            String caller = SocketOwners.of(channel.remoteAddress(), channel.localAddress(), processes.get());
            ForwardedConnection connection = new ForwardedConnection(this, channel, new Pair(caller, name), target);
            connections.add(connection);
            var unused = channel.closeFuture().addListener(closed -> connections.remove(connection));
            channel.eventLoop().execute(connection::cutChanged);
        });
    }

    /** Returns whether this system can tell the owner of a connection and has more than one loopback address. */
    public static boolean isAvailable() {
        return SocketOwners.isTold();
    }

    void opened(Channel channel) {
        open.add(channel);
    }

    CutKind cut(Pair pair) {
        return cuts.getOrDefault(pair, CutKind.NONE);
    }

    /** Sets the cut between two parties, for current and new connections. */
    public void cut(Pair pair, CutKind cut) {
        cuts.put(pair, cut);
        for (ForwardedConnection connection : connections) {
            if (connection.pair().equals(pair)) {
                connection.eventLoop().execute(connection::cutChanged);
            }
        }
    }

    /** Closes every port and connection. Idempotent. */
    @Override
    public void close() {
        lookups.shutdownNow();
        open.close().awaitUninterruptibly(CLOSE_SECONDS, TimeUnit.SECONDS);
        group.shutdownGracefully(0, CLOSE_SECONDS, TimeUnit.SECONDS)
                .awaitUninterruptibly(CLOSE_SECONDS, TimeUnit.SECONDS);
    }
}
