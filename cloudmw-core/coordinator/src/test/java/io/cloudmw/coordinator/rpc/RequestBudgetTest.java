package io.cloudmw.coordinator.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.rpc.RpcErrors;
import io.cloudmw.core.rpc.UnaryCalls;
import io.cloudmw.core.thread.Threads;
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
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests with a server that works on a call until it is told to end. */
final class RequestBudgetTest {
    private static final int LIMIT = 1 << 20;
    private static final int MOST_OF_IT = 700_000;

    private final RequestBudget budget = new RequestBudget(LIMIT, "such-a-setting", method -> false);
    private final ExecutorService executor = Threads.blocking("test", 4, 4);
    private final CountDownLatch working = new CountDownLatch(1);
    private final CountDownLatch end = new CountDownLatch(1);
    private final AtomicInteger calls = new AtomicInteger();
    private Server server;
    private ManagedChannel channel;

    @BeforeEach
    void start() throws IOException {
        server = NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .directExecutor()
                .addStreamTracerFactory(budget)
                .intercept(budget)
                .addService(new Slow(new UnaryCalls(budget.holding(executor))))
                .build()
                .start();
        channel = NettyChannelBuilder.forAddress("127.0.0.1", server.getPort())
                .usePlaintext()
                .build();
    }

    @AfterEach
    void stop() {
        end.countDown();
        channel.shutdownNow();
        server.shutdownNow();
        executor.shutdownNow();
    }

    @Test
    void requestBeyondTheBudgetIsRefusedAndOthersContinue() throws Exception {
        Caller first = new Caller(MethodType.UNARY).send(MOST_OF_IT).finish();
        working.await();
        assertThat(budget.usedBytes()).isBetween((long) MOST_OF_IT, (long) LIMIT);

        Caller second = new Caller(MethodType.UNARY).send(MOST_OF_IT).finish();
        Refusal refusal = second.refusal.get();
        assertThat(refusal.code).contains(ErrorCode.OVERLOADED);
        assertThat(refusal.status.getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
        assertThat(refusal.status.getDescription()).contains("such-a-setting").contains("<= " + LIMIT);

        Caller small = new Caller(MethodType.UNARY).send(10).finish();
        end.countDown();
        assertThat(first.refusal.get().status.isOk()).isTrue();
        assertThat(small.refusal.get().status.isOk()).isTrue();
        await().until(() -> budget.usedBytes() == 0);
    }

    @Test
    void requestRefusedForItsLastByteIsNotExecuted() throws Exception {
        Caller first = new Caller(MethodType.UNARY).send(MOST_OF_IT).finish();
        working.await();
        int overhead = request(MOST_OF_IT).getSerializedSize() - MOST_OF_IT;
        int left = Math.toIntExact(LIMIT - budget.usedBytes());

        Caller second = new Caller(MethodType.UNARY).send(left - overhead + 1).finish();
        assertThat(second.refusal.get().code).contains(ErrorCode.OVERLOADED);
        Caller third = new Caller(MethodType.UNARY).send(10).finish();
        end.countDown();
        assertThat(first.refusal.get().status.isOk()).isTrue();
        assertThat(third.refusal.get().status.isOk()).isTrue();
        assertThat(calls.get()).isEqualTo(2);
        await().until(() -> budget.usedBytes() == 0);
    }

    @Test
    void cancelledRequestCountsUntilItsWorkEnds() throws Exception {
        Caller first = new Caller(MethodType.UNARY).send(MOST_OF_IT).finish();
        working.await();
        first.call.cancel("given up", null);
        assertThat(first.refusal.get().status.getCode()).isEqualTo(Status.Code.CANCELLED);

        // Both calls use one connection: the server sees the end of the first before it sees the second.
        Caller second = new Caller(MethodType.UNARY).send(MOST_OF_IT).finish();
        assertThat(second.refusal.get().code).contains(ErrorCode.OVERLOADED);
        end.countDown();
        await().until(() -> budget.usedBytes() == 0);
    }

    @Test
    void incompleteRequestCountsUntilItsCallerIsGone() {
        Caller waiting = new Caller(MethodType.CLIENT_STREAMING).send(MOST_OF_IT);
        await().until(() -> budget.usedBytes() >= MOST_OF_IT);
        waiting.call.cancel("gone", null);
        await().until(() -> budget.usedBytes() == 0);
    }

    @Test
    void requestsOfMethodsWithOtherLimitsDoNotCount() throws Exception {
        RequestBudget none = new RequestBudget(
                1, "such-a-setting", CoordinatorGrpc.getCreateVolumeMethod().getFullMethodName()::equals);
        Server other = NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .directExecutor()
                .addStreamTracerFactory(none)
                .intercept(none)
                .addService(new Slow(new UnaryCalls(executor)))
                .build()
                .start();
        end.countDown();
        ManagedChannel toOther = NettyChannelBuilder.forAddress("127.0.0.1", other.getPort())
                .usePlaintext()
                .build();
        try {
            assertThat(CoordinatorGrpc.newBlockingStub(toOther).createVolume(request(10)))
                    .isNotNull();
        } finally {
            toOther.shutdownNow();
            other.shutdownNow();
        }
    }

    private static CreateVolumeRequest request(int bytes) {
        return CreateVolumeRequest.newBuilder()
                .setVolume(Volume.newBuilder().setName("x".repeat(bytes)))
                .build();
    }

    private record Refusal(Status status, Optional<ErrorCode> code) {}

    /** A call of the server's only method. */
    private final class Caller {
        private final CompletableFuture<Refusal> refusal = new CompletableFuture<>();
        private final ClientCall<CreateVolumeRequest, CreateVolumeResponse> call;

        Caller(MethodType type) {
            MethodDescriptor<CreateVolumeRequest, CreateVolumeResponse> method =
                    CoordinatorGrpc.getCreateVolumeMethod().toBuilder()
                            .setType(type)
                            .build();
            call = channel.newCall(method, CallOptions.DEFAULT);
            call.start(
                    new ClientCall.Listener<>() {
                        @Override
                        public void onClose(Status status, Metadata trailers) {
                            refusal.complete(new Refusal(
                                    status,
                                    Optional.ofNullable(trailers.get(
                                                    Metadata.Key.of("cloudmw-error", Metadata.ASCII_STRING_MARSHALLER)))
                                            .flatMap(RpcErrors::code)));
                        }
                    },
                    new Metadata());
            call.request(2);
        }

        Caller send(int bytes) {
            call.sendMessage(request(bytes));
            return this;
        }

        Caller finish() {
            call.halfClose();
            return this;
        }
    }

    private final class Slow extends CoordinatorGrpc.CoordinatorImplBase {
        private final UnaryCalls answers;

        Slow(UnaryCalls answers) {
            this.answers = answers;
        }

        @Override
        public void createVolume(CreateVolumeRequest request, StreamObserver<CreateVolumeResponse> observer) {
            calls.incrementAndGet();
            answers.answer(observer, () -> {
                working.countDown();
                end.await();
                return CreateVolumeResponse.getDefaultInstance();
            });
        }
    }
}
