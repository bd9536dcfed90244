package io.cloudmw.helper.rpc;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.race.RacerId;
import io.cloudmw.core.rpc.RpcChannels;
import io.cloudmw.core.rpc.RpcErrors;
import io.cloudmw.core.wire.ToWire;
import io.cloudmw.helper.compete.RivalConnector;
import io.cloudmw.helper.compete.RivalLink;
import io.cloudmw.helper.compete.RivalMessage;
import io.cloudmw.helper.compete.TransferSpec;
import io.cloudmw.proto.v1.CompeteMessage;
import io.cloudmw.proto.v1.CompetitionGrpc;
import io.cloudmw.proto.v1.Join;
import io.grpc.ManagedChannel;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The gRPC channels to rivals, one for each, shared by all transfers. The least recently used one is closed. */
public final class RivalChannels implements RivalConnector, AutoCloseable {
    private static final int MAX_MESSAGE_BYTES = 64 * 1024;

    private final RpcChannels rpc;
    private final int limit;
    private final Object lock = new Object();

    @GuardedBy("lock")
    private final Map<String, ManagedChannel> channels = new LinkedHashMap<>(16, 0.75f, true);

    @GuardedBy("lock")
    private boolean closed;

    /**
     * Opens no channel yet.
     *
     * @param rpc makes the channels
     * @param limit open channels
     */
    public RivalChannels(RpcChannels rpc, int limit) {
        this.rpc = rpc;
        this.limit = limit;
    }

    @Override
    public RivalLink connect(TransferSpec transfer, RacerId rival, RivalLink.Listener listener) {
        HelperAddress helper = transfer.helpers().get(rival.rank());
        Outgoing link = new Outgoing(helper.control(), listener);
        ManagedChannel channel = channel(helper);
        CompetitionGrpc.newStub(channel).compete(link);
        link.join(Join.newBuilder()
                .setTransferId(transfer.id())
                .setToken(ToWire.token(transfer.token()))
                .setRacer(transfer.self().rank())
                .build());
        return link;
    }

    private ManagedChannel channel(HelperAddress helper) {
        String address = helper.control();
        synchronized (lock) {
            ManagedChannel known = channels.get(address);
            if (known != null) {
                return known;
            }
            ManagedChannel made = rpc.toHelper(helper)
                    .directExecutor()
                    .maxInboundMessageSize(MAX_MESSAGE_BYTES)
                    .keepAliveTime(10, TimeUnit.SECONDS)
                    .keepAliveTimeout(5, TimeUnit.SECONDS)
                    .build();
            if (closed) {
                made.shutdownNow();
                return made;
            }
            channels.put(address, made);
            if (channels.size() > limit) {
                String oldest = channels.keySet().iterator().next();
                ManagedChannel evicted = channels.remove(oldest);
                if (evicted != null) {
                    // Its streams go on until they end.
                    evicted.shutdown();
                }
            }
            return made;
        }
    }

    /** Closes all channels and breaks their streams. Idempotent. */
    @Override
    public void close() {
        List<ManagedChannel> all;
        synchronized (lock) {
            closed = true;
            all = List.copyOf(channels.values());
            channels.clear();
        }
        all.forEach(ManagedChannel::shutdownNow);
    }

    /** The stream to one rival. gRPC calls the observer's methods; the transfer calls the others. */
    private static final class Outgoing implements ClientResponseObserver<CompeteMessage, CompeteMessage>, RivalLink {
        private final String address;
        private final RivalLink.Listener listener;
        private final Object lock = new Object();

        @GuardedBy("lock")
        private @Nullable ClientCallStreamObserver<CompeteMessage> call;

        @GuardedBy("lock")
        private boolean over;

        Outgoing(String address, RivalLink.Listener listener) {
            this.address = address;
            this.listener = listener;
        }

        @Override
        public void beforeStart(ClientCallStreamObserver<CompeteMessage> started) {
            started.disableAutoRequestWithInitial(1);
            synchronized (lock) {
                call = started;
            }
        }

        void join(Join join) {
            write(CompeteMessage.newBuilder().setJoin(join).build());
        }

        @Override
        public void send(RivalMessage message) {
            write(RivalMessages.toWire(message));
        }

        private void write(CompeteMessage message) {
            synchronized (lock) {
                if (!over && call != null) {
                    call.onNext(message);
                }
            }
        }

        /** Reads and drops what the rival still sends: gRPC keeps the buffers of messages that nobody requests. */
        @Override
        public void close() {
            synchronized (lock) {
                boolean first = !over;
                over = true;
                if (first && call != null) {
                    call.onCompleted();
                    call.request(Integer.MAX_VALUE);
                }
            }
        }

        private boolean isOver() {
            synchronized (lock) {
                return over;
            }
        }

        @Override
        public void onNext(CompeteMessage message) {
            if (isOver()) {
                return;
            }
            try {
                listener.received(RivalMessages.fromWire(message), this::requestNext);
            } catch (CloudMwException e) {
                ended(e);
                synchronized (lock) {
                    if (call != null) {
                        call.cancel(e.getMessage(), e);
                    }
                }
            }
        }

        private void requestNext() {
            synchronized (lock) {
                if (call != null) {
                    call.request(1);
                }
            }
        }

        @Override
        public void onError(Throwable cause) {
            ended(RpcErrors.fromStatus(cause, ErrorCode.HELPER_UNAVAILABLE, "helper at " + address));
        }

        @Override
        public void onCompleted() {
            ended(new CloudMwException(ErrorCode.HELPER_UNAVAILABLE, "helper at " + address + " has left"));
            close();
        }

        private void ended(CloudMwException cause) {
            boolean first;
            synchronized (lock) {
                first = !over;
                over = true;
            }
            if (first) {
                listener.ended(cause);
            }
        }
    }
}
