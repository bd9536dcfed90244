package io.cloudmw.core.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.core.audit.RefusalTrail;
import io.cloudmw.core.config.HostPort;
import io.cloudmw.core.config.HostPorts;
import io.cloudmw.core.time.Ticker;
import io.cloudmw.core.tls.ProcessIdentity;
import io.cloudmw.core.tls.ProcessRole;
import io.cloudmw.core.tls.TestAuthority;
import io.cloudmw.core.tls.TlsCredentials;
import io.cloudmw.proto.v1.ChangeFeedGrpc;
import io.cloudmw.proto.v1.CoordinatorGrpc;
import io.cloudmw.proto.v1.GetVolumeRequest;
import io.cloudmw.proto.v1.GetVolumeResponse;
import io.cloudmw.proto.v1.WatchEvent;
import io.cloudmw.proto.v1.WatchRequest;
import io.grpc.Grpc;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.stub.StreamObserver;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A test of calls while the connections under them reach their age. */
final class ConnectionAgeCallTest {
    private final TestAuthority authority = new TestAuthority();
    private final Set<SocketAddress> connections = ConcurrentHashMap.newKeySet();
    private final CompletableFuture<StreamObserver<WatchEvent>> watcher = new CompletableFuture<>();

    private TlsCredentials credentials(ProcessRole role, String id) throws Exception {
        return new TlsCredentials(
                authority.material(new ProcessIdentity(TestAuthority.CLUSTER, role, id), Duration.ofHours(1)),
                Duration.ofSeconds(1));
    }

    private Server server() throws Exception {
        ServerInterceptor counting = new ServerInterceptor() {
            @Override
            public <Q, A> ServerCall.Listener<Q> interceptCall(
                    ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
                connections.add(Objects.requireNonNull(call.getAttributes().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR)));
                return next.startCall(call, headers);
            }
        };
        return RpcServers.at(
                        new HostPort("127.0.0.1", 0),
                        Optional.of(credentials(ProcessRole.COORDINATOR, "c")),
                        10,
                        List.of(counting),
                        new RefusalTrail(Ticker.system()))
                .addService(new CoordinatorGrpc.CoordinatorImplBase() {
                    @Override
                    public void getVolume(GetVolumeRequest request, StreamObserver<GetVolumeResponse> observer) {
                        observer.onNext(GetVolumeResponse.getDefaultInstance());
                        observer.onCompleted();
                    }
                })
                .addService(new ChangeFeedGrpc.ChangeFeedImplBase() {
                    @Override
                    public void watch(WatchRequest request, StreamObserver<WatchEvent> observer) {
                        observer.onNext(WatchEvent.getDefaultInstance());
                        watcher.complete(observer);
                    }
                })
                .build()
                .start();
    }

    @Test
    void callsSucceedAndAStreamGoesOnWhileConnectionsAreReplaced() throws Exception {
        Server server = server();
        ManagedChannel channel = new RpcChannels(Optional.of(credentials(ProcessRole.CLIENT, "app")))
                .toCoordinators(HostPorts.parse("127.0.0.1:" + server.getPort()))
                .build();
        try {
            Iterator<WatchEvent> watch =
                    ChangeFeedGrpc.newBlockingStub(channel).watch(WatchRequest.getDefaultInstance());
            assertThat(watch.next()).isNotNull();
            while (connections.size() < 3) {
                assertThat(CoordinatorGrpc.newBlockingStub(channel)
                                .withDeadlineAfter(10, TimeUnit.SECONDS)
                                .getVolume(GetVolumeRequest.getDefaultInstance()))
                        .isNotNull();
            }
            StreamObserver<WatchEvent> events = watcher.get(10, TimeUnit.SECONDS);
            events.onNext(WatchEvent.newBuilder().setPosition(7).build());
            events.onCompleted();
            assertThat(watch.next().getPosition()).isEqualTo(7);
            assertThat(watch.hasNext()).isFalse();
        } finally {
            channel.shutdownNow();
            assertThat(server.shutdownNow().awaitTermination(10, TimeUnit.SECONDS))
                    .isTrue();
        }
    }
}
