package io.cloudmw.client.rpc.link;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.client.rpc.ClientCertificates;
import io.cloudmw.client.rpc.ClientRpcChannels;
import io.cloudmw.core.bulk.BulkConnection;
import io.cloudmw.core.bulk.BulkConnector;
import io.cloudmw.core.bulk.BulkHandler;
import io.cloudmw.core.bulk.BulkOptions;
import io.cloudmw.core.bulk.BulkStream;
import io.cloudmw.core.bulk.BulkStreamListener;
import io.cloudmw.core.bulk.BulkTransport;
import io.cloudmw.core.bulk.message.BulkRequest;
import io.cloudmw.core.bulk.message.WriteObstacle;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.security.TransferToken;
import io.cloudmw.core.wire.ToWire;
import io.cloudmw.proto.v1.GetWriteRequest;
import io.cloudmw.proto.v1.GetWriteResponse;
import io.cloudmw.proto.v1.WritingGrpc;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import io.micrometer.core.instrument.MeterRegistry;
import io.netty.buffer.ByteBufAllocator;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * The client's links to helpers. A link is opened when first needed and kept for later transfers. Beyond a limit, the
 * least recently used idle link is closed. A link whose connection has reached its age is replaced, and closes after its
 * last use. Safe for any thread.
 */
public final class HelperLinks implements AutoCloseable {
    private static final class Entry {
        final CompletableFuture<HelperLink> link;
        int users;

        Entry(CompletableFuture<HelperLink> link) {
            this.link = link;
        }
    }

    private static final int EVENT_LOOPS = 2;
    private static final int MAX_IDLE = 32;
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);
    private static final Duration IDLE_TIMEOUT = Duration.ofSeconds(10);

    private final BulkTransport transport;
    private final BulkConnector connector;
    private final BulkConnector interactive;
    private final BulkConnector peers;
    private final Function<HelperAddress, ManagedChannel> channels;
    private final ScheduledExecutorService timer;
    private final int maxIdle;
    private final Map<String, RelayAcceptor> transfers = new ConcurrentHashMap<>();

    @GuardedBy("entries")
    private final Map<HelperAddress, Entry> entries = new LinkedHashMap<>(16, 0.75f, true);

    @GuardedBy("entries")
    private boolean closed;

    /**
     * @param transport owned by these links and closed with them
     * @param channels opens a channel to a helper; the link owns the channel
     * @param maxIdle the number of idle links that are kept
     */
    HelperLinks(
            BulkTransport transport,
            Function<HelperAddress, ManagedChannel> channels,
            ScheduledExecutorService timer,
            int maxIdle) {
        this.transport = transport;
        connector = BulkConnector.ofClient(transport);
        interactive = connector.interactive();
        peers = connector.toClients();
        this.channels = channels;
        this.timer = timer;
        this.maxIdle = maxIdle;
    }

    /**
     * Opens links with a bulk transport of their own.
     *
     * @param certificates of the client; it has enrolled before, because a plan names helpers
     * @param busyPoll as in {@link BulkOptions}
     * @param meters for the meters of the transport
     */
    public static HelperLinks open(
            ClientCertificates certificates,
            Executor executor,
            ScheduledExecutorService timer,
            Duration busyPoll,
            MeterRegistry meters) {
        BulkOptions limits = BulkOptions.defaults()
                .withTimeouts(CONNECT_TIMEOUT, IDLE_TIMEOUT)
                .withBusyPoll(busyPoll);
        BulkTransport transport =
                new BulkTransport("cloudmw-client-bulk", EVENT_LOOPS, limits, certificates.tls(), meters);
        return new HelperLinks(
                transport, helper -> ClientRpcChannels.open(helper, certificates, executor), timer, MAX_IDLE);
    }

    /** The bytes of data that helpers have sent so far, verified or not. */
    public long receivedBytes() {
        return transport.receivedBytes();
    }

    /** The allocator of buffers that are sent to helpers. */
    public ByteBufAllocator allocator() {
        return transport.allocator();
    }

    ScheduledExecutorService timer() {
        return timer;
    }

    /** Passes relays of this transfer to {@code acceptor} from now on. */
    public void register(String transferId, RelayAcceptor acceptor) {
        transfers.put(transferId, acceptor);
    }

    public void unregister(String transferId) {
        transfers.remove(transferId);
    }

    /** Acquires a link to the helper. The caller must call {@link #release} once for each success. */
    CompletableFuture<HelperLink> acquire(HelperAddress helper) {
        return acquire(helper, connector.to(helper.id().value()));
    }

    private CompletableFuture<HelperLink> acquire(HelperAddress helper, BulkConnector through) {
        Entry entry;
        synchronized (entries) {
            if (closed) {
                return CompletableFuture.failedFuture(
                        new CloudMwException(ErrorCode.CANCELLED, "the client was closed"));
            }
            entry = entries.get(helper);
            if (entry == null || isOver(entry)) {
                entry = new Entry(connect(helper, through));
                entries.put(helper, entry);
            }
            entry.users++;
        }
        Entry acquired = entry;
        return entry.link.whenComplete((link, failure) -> {
            if (failure != null) {
                forget(helper, acquired);
            } else {
                link.bulk().hold();
            }
        });
    }

    /** Leases the helper's bulk connection. The caller must close each lease. */
    public CompletableFuture<BulkLease> lease(HelperAddress helper) {
        return acquire(helper).thenApply(link -> new BulkLease(this, link));
    }

    /** Leases the bulk connection of a client that serves others. The caller must close each lease. */
    public CompletableFuture<BulkLease> leasePeer(HelperAddress peer) {
        return acquire(peer, peers).thenApply(link -> new BulkLease(this, link));
    }

    /** Asks for the obstacles to a chunk that the helper was sent and has not stored yet. */
    public CompletableFuture<List<WriteObstacle>> troubles(HelperAddress helper, ChunkId chunk, TransferToken token) {
        GetWriteRequest request = GetWriteRequest.newBuilder()
                .setChunkId(chunk.toString())
                .setToken(ToWire.token(token))
                .build();
        return acquire(helper).thenCompose(link -> {
            CompletableFuture<List<WriteObstacle>> answer = new CompletableFuture<>();
            ClientCalls.asyncUnaryCall(
                    link.channel()
                            .newCall(
                                    WritingGrpc.getGetWriteMethod(),
                                    CallOptions.DEFAULT.withDeadlineAfter(
                                            CONNECT_TIMEOUT.toNanos(), TimeUnit.NANOSECONDS)),
                    request,
                    new StreamObserver<GetWriteResponse>() {
                        @Override
                        public void onNext(GetWriteResponse message) {
                            try {
                                answer.complete(WriteObstacle.fromWire(message));
                            } catch (CloudMwException e) {
                                answer.completeExceptionally(e);
                            }
                        }

                        @Override
                        public void onError(Throwable failure) {
                            answer.completeExceptionally(failure);
                        }

                        @Override
                        public void onCompleted() {}
                    });
            return answer.whenComplete((troubles, failure) -> release(link));
        });
    }

    /** Returns whether nothing new may begin on the link. */
    private static boolean isOver(Entry entry) {
        if (entry.link.isCompletedExceptionally()) {
            return true;
        }
        HelperLink link = entry.link.getNow(null);
        return link != null && (link.bulk().isClosed() || link.bulk().isOld());
    }

    private CompletableFuture<HelperLink> connect(HelperAddress helper, BulkConnector through) {
        return dial(through, helper).thenApply(connection -> linked(helper, connection));
    }

    /** Opens a connection to the helper for small requests that a reader waits for. The caller must close it. */
    public CompletableFuture<BulkConnection> dialInteractive(HelperAddress helper) {
        return dial(interactive.to(helper.id().value()), helper);
    }

    private CompletableFuture<BulkConnection> dial(BulkConnector through, HelperAddress helper) {
        InetSocketAddress bulk;
        try {
            bulk = BulkAddress.parse(helper.bulk());
        } catch (CloudMwException e) {
            return CompletableFuture.failedFuture(e);
        }
        return through.connect(bulk, new Relays(helper));
    }

    private HelperLink linked(HelperAddress helper, BulkConnection connection) {
        HelperLink link = new HelperLink(helper, channels.apply(helper), connection);
        connection.onClosed(link::close);
        boolean late;
        synchronized (entries) {
            late = closed;
        }
        if (late) {
            link.close();
        }
        return link;
    }

    private void forget(HelperAddress helper, Entry entry) {
        synchronized (entries) {
            entries.remove(helper, entry);
        }
    }

    void release(HelperLink link) {
        link.bulk().release();
        List<HelperLink> surplus = new ArrayList<>();
        synchronized (entries) {
            Entry entry = entries.get(link.helper());
            if (entry != null && link.equals(entry.link.getNow(null))) {
                entry.users--;
            }
            collectSurplus(surplus);
        }
        surplus.forEach(HelperLink::close);
    }

    @GuardedBy("entries")
    private void collectSurplus(List<HelperLink> surplus) {
        long idle = entries.values().stream().filter(entry -> entry.users == 0).count();
        Iterator<Entry> oldestFirst = entries.values().iterator();
        while (idle > maxIdle && oldestFirst.hasNext()) {
            Entry entry = oldestFirst.next();
            HelperLink link = entry.link.getNow(null);
            if (entry.users == 0 && link != null) {
                oldestFirst.remove();
                surplus.add(link);
                idle--;
            }
        }
    }

    /**
     * Closes every link, and waits, briefly, until their channels no longer need the executor. Not for event loops.
     * Idempotent.
     */
    @Override
    public void close() {
        List<Entry> all;
        synchronized (entries) {
            closed = true;
            all = List.copyOf(entries.values());
            entries.clear();
        }
        List<ManagedChannel> ending = new ArrayList<>();
        for (Entry entry : all) {
            HelperLink link = entry.link.isCompletedExceptionally() ? null : entry.link.getNow(null);
            if (link != null) {
                link.close();
                ending.add(link.channel());
            }
        }
        transport.close();
        ClientRpcChannels.awaitEnd(ending);
    }

    /** A handler that passes each relay of a helper to its transfer. */
    private final class Relays implements BulkHandler {
        private final HelperAddress helper;

        Relays(HelperAddress helper) {
            this.helper = helper;
        }

        @Override
        public BulkStreamListener opened(BulkStream stream, byte[] request) throws CloudMwException {
            if (!(BulkRequest.decode(request) instanceof BulkRequest.Relay relay)) {
                throw new CloudMwException(
                        ErrorCode.INVALID_ARGUMENT, "request: not a relay (a client accepts relays only)");
            }
            RelayAcceptor acceptor = transfers.get(relay.transfer());
            if (acceptor == null) {
                throw new CloudMwException(ErrorCode.CANCELLED, "transfer " + relay.transfer() + " is over");
            }
            return acceptor.offered(helper, relay.racer(), relay.block(), relay.store(), stream);
        }
    }
}
