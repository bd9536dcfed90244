package io.cloudmw.core.bulk;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.Reasons;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.socket.SocketChannel;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;

/** Opens bulk connections. Safe for any thread; closed with its transport. */
@SuppressWarnings("FutureReturnValueIgnored") // Netty's: a failed write or close reaches the channel
public final class BulkConnector {
    private final BulkTransport transport;
    private final String process;
    private final BulkOptions options;
    private final boolean interactive;

    /** @param process what this process calls itself to peers */
    public BulkConnector(BulkTransport transport, String process) {
        this(transport, process, transport.options());
    }

    /** The same; {@code options} are those of its connections, instead of the transport's. */
    public BulkConnector(BulkTransport transport, String process, BulkOptions options) {
        this(transport, process, options, false);
    }

    private BulkConnector(BulkTransport transport, String process, BulkOptions options, boolean interactive) {
        this.transport = transport;
        this.process = process;
        this.options = options;
        this.interactive = interactive;
    }

    /**
     * The same for connections that only small requests go over, which somebody waits for: at both ends they live on an event loop
     * that no bulk transfer occupies, and their packets are marked ({@code IPTOS_LOWDELAY}, RFC 1349) for those of a machine's
     * queues that let such pass. Who accepts them decides what may be asked over them ({@link BulkConnection#isInteractive}).
     */
    public BulkConnector interactive() {
        return new BulkConnector(transport, process, options, true);
    }

    /**
     * Connects and shakes hands. Cancelling the future gives up.
     *
     * @param address resolved here when it is not yet
     * @param handler told of the streams the peer opens
     * @return completes on an event loop; fails with a {@code CloudMwException}: {@code HELPER_UNAVAILABLE} when
     *     nobody answers in time, {@code VERSION_UNSUPPORTED}, {@code OVERLOADED} or {@code PROTOCOL_VIOLATION}
     */
    public CompletableFuture<BulkConnection> connect(InetSocketAddress address, BulkHandler handler) {
        CompletableFuture<BulkConnection> connecting = new CompletableFuture<>();
        try {
            transport.resolve(address).whenComplete((resolved, failure) -> {
                if (failure != null) {
                    connecting.completeExceptionally(unavailable(address, failure));
                } else {
                    dial(resolved, handler, connecting);
                }
            });
        } catch (RejectedExecutionException e) {
            connecting.completeExceptionally(unavailable(address, e));
        }
        return connecting;
    }

    private void dial(InetSocketAddress address, BulkHandler handler, CompletableFuture<BulkConnection> connecting) {
        EventLoopGroup group = interactive ? transport.loops().interactive() : transport.group();
        if (group.isShuttingDown()) {
            connecting.completeExceptionally(unavailable(address, new IOException("the transport is closed")));
            return;
        }
        ChannelFuture dialled;
        try {
            dialled = new Bootstrap()
                    .group(group)
                    .channel(transport.socketType())
                    .option(ChannelOption.TCP_NODELAY, true)
                    .option(ChannelOption.ALLOCATOR, transport.allocator())
                    .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int)
                            options.handshakeTimeout().toMillis())
                    .handler(new ChannelInitializer<SocketChannel>() {
                        @Override
                        protected void initChannel(SocketChannel channel) {
                            prepare(channel, handler, connecting);
                        }
                    })
                    .connect(address);
        } catch (IllegalStateException | RejectedExecutionException e) {
            connecting.completeExceptionally(unavailable(address, e));
            return;
        }
        dialled.addListener(done -> {
            if (!done.isSuccess()) {
                connecting.completeExceptionally(unavailable(address, done.cause()));
            }
        });
        Channel channel = dialled.channel();
        connecting.whenComplete((connection, failure) -> {
            if (failure instanceof CancellationException) {
                channel.close();
            }
        });
    }

    private void prepare(Channel channel, BulkHandler handler, CompletableFuture<BulkConnection> connecting) {
        FrameChannel frames = new FrameChannel(
                channel,
                transport,
                options,
                owner -> BulkHandshake.connecting(owner, process, interactive, handler, connecting));
        if (interactive) {
            frames.mark();
        }
        transport.metrics().opened();
        channel.closeFuture().addListener(gone -> transport.metrics().closed());
        transport.open().add(frames);
        channel.pipeline().addLast(frames);
    }

    private static CloudMwException unavailable(InetSocketAddress address, Throwable failure) {
        return new CloudMwException(
                ErrorCode.HELPER_UNAVAILABLE,
                "connect to " + address.toString().replaceFirst("^/", "") + ": " + Reasons.of(failure),
                failure);
    }
}
