package io.cloudmw.core.store.http;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.error.Reasons;
import io.cloudmw.core.memory.BufferPools;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.time.Ticker;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.net.URI;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * The HTTP connections of a process to its stores: at most {@value #MAX_OPEN} to each server, which are kept for later
 * GETs. GETs beyond wait for one, {@value #MAX_WAITING} at most and for a limited time. Connections are encrypted where
 * URLs say so; the JDK's trust store decides whom to believe. Redirects are not followed. Safe for any thread.
 */
public final class HttpConnections implements AutoCloseable {
    static final int MAX_OPEN = 32;
    static final int MAX_WAITING = 1024;

    private static final int EVENT_LOOPS = 2;
    private static final int LEAST_RECEIVED = 16 << 10;
    private static final int USUALLY_RECEIVED = 64 << 10;
    private static final int MOST_RECEIVED = 256 << 10;
    private static final int MAX_HEAD_BYTES = 32 << 10;
    private static final long CLOSE_SECONDS = 5;

    /** The connections to one server. */
    private static final class Server {
        int open;
        final Deque<HttpConnection> idle = new ArrayDeque<>();
        final Deque<Waiting> waiting = new ArrayDeque<>();

        /** The GET whose turn it is; null: none waits. */
        @Nullable
        RangeGet next() {
            Waiting first = waiting.poll();
            if (first == null) {
                return null;
            }
            first.limit().cancel(false);
            return first.get();
        }
    }

    /**
     * A GET that waits for a connection.
     *
     * @param limit ends the wait
     */
    private record Waiting(RangeGet get, Future<?> limit) {}

    private final HttpTimeouts timeouts;
    private final Ticker ticker;
    private final boolean epoll = Epoll.isAvailable();
    private final PooledByteBufAllocator allocator = BufferPools.shared().take(EVENT_LOOPS);
    private final EventLoopGroup loops;

    @GuardedBy("this")
    private final Map<HttpOrigin, Server> servers = new HashMap<>();

    @GuardedBy("this")
    private @Nullable SslContext tls;

    @GuardedBy("this")
    private boolean closed;

    /** @param name prefix of the threads' names */
    public HttpConnections(String name, HttpTimeouts timeouts, Ticker ticker) {
        this.timeouts = timeouts;
        this.ticker = ticker;
        this.loops = new MultiThreadIoEventLoopGroup(
                EVENT_LOOPS,
                new DefaultThreadFactory(name + "-http", true),
                epoll ? EpollIoHandler.newFactory() : NioIoHandler.newFactory());
    }

    HttpTimeouts timeouts() {
        return timeouts;
    }

    long nowNanos() {
        return ticker.nanos();
    }

    /** The allocator of received buffers. */
    public ByteBufAllocator allocator() {
        return allocator;
    }

    /** Begins a GET. Blocks while the server's name is looked up. */
    RangeGet get(URI url, ByteRange range, String what, RangeListener listener) {
        RangeGet get = new RangeGet(this, url, range, what, listener);
        start(get);
        return get;
    }

    /** Sends the GET over a kept or a new connection, or lets it wait for one. */
    void start(RangeGet get) {
        HttpConnection kept = null;
        boolean connects = false;
        boolean isClosed;
        boolean isTooMany = false;
        synchronized (this) {
            isClosed = closed;
            Server server = servers.computeIfAbsent(get.origin(), unused -> new Server());
            kept = isClosed ? null : openOf(server);
            if (!isClosed && kept == null) {
                connects = server.open < MAX_OPEN;
                isTooMany = !connects && server.waiting.size() >= MAX_WAITING;
                if (connects) {
                    server.open++;
                } else if (!isTooMany) {
                    server.waiting.add(new Waiting(get, limited(get)));
                }
            }
        }
        if (isClosed) {
            get.notSent("the client was closed", null);
        } else if (kept != null) {
            kept.send(get);
        } else if (connects) {
            connect(get);
        } else if (isTooMany) {
            get.overloaded();
        }
    }

    private Future<?> limited(RangeGet get) {
        return loops.schedule(
                () -> {
                    if (forget(get)) {
                        get.waitedTooLong();
                    }
                },
                timeouts.turn().toNanos(),
                TimeUnit.NANOSECONDS);
    }

    private static @Nullable HttpConnection openOf(Server server) {
        HttpConnection kept = server.idle.pollLast();
        while (kept != null && !kept.isOpen()) {
            kept = server.idle.pollLast();
        }
        return kept;
    }

    private void connect(RangeGet get) {
        HttpOrigin origin = get.origin();
        SslContext context;
        try {
            context = origin.tls() ? tls() : null;
        } catch (SSLException e) {
            notConnected(origin);
            get.notSent("TLS: " + Reasons.of(e), e);
            return;
        }
        if (get.address().isUnresolved()) {
            notConnected(origin);
            get.notSent("host " + origin.host() + " is not known", null);
            return;
        }
        ChannelFuture connecting = new Bootstrap()
                .group(loops)
                .channel(epoll ? EpollSocketChannel.class : NioSocketChannel.class)
                .option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.AUTO_READ, false)
                .option(ChannelOption.ALLOCATOR, allocator)
                .option(
                        ChannelOption.RECVBUF_ALLOCATOR,
                        new AdaptiveRecvByteBufAllocator(LEAST_RECEIVED, USUALLY_RECEIVED, MOST_RECEIVED))
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int)
                        timeouts.connect().toMillis())
                .handler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel channel) {
                        prepare(channel, origin, context);
                    }
                })
                .connect(get.address());
        connecting.addListener((ChannelFuture done) -> {
            if (done.isSuccess()) {
                done.channel().pipeline().get(HttpConnection.class).send(get);
            } else {
                notConnected(origin);
                get.notSent("no connection: " + done.cause().getMessage(), done.cause());
            }
        });
    }

    private void prepare(Channel channel, HttpOrigin origin, @Nullable SslContext context) {
        if (context != null) {
            channel.pipeline().addLast(context.newHandler(allocator, origin.address(), origin.port()));
        }
        HttpDecoderConfig config =
                new HttpDecoderConfig().setMaxHeaderSize(MAX_HEAD_BYTES).setMaxChunkSize(MOST_RECEIVED);
        channel.pipeline()
                .addLast(new HttpClientCodec(config, false, false), new HttpConnection(this, origin, channel));
    }

    private synchronized SslContext tls() throws SSLException {
        SslContext known = tls;
        if (known == null) {
            known = SslContextBuilder.forClient()
                    .endpointIdentificationAlgorithm("HTTPS")
                    .build();
            tls = known;
        }
        return known;
    }

    /** The connection has answered and may have another GET. */
    void free(HttpConnection connection) {
        RangeGet next;
        boolean isClosed;
        synchronized (this) {
            isClosed = closed;
            Server server = servers.computeIfAbsent(connection.origin(), unused -> new Server());
            next = server.next();
            if (next == null && !isClosed) {
                server.idle.addLast(connection);
            }
        }
        if (next != null) {
            connection.send(next);
        } else if (isClosed) {
            connection.close();
        }
    }

    /** The connection is closed. */
    void gone(HttpConnection connection) {
        synchronized (this) {
            Server server = servers.get(connection.origin());
            if (server != null) {
                server.idle.remove(connection);
            }
        }
        notConnected(connection.origin());
    }

    /** A connection to the server fewer: a GET that waits has its turn. */
    private void notConnected(HttpOrigin origin) {
        RangeGet next;
        synchronized (this) {
            Server server = servers.computeIfAbsent(origin, unused -> new Server());
            server.open--;
            next = server.next();
            if (next != null) {
                server.open++;
            } else if (server.open == 0) {
                servers.remove(origin);
            }
        }
        if (next != null) {
            connect(next);
        }
    }

    /** The connections to a server, those that are being made included; for tests. */
    synchronized int open(HttpOrigin origin) {
        Server server = servers.get(origin);
        return server == null ? 0 : server.open;
    }

    /**
     * Forgets a GET that waits for a connection.
     *
     * @return false: it does not wait
     */
    @CanIgnoreReturnValue
    synchronized boolean forget(RangeGet get) {
        Server server = servers.get(get.origin());
        return server != null
                && server.waiting.removeIf(waiting -> {
                    boolean found = waiting.get() == get;
                    if (found) {
                        waiting.limit().cancel(false);
                    }
                    return found;
                });
    }

    /** Closes all connections; GETs under way fail. Waits for the threads; not for event loops. Idempotent. */
    @Override
    public void close() {
        List<Waiting> waiting;
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            waiting = servers.values().stream()
                    .flatMap(server -> server.waiting.stream())
                    .toList();
            servers.values().forEach(server -> server.waiting.clear());
        }
        waiting.forEach(some -> some.get().notSent("the client was closed", null));
        loops.shutdownGracefully(0, CLOSE_SECONDS, TimeUnit.SECONDS)
                .awaitUninterruptibly(CLOSE_SECONDS, TimeUnit.SECONDS);
        BufferPools.shared().giveBack(allocator);
    }
}
