package io.cloudmw.core.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.proto.v1.CoordinatorGrpc;
import io.cloudmw.proto.v1.CreateVolumeRequest;
import io.cloudmw.proto.v1.CreateVolumeResponse;
import io.cloudmw.proto.v1.Volume;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests with a server that has one method, which is open to strangers or not. */
final class StrangerCallLimitsTest {
    private static final int LONG_SECONDS = 600;
    private static final String METHOD = CoordinatorGrpc.getCreateVolumeMethod().getFullMethodName();

    private final AtomicInteger served = new AtomicInteger();
    private @Nullable Server server;
    private @Nullable ManagedChannel channel;

    @AfterEach
    void stop() {
        Objects.requireNonNull(channel).shutdownNow();
        Objects.requireNonNull(server).shutdownNow();
    }

    private StrangerCallLimits start(StrangerCallLimits limits) throws IOException {
        server = NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .directExecutor()
                .addStreamTracerFactory(limits)
                .intercept(limits)
                .addService(new CoordinatorGrpc.CoordinatorImplBase() {
                    @Override
                    public void createVolume(
                            CreateVolumeRequest request, StreamObserver<CreateVolumeResponse> observer) {
                        served.incrementAndGet();
                        observer.onNext(CreateVolumeResponse.getDefaultInstance());
                        observer.onCompleted();
                    }
                })
                .build()
                .start();
        channel = NettyChannelBuilder.forAddress("127.0.0.1", server.getPort())
                .usePlaintext()
                .build();
        return limits;
    }

    private static StrangerCallLimits open(int most, int mostOfOneAddress, int seconds) {
        return new StrangerCallLimits(Set.of(METHOD), most, mostOfOneAddress, seconds);
    }

    @Test
    void requestBeyondTheLimitIsRefusedBeforeItsServiceSeesIt() throws Exception {
        StrangerCallLimits limits = start(open(10, 10, LONG_SECONDS));
        End end = new Caller().send(StrangerCallLimits.MAX_CALL_BYTES).end();
        assertThat(end.code()).contains(ErrorCode.INVALID_ARGUMENT);
        assertThat(end.status().getDescription()).contains("<= 8192");
        assertThat(served).hasValue(0);
        await().until(() -> limits.calls() == 0);
    }

    @Test
    void requestWithinTheLimitIsServed() throws Exception {
        StrangerCallLimits limits = start(open(10, 10, LONG_SECONDS));
        End end = new Caller()
                .send(StrangerCallLimits.MAX_CALL_BYTES - 100)
                .finish()
                .end();
        assertThat(end.status().isOk()).isTrue();
        await().until(() -> limits.calls() == 0);
    }

    @Test
    void otherMethodsHaveNoSuchLimit() throws Exception {
        start(new StrangerCallLimits(Set.of("another/Method"), 1, 1, 1));
        Caller waiting = new Caller();
        End end = new Caller().send(100_000).finish().end();
        assertThat(end.status().isOk()).isTrue();
        assertThat(waiting.end).isNotDone();
    }

    @Test
    void callsOfOneAddressHaveALimit() throws Exception {
        StrangerCallLimits limits = start(open(10, 1, LONG_SECONDS));
        Caller waiting = new Caller();
        await().until(() -> limits.calls() == 1);
        assertThat(new Caller().send(10).finish().end().code()).contains(ErrorCode.OVERLOADED);
        assertThat(served).hasValue(0);
        waiting.call.cancel("gone", null);
        await().until(() -> limits.calls() == 0);
        assertThat(new Caller().send(10).finish().end().status().isOk()).isTrue();
    }

    @Test
    void callThatNeverEndsIsEndedAfterItsTime() throws Exception {
        StrangerCallLimits limits = start(open(10, 10, 1));
        assertThat(new Caller().send(10).end().status().isOk()).isFalse();
        assertThat(served).hasValue(0);
        await().until(() -> limits.calls() == 0);
    }

    private record End(Status status, Optional<ErrorCode> code) {}

    /** A call of the server's only method, whose request is complete only when the test says so. */
    private final class Caller {
        private final CompletableFuture<End> end = new CompletableFuture<>();
        private final ClientCall<CreateVolumeRequest, CreateVolumeResponse> call;

        Caller() {
            MethodDescriptor<CreateVolumeRequest, CreateVolumeResponse> method =
                    CoordinatorGrpc.getCreateVolumeMethod().toBuilder()
                            .setType(MethodType.CLIENT_STREAMING)
                            .build();
            call = Objects.requireNonNull(channel).newCall(method, CallOptions.DEFAULT);
            call.start(
                    new ClientCall.Listener<>() {
                        @Override
                        public void onClose(Status status, Metadata trailers) {
                            end.complete(new End(
                                    status,
                                    Optional.ofNullable(trailers.get(RpcErrors.ERROR))
                                            .flatMap(RpcErrors::code)));
                        }
                    },
                    new Metadata());
            call.request(2);
        }

        Caller send(int bytes) {
            call.sendMessage(CreateVolumeRequest.newBuilder()
                    .setVolume(Volume.newBuilder().setName("x".repeat(bytes)))
                    .build());
            return this;
        }

        Caller finish() {
            call.halfClose();
            return this;
        }

        End end() throws Exception {
            return end.get(60, TimeUnit.SECONDS);
        }
    }
}
