package io.cloudmw.core.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.wire.ProtocolVersion;
import io.cloudmw.proto.v1.CoordinatorGrpc;
import io.cloudmw.proto.v1.GetVolumeRequest;
import io.cloudmw.proto.v1.GetVolumeResponse;
import io.cloudmw.proto.v1.Volume;
import io.grpc.Channel;
import io.grpc.ClientInterceptor;
import io.grpc.ClientInterceptors;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.ServerInterceptor;
import io.grpc.ServerInterceptors;
import io.grpc.StatusRuntimeException;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class VersionHandshakeTest {
    private final List<Runnable> cleanups = new ArrayList<>();
    private int reachedService;

    @AfterEach
    void cleanUp() {
        cleanups.forEach(Runnable::run);
    }

    @Test
    void sameMajorVersionIsAcceptedWithAnyMinor() throws Exception {
        Channel channel = connect(
                VersionHandshake.server(new ProtocolVersion(1, 7)), VersionHandshake.client(new ProtocolVersion(1, 2)));
        assertThat(call(channel).getVolume().getName()).isEqualTo("answer");
    }

    @Test
    void serverRefusesAnotherMajorAndNamesBothVersions() throws Exception {
        Channel channel = connect(
                VersionHandshake.server(new ProtocolVersion(1, 0)), VersionHandshake.client(new ProtocolVersion(2, 3)));
        CloudMwException failure = failure(channel);
        assertThat(failure.code()).isEqualTo(ErrorCode.VERSION_UNSUPPORTED);
        assertThat(failure).hasMessageContaining("2.3").hasMessageContaining("1.0");
        assertThat(reachedService).isZero();
    }

    @Test
    void serverRefusesACallerThatNamesNoVersion() throws Exception {
        Channel channel = connect(VersionHandshake.server(), null);
        CloudMwException failure = failure(channel);
        assertThat(failure.code()).isEqualTo(ErrorCode.VERSION_UNSUPPORTED);
        assertThat(failure).hasMessageContaining("no protocol version");
        assertThat(reachedService).isZero();
    }

    @Test
    void refusalTravelsAsFailedPrecondition() throws Exception {
        Throwable failure = catchThrowable(() -> call(connect(VersionHandshake.server(), null)));
        assertThat(failure).isInstanceOf(StatusRuntimeException.class).hasMessageContaining("FAILED_PRECONDITION");
    }

    @Test
    void clientRefusesAnAnswerThatNamesNoVersion() throws Exception {
        CloudMwException failure = failure(connect(null, VersionHandshake.client()));
        assertThat(failure.code()).isEqualTo(ErrorCode.VERSION_UNSUPPORTED);
        assertThat(failure).hasMessageContaining("the server");
    }

    @Test
    void clientRefusesAnAnswerOfAnotherMajor() throws Exception {
        ServerInterceptor lenient = new ServerInterceptor() {
            @Override
            public <Q, A> io.grpc.ServerCall.Listener<Q> interceptCall(
                    io.grpc.ServerCall<Q, A> call, io.grpc.Metadata headers, io.grpc.ServerCallHandler<Q, A> next) {
                headers.removeAll(VersionHandshake.PROTOCOL);
                headers.put(VersionHandshake.PROTOCOL, "3.1");
                return VersionHandshake.server(new ProtocolVersion(3, 1)).interceptCall(call, headers, next);
            }
        };
        CloudMwException failure = failure(connect(lenient, VersionHandshake.client(new ProtocolVersion(1, 0))));
        assertThat(failure.code()).isEqualTo(ErrorCode.VERSION_UNSUPPORTED);
        assertThat(failure).hasMessageContaining("3.1").hasMessageContaining("1.0");
    }

    @Test
    void malformedVersionsAreNotRepeatedInTheRefusal() throws Exception {
        assertThat(ProtocolVersion.parse("1")).isEmpty();
        assertThat(ProtocolVersion.parse("1.x")).isEmpty();
        assertThat(ProtocolVersion.parse("99999999.0")).isEmpty();
        assertThat(ProtocolVersion.parse("1.0")).contains(ProtocolVersion.CURRENT);
    }

    private static GetVolumeResponse call(Channel channel) {
        return CoordinatorGrpc.newBlockingStub(channel).getVolume(GetVolumeRequest.getDefaultInstance());
    }

    private static CloudMwException failure(Channel channel) {
        return RpcErrors.fromStatus(
                catchThrowable(() -> call(channel)), ErrorCode.COORDINATOR_UNAVAILABLE, "coordinator");
    }

    private Channel connect(@Nullable ServerInterceptor server, @Nullable ClientInterceptor client) throws IOException {
        String name = "handshake-" + cleanups.size();
        var service = new CoordinatorGrpc.CoordinatorImplBase() {
            @Override
            public void getVolume(GetVolumeRequest request, StreamObserver<GetVolumeResponse> observer) {
                reachedService++;
                new UnaryCalls(Runnable::run)
                        .answer(
                                observer,
                                () -> GetVolumeResponse.newBuilder()
                                        .setVolume(Volume.newBuilder().setName("answer"))
                                        .build());
            }
        };
        Server started = InProcessServerBuilder.forName(name)
                .directExecutor()
                .addService(
                        server == null
                                ? service.bindService()
                                : ServerInterceptors.intercept(service.bindService(), server))
                .build()
                .start();
        ManagedChannel channel =
                InProcessChannelBuilder.forName(name).directExecutor().build();
        cleanups.add(channel::shutdownNow);
        cleanups.add(started::shutdownNow);
        return client == null ? channel : ClientInterceptors.intercept(channel, client);
    }
}
