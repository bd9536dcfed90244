package io.cloudmw.coordinator.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.cloudmw.coordinator.fleet.BucketAccess;
import io.cloudmw.core.config.Settings;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.rpc.RpcErrors;
import io.cloudmw.core.rpc.VersionHandshake;
import io.cloudmw.proto.v1.AddStoreRequest;
import io.cloudmw.proto.v1.CoordinatorGrpc;
import io.cloudmw.proto.v1.EnrolRequest;
import io.cloudmw.proto.v1.IdentitiesGrpc;
import io.cloudmw.proto.v1.S3Store;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of what an enrolment may cost, with a coordinator that has one thread for calls. */
final class EnrolmentLimitsTest {
    private static final int SECONDS = 60;

    private final CountDownLatch creating = new CountDownLatch(1);
    private final CountDownLatch end = new CountDownLatch(1);
    private CoordinatorServer server;
    private ManagedChannel channel;

    /** An access to buckets that makes none before the end of the test. */
    private final class SilentBuckets implements BucketAccess {
        @Override
        public Optional<URI> presign(Store store, ChunkId chunk, Duration validity) {
            return Optional.empty();
        }

        @Override
        public void create(Store store) {
            creating.countDown();
            try {
                end.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @BeforeEach
    void start(@TempDir Path directory) throws CloudMwException {
        server = CoordinatorServer.start(
                CoordinatorConfig.read(Settings.of(Map.of(
                        "tls.insecure",
                        "true",
                        "coordinator.listen",
                        "127.0.0.1:0",
                        "coordinator.call-threads",
                        "1",
                        "coordinator.data-dir",
                        directory.resolve("data").toString(),
                        "cluster.secret-file",
                        directory.resolve("secret").toString()))),
                new SilentBuckets(),
                new SimpleMeterRegistry());
        channel = NettyChannelBuilder.forAddress("127.0.0.1", server.port())
                .usePlaintext()
                .intercept(VersionHandshake.client())
                .build();
    }

    @AfterEach
    void stop() {
        end.countDown();
        channel.shutdownNow();
        server.close();
    }

    /** Enrols in a cluster in plain text, which answers that it has no authority. */
    private CloudMwException enrol(String token) {
        StatusRuntimeException failure = catchThrowableOfType(
                StatusRuntimeException.class,
                () -> IdentitiesGrpc.newBlockingStub(channel)
                        .withDeadlineAfter(SECONDS, TimeUnit.SECONDS)
                        .enrol(EnrolRequest.newBuilder().setToken(token).build()));
        return RpcErrors.fromStatus(failure, ErrorCode.COORDINATOR_UNAVAILABLE, "coordinator");
    }

    @Test
    void longEnrolmentIsRefused() {
        CloudMwException failure = enrol("x".repeat(9000));
        assertThat(failure.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
        assertThat(failure).hasMessageContaining("8192");
    }

    @Test
    void enrolmentWaitsForNoThreadOfOtherCalls() throws Exception {
        var unused = CoordinatorGrpc.newFutureStub(channel)
                .addStore(AddStoreRequest.newBuilder()
                        .setCreate(true)
                        .setStore(io.cloudmw.proto.v1.Store.newBuilder()
                                .setId("east")
                                .setFailureDomain("rack-1")
                                .setS3(S3Store.newBuilder()
                                        .setBucket("my-bucket")
                                        .setRegion("us-east-1")))
                        .build());
        assertThat(creating.await(SECONDS, TimeUnit.SECONDS)).isTrue();
        CloudMwException failure = enrol("x");
        assertThat(failure.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
        assertThat(failure).hasMessageContaining("no authority of its own");
    }
}
