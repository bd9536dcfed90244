package io.cloudmw.core.bulk;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.Reasons;
import io.cloudmw.core.tls.ProcessRole;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.EventLoopGroup;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;

/** The connecting side of the bulk plane. Safe for any thread; closed with its transport. */
@SuppressWarnings("FutureReturnValueIgnored") // Netty's: a failed write or close reaches the channel
public final class BulkConnector {
    private final BulkTransport transport;
    private final Supplier<String> process;
    private final BulkOptions options;
    private final boolean interactive;
    private final Set<ProcessRole> peers;
    private final Optional<String> expected;

    /**
     * Makes a connector to helpers with the transport's options.
     *
     * @param process the name of this process, for peers' logs: a helper's id
     */
    public BulkConnector(BulkTransport transport, String process) {
        this(transport, process, transport.options());
    }

    /** Makes a connector whose connections have these options instead of the transport's. */
    public BulkConnector(BulkTransport transport, String process, BulkOptions options) {
        this(transport, () -> process, options, false, Set.of(ProcessRole.HELPER), Optional.empty());
    }

    /** Makes a connector of a client, which greets by the id in its certificate. */
    public static BulkConnector ofClient(BulkTransport transport) {
        return new BulkConnector(
                transport,
                transport::clientName,
                transport.options(),
                false,
                Set.of(ProcessRole.HELPER),
                Optional.empty());
    }

    private BulkConnector(
            BulkTransport transport,
            Supplier<String> process,
            BulkOptions options,
            boolean interactive,
            Set<ProcessRole> peers,
            Optional<String> expected) {
        this.transport = transport;
        this.process = process;
        this.options = options;
        this.interactive = interactive;
        this.peers = peers;
        this.expected = expected;
    }

    /**
     * Returns a connector to one helper: under TLS a connection to another process fails with {@code TLS_FAILED}.
     *
     * @param helper its id
     */
    public BulkConnector to(String helper) {
        return new BulkConnector(transport, process, options, interactive, peers, Optional.of(helper));
    }

    /** Returns a connector to clients that serve others. */
    public BulkConnector toClients() {
        return new BulkConnector(transport, process, options, interactive, Set.of(ProcessRole.CLIENT), expected);
    }

    /**
     * Returns a connector for small requests that a caller waits for. At both ends their connections live on an event
     * loop without bulk transfers. Their packets are marked ({@code IPTOS_LOWDELAY}, RFC 1349), so that a machine's
     * queues can prefer them. The accepting side decides which requests it allows there ({@link
     * BulkConnection#isInteractive}).
     */
    public BulkConnector interactive() {
        return new BulkConnector(transport, process, options, true, peers, expected);
    }

    /**
     * Connects and shakes hands. Cancelling the future gives up.
     *
     * @param address resolved here when it is not yet
     * @param handler called when the peer opens streams
     * @return completes on an event loop; fails with a {@code CloudMwException}: {@code HELPER_UNAVAILABLE} when there
     *     is no answer in time, {@code TLS_FAILED}, {@code VERSION_UNSUPPORTED}, {@code OVERLOADED} or {@code
     *     PROTOCOL_VIOLATION}
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
            dialled = BulkSockets.connecting(
                            transport,
                            group,
                            options.handshakeTimeout(),
                            channel -> prepare(channel, handler, connecting))
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
                owner -> BulkHandshake.connecting(
                        owner,
                        new BulkHandshake.Introduction(process.get(), interactive, expected),
                        handler,
                        connecting));
        if (interactive) {
            frames.mark();
        }
        BulkSockets.attach(channel, frames, transport, transport.tls().map(tls -> tls.toBulk(peers)));
    }

    private static CloudMwException unavailable(InetSocketAddress address, Throwable failure) {
        return new CloudMwException(
                ErrorCode.HELPER_UNAVAILABLE,
                "connect to " + address.toString().replaceFirst("^/", "") + ": " + Reasons.of(failure),
                failure);
    }
}
