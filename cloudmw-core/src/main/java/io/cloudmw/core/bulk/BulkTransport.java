package io.cloudmw.core.bulk;

import io.cloudmw.core.memory.BufferPools;
import io.cloudmw.core.metrics.BulkMetrics;
import io.cloudmw.core.tls.ProcessIdentity;
import io.cloudmw.core.tls.TlsCredentials;
import io.micrometer.core.instrument.MeterRegistry;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The shared resources of a process's bulk connections: event loops, buffer memory, limits and meters. Servers and
 * connectors are made on top of it. Safe for any thread.
 */
public final class BulkTransport implements AutoCloseable {
    private static final int MAX_THREADS = 64;
    private static final int MAX_WAITING_LOOKUPS = 1024;
    private static final long CLOSE_SECONDS = 5;

    private final BulkOptions options;
    private final Optional<TlsCredentials> tls;
    private final BulkMetrics metrics;
    private final PooledByteBufAllocator allocator;
    private final EventLoops loops;
    private final ThreadPoolExecutor lookups;
    private final OpenChannels open = new OpenChannels();
    private final boolean epoll;
    private final AtomicBoolean closed = new AtomicBoolean();

    /**
     * Makes a transport and starts its event loops.
     *
     * @param name prefix of its threads' names
     * @param threads event loops, 1..64; each connection lives on one of them, or on one more if it is for small
     *     requests
     * @param tls the certificates of all connections; empty: plain text
     * @param meters the registry of {@code cloudmw.bulk.*}
     */
    public BulkTransport(
            String name, int threads, BulkOptions options, Optional<TlsCredentials> tls, MeterRegistry meters) {
        this(name, threads, options, tls, meters, Epoll.isAvailable());
    }

    BulkTransport(
            String name,
            int threads,
            BulkOptions options,
            Optional<TlsCredentials> tls,
            MeterRegistry meters,
            boolean epoll) {
        if (threads < 1 || threads > MAX_THREADS) {
            throw new IllegalArgumentException("threads: " + threads + " (expected: 1.." + MAX_THREADS + ")");
        }
        this.options = options;
        this.tls = tls;
        this.metrics = new BulkMetrics(meters);
        this.epoll = epoll;
        this.allocator = BufferPools.shared().take(threads);
        metrics.memory(() -> allocator.metric().usedDirectMemory(), allocator::pinnedDirectMemory);
        this.loops = new EventLoops(name + "-bulk", threads, epoll, options.busyPoll());
        metrics.awake(loops::spentNanos);
        this.lookups = new ThreadPoolExecutor(
                1,
                1,
                CLOSE_SECONDS,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(MAX_WAITING_LOOKUPS),
                new DefaultThreadFactory(name + "-bulk-lookup", true));
        lookups.allowCoreThreadTimeOut(true);
    }

    public BulkOptions options() {
        return options;
    }

    /** The bytes of data frames received so far by all connections, verified or not. */
    public long receivedBytes() {
        return metrics.receivedBytes();
    }

    /** The pool of received payloads; senders take their buffers from it too. */
    public PooledByteBufAllocator allocator() {
        return allocator;
    }

    /**
     * Closes every connection and server on it and waits, briefly, for its threads. Not for event loops. Idempotent.
     */
    @Override
    public void close() {
        open.closeAll();
        // Lookups that wait still run, and find the event loops closed.
        lookups.shutdown();
        loops.close();
        if (!closed.getAndSet(true)) {
            BufferPools.shared().giveBack(allocator);
        }
    }

    /** The name by which a client greets: the id in its certificate, or {@code client} while it has none. */
    public String clientName() {
        return tls.flatMap(TlsCredentials::identity).map(ProcessIdentity::id).orElse("client");
    }

    /** The certificates of all connections; empty: plain text. */
    Optional<TlsCredentials> tls() {
        return tls;
    }

    EventLoopGroup group() {
        return loops.group();
    }

    EventLoops loops() {
        return loops;
    }

    BulkMetrics metrics() {
        return metrics;
    }

    OpenChannels open() {
        return open;
    }

    Class<? extends SocketChannel> socketType() {
        return epoll ? EpollSocketChannel.class : NioSocketChannel.class;
    }

    Class<? extends ServerChannel> serverType() {
        return epoll ? EpollServerSocketChannel.class : NioServerSocketChannel.class;
    }

    /** Resolves a name on a thread of its own, because that blocks. */
    CompletableFuture<InetSocketAddress> resolve(InetSocketAddress address) {
        if (!address.isUnresolved()) {
            return CompletableFuture.completedFuture(address);
        }
        CompletableFuture<InetSocketAddress> resolved = new CompletableFuture<>();
        lookups.execute(() -> {
            try {
                InetAddress found = InetAddress.getByName(address.getHostString());
                resolved.complete(new InetSocketAddress(found, address.getPort()));
            } catch (java.net.UnknownHostException e) {
                resolved.completeExceptionally(e);
            }
        });
        return resolved;
    }
}
