package io.cloudmw.coordinator.rpc.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.google.protobuf.ByteString;
import com.google.protobuf.UnknownFieldSet;
import io.cloudmw.coordinator.server.CoordinatorConfig;
import io.cloudmw.coordinator.server.CoordinatorServer;
import io.cloudmw.core.audit.LineAllowance;
import io.cloudmw.core.config.Settings;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.rpc.Membership;
import io.cloudmw.core.rpc.VersionHandshake;
import io.cloudmw.core.security.ClusterSecret;
import io.cloudmw.core.security.MemberProofs;
import io.cloudmw.core.time.WallClock;
import io.cloudmw.proto.v1.AddStoreRequest;
import io.cloudmw.proto.v1.CallId;
import io.cloudmw.proto.v1.ChangeGrantRequest;
import io.cloudmw.proto.v1.CoordinatorGrpc;
import io.cloudmw.proto.v1.DeleteVolumeRequest;
import io.cloudmw.proto.v1.DeleteVolumeResponse;
import io.cloudmw.proto.v1.GetVolumeRequest;
import io.cloudmw.proto.v1.GrantsGrpc;
import io.cloudmw.proto.v1.HeartbeatRequest;
import io.cloudmw.proto.v1.Helper;
import io.cloudmw.proto.v1.RegisterHelperRequest;
import io.cloudmw.proto.v1.S3Store;
import io.cloudmw.proto.v1.StatRequest;
import io.cloudmw.proto.v1.Store;
import io.cloudmw.proto.v1.SubjectGrant;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.protobuf.ProtoUtils;
import io.grpc.stub.ClientCalls;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** Tests of the log of a running coordinator. */
final class AuditLogTest {
    @TempDir
    private Path directory;

    private final ListAppender<ILoggingEvent> log = new ListAppender<>();
    private final ListAppender<ILoggingEvent> trail = new ListAppender<>();
    private CoordinatorServer server;
    private ManagedChannel channel;
    private CoordinatorGrpc.CoordinatorBlockingStub stub;

    @BeforeEach
    void start() throws CloudMwException {
        log.start();
        logger().setLevel(Level.INFO);
        logger().addAppender(log);
        trail.start();
        audit().setLevel(Level.INFO);
        audit().addAppender(trail);
        Path secret = directory.resolve("secret");
        server = CoordinatorServer.start(CoordinatorConfig.read(Settings.of(Map.of(
                "tls.insecure",
                "true",
                "coordinator.listen",
                "127.0.0.1:0",
                "coordinator.data-dir",
                directory.resolve("data").toString(),
                "cluster.secret-file",
                secret.toString()))));
        channel = NettyChannelBuilder.forAddress("127.0.0.1", server.port())
                .usePlaintext()
                .userAgent("tester/1")
                .intercept(
                        VersionHandshake.client(),
                        Membership.client(new MemberProofs(ClusterSecret.readOrCreate(secret), WallClock.system())))
                .build();
        stub = CoordinatorGrpc.newBlockingStub(channel);
    }

    @AfterEach
    void stop() {
        channel.shutdownNow();
        server.close();
        logger().detachAppender(log);
        audit().detachAppender(trail);
        audit().setLevel(null);
        logger().setLevel(null);
    }

    private static Logger logger() {
        return (Logger) LoggerFactory.getLogger(AuditLog.class);
    }

    /** Returns the loggers' common parent. */
    private static Logger audit() {
        return (Logger) LoggerFactory.getLogger("cloudmw.audit");
    }

    private List<String> lines() {
        return List.copyOf(log.list).stream()
                .map(event -> event.getLevel() + " " + event.getFormattedMessage())
                .toList();
    }

    /** Returns the fields of the audit trail's events, each event a text. */
    private List<String> trail() {
        return List.copyOf(trail.list).stream()
                .map(event -> String.valueOf(event.getKeyValuePairs()))
                .toList();
    }

    @Test
    void changesAreInTheAuditTrailWithTheIdOfTheCallAndWhyTheyFailed() {
        assertThat(catchThrowable(() -> stub.deleteVolume(DeleteVolumeRequest.newBuilder()
                        .setName("none")
                        .setCall(CallId.newBuilder()
                                .setId("01234567-89ab-4def-8123-456789abcdef")
                                .setIssuedAtMillis(WallClock.system().millis()))
                        .build())))
                .isNotNull();
        assertThat(trail())
                .singleElement()
                .asString()
                .contains(
                        "event=\"change\"",
                        "method=\"DeleteVolume\"",
                        "request=\"01234567-89ab-4def-8123-456789abcdef\"",
                        "asked=\"name=none\"",
                        "address=\"127.0.0.1:",
                        "code=\"VOLUME_NOT_FOUND\"");
    }

    @Test
    void refusedCallIsInTheAuditTrailAndAnotherFailedReadIsNot() {
        assertThat(catchThrowable(() -> stub.getVolume(
                        GetVolumeRequest.newBuilder().setName("none").build())))
                .isNotNull();
        assertThat(trail()).isEmpty();
        ManagedChannel stranger = NettyChannelBuilder.forAddress("127.0.0.1", server.port())
                .usePlaintext()
                .intercept(VersionHandshake.client())
                .build();
        try {
            assertThat(catchThrowable(() -> CoordinatorGrpc.newBlockingStub(stranger)
                            .heartbeat(HeartbeatRequest.newBuilder()
                                    .setHelperId("h")
                                    .build())))
                    .isNotNull();
        } finally {
            stranger.shutdownNow();
        }
        assertThat(trail())
                .singleElement()
                .asString()
                .contains("event=\"refusal\"", "method=\"Heartbeat\"", "code=\"UNAUTHENTICATED\"");
    }

    @Test
    void callThatFailsBeforeItsServiceWorksIsNoChange() {
        ManagedChannel stranger = NettyChannelBuilder.forAddress("127.0.0.1", server.port())
                .usePlaintext()
                .build();
        try {
            assertThat(catchThrowable(() -> CoordinatorGrpc.newBlockingStub(stranger)
                            .deleteVolume(DeleteVolumeRequest.newBuilder()
                                    .setName("none")
                                    .build())))
                    .hasMessageContaining("no protocol version");
        } finally {
            stranger.shutdownNow();
        }
        MethodDescriptor<HeartbeatRequest, DeleteVolumeResponse> wrong =
                CoordinatorGrpc.getDeleteVolumeMethod().toBuilder(
                                ProtoUtils.marshaller(HeartbeatRequest.getDefaultInstance()),
                                CoordinatorGrpc.getDeleteVolumeMethod().getResponseMarshaller())
                        .build();
        HeartbeatRequest noMessage = HeartbeatRequest.newBuilder()
                .setUnknownFields(UnknownFieldSet.newBuilder()
                        .addField(
                                DeleteVolumeRequest.NAME_FIELD_NUMBER,
                                UnknownFieldSet.Field.newBuilder()
                                        .addLengthDelimited(ByteString.copyFrom(new byte[] {-1, -1}))
                                        .build())
                        .build())
                .build();
        assertThat(catchThrowable(() -> ClientCalls.blockingUnaryCall(channel, wrong, CallOptions.DEFAULT, noMessage)))
                .hasMessageContaining("no message");
        assertThat(catchThrowable(() -> GrantsGrpc.newBlockingStub(channel)
                        .changeGrant(ChangeGrantRequest.newBuilder()
                                .setSubject("app")
                                .setGrant(SubjectGrant.newBuilder()
                                        .setVolume("v")
                                        .setPrefix("/")
                                        .addRights("fly"))
                                .build())))
                .hasMessageContaining("fly");
        assertThat(lines()).hasSize(3);
        assertThat(trail()).isEmpty();
    }

    @Test
    void everyMethodOfTheCoordinatorHasAKind() {
        assertThat(MethodKind.known())
                .as("a new method belongs into MethodKind")
                .containsAll(server.methods());
        assertThat(MethodKind.of("cloudmw.v1.Coordinator/NotSortedYet")).isEqualTo(MethodKind.ADMINISTRATIVE);
    }

    @Test
    void administrativeChangeIsLoggedWithItsCallerAndItsRequest() {
        var unused = stub.addStore(AddStoreRequest.newBuilder()
                .setStore(Store.newBuilder()
                        .setId("east")
                        .setFailureDomain("rack-1")
                        .setS3(S3Store.newBuilder().setBucket("my-bucket").setRegion("us-east-1")))
                .setCall(CallId.newBuilder()
                        .setId("01234567-89ab-4def-8123-456789abcdef")
                        .setIssuedAtMillis(WallClock.system().millis()))
                .build());
        assertThat(lines())
                .singleElement()
                .asString()
                .startsWith("INFO AddStore by 127.0.0.1:")
                .contains("(tester/1", "id=east", "bucket=my-bucket")
                .doesNotContain("456789abcdef");
    }

    @Test
    void refusedChangeAndFailedReadAreLoggedAndSuccessfulReadIsNot() {
        assertThat(catchThrowable(() -> stub.deleteVolume(
                        DeleteVolumeRequest.newBuilder().setName("none").build())))
                .isNotNull();
        assertThat(catchThrowable(() -> stub.stat(
                        StatRequest.newBuilder().setVolume("none").setPath("/f").build())))
                .isNotNull();
        var unused = stub.listVolumes(io.cloudmw.proto.v1.ListVolumesRequest.getDefaultInstance());
        assertThat(lines())
                .satisfiesExactly(
                        line -> assertThat(line)
                                .startsWith("INFO VOLUME_NOT_FOUND DeleteVolume by 127.0.0.1:")
                                .contains("name=none"),
                        line -> assertThat(line).startsWith("INFO VOLUME_NOT_FOUND Stat by 127.0.0.1:"));
    }

    @Test
    void helperThatAdvertisesTheWildcardIsRefused() {
        Throwable refused = catchThrowable(() -> stub.registerHelper(RegisterHelperRequest.newBuilder()
                .setHelper(Helper.newBuilder()
                        .setId("h")
                        .setControlAddress("0.0.0.0:7")
                        .setBulkAddress("10.0.0.2:8"))
                .setIncarnation(1)
                .build()));
        assertThat(refused).hasMessageContainingAll("INVALID_ARGUMENT", "helper h advertises 0.0.0.0:7", "127.0.0.1");
        assertThat(lines()).singleElement().asString().startsWith("INFO INVALID_ARGUMENT RegisterHelper by");
    }

    @Test
    void floodOfFailuresIsCountedAndNotWritten() {
        AtomicLong now = new AtomicLong();
        FailureLog failures = new FailureLog(logger(), now::get);
        CloudMwException full = new CloudMwException(ErrorCode.OVERLOADED, "no\nroom");
        for (int i = 0; i < 1000; i++) {
            failures.failed("Stat", "", Caller.current(), full, null);
        }
        assertThat(lines()).hasSize(LineAllowance.BURST);
        failures.failed("List", "", Caller.current(), full, null);
        assertThat(lines()).last().asString().isEqualTo("WARN OVERLOADED List by unknown: no?room");

        now.addAndGet(LineAllowance.SECONDS_PER_LINE * 1_000_000_000L);
        failures.failed("Stat", "", Caller.current(), full, null);
        failures.failed("Stat", "", Caller.current(), full, null);
        assertThat(lines()).hasSize(LineAllowance.BURST + 2);
        assertThat(lines()).last().asString().endsWith("(990 like it were not logged)");
    }

    @Test
    void defectIsLoggedWithItsStackTraceAndCancelledCallIsNot() {
        FailureLog failures = new FailureLog(logger(), () -> 0);
        IllegalStateException cause = new IllegalStateException("impossible");
        failures.failed(
                "Stat", "", Caller.current(), new CloudMwException(ErrorCode.INTERNAL, "unexpected", cause), cause);
        failures.failed("Stat", "", Caller.current(), new CloudMwException(ErrorCode.CANCELLED, "gone"), null);
        assertThat(log.list).singleElement().satisfies(event -> {
            assertThat(event.getLevel()).isEqualTo(Level.ERROR);
            assertThat(event.getThrowableProxy().getMessage()).isEqualTo("impossible");
        });
    }
}
