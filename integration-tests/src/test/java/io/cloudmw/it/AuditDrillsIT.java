package io.cloudmw.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import com.google.protobuf.ByteString;
import io.cloudmw.client.CloudMw;
import io.cloudmw.client.PutOptions;
import io.cloudmw.core.bulk.BulkConnection;
import io.cloudmw.core.bulk.BulkConnector;
import io.cloudmw.core.bulk.BulkHandler;
import io.cloudmw.core.bulk.BulkOptions;
import io.cloudmw.core.bulk.BulkStream;
import io.cloudmw.core.bulk.BulkStreamListener;
import io.cloudmw.core.bulk.BulkTransport;
import io.cloudmw.core.bulk.message.BulkRequest;
import io.cloudmw.core.config.HostPort;
import io.cloudmw.core.config.HostPorts;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.grant.GrantScope;
import io.cloudmw.core.grant.Right;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.Mode;
import io.cloudmw.core.model.Priority;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.Urgency;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.rpc.EnrolmentCall;
import io.cloudmw.core.rpc.RpcChannels;
import io.cloudmw.core.rpc.RpcErrors;
import io.cloudmw.core.rpc.VersionHandshake;
import io.cloudmw.core.security.AccessToken;
import io.cloudmw.core.security.ClusterSecret;
import io.cloudmw.core.security.JoinProofs;
import io.cloudmw.core.security.TransferToken;
import io.cloudmw.core.time.WallClock;
import io.cloudmw.core.tls.CertificateAuthority;
import io.cloudmw.core.tls.CertifiedKey;
import io.cloudmw.core.tls.EnrolmentTrust;
import io.cloudmw.core.tls.PemFiles;
import io.cloudmw.core.tls.ProcessIdentity;
import io.cloudmw.core.tls.ProcessRole;
import io.cloudmw.core.tls.SigningRequest;
import io.cloudmw.core.tls.TlsCredentials;
import io.cloudmw.core.tls.TlsFiles;
import io.cloudmw.core.tls.TlsMaterial;
import io.cloudmw.core.wire.ToWire;
import io.cloudmw.proto.v1.CoordinatorGrpc;
import io.cloudmw.proto.v1.EnrolRequest;
import io.cloudmw.proto.v1.GetWriteRequest;
import io.cloudmw.proto.v1.HeartbeatRequest;
import io.cloudmw.proto.v1.IdentitiesGrpc;
import io.cloudmw.proto.v1.ListVolumesRequest;
import io.cloudmw.proto.v1.PlanReadRequest;
import io.cloudmw.proto.v1.StatRequest;
import io.cloudmw.proto.v1.WritingGrpc;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.buffer.ByteBuf;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** Drills: each attempt on a cluster under TLS is refused with its own error, and is in the audit trail. */
class AuditDrillsIT {
    private static final VolumeName DATA = new VolumeName("data");
    private static final FilePath FILE = new FilePath(DATA, "/f");
    private static final BulkHandler NONE = (stream, request) -> {
        throw new CloudMwException(ErrorCode.INVALID_ARGUMENT, "not here");
    };

    @TempDir
    private Path directory;

    private final List<Map<String, String>> trail = new CopyOnWriteArrayList<>();
    private final List<AutoCloseable> opened = new ArrayList<>();
    private final AppenderBase<ILoggingEvent> appender = new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent event) {
            Map<String, String> fields = new HashMap<>();
            event.getKeyValuePairs().forEach(pair -> fields.put(pair.key, String.valueOf(pair.value)));
            trail.add(fields);
        }
    };
    private TlsCluster cluster;
    private CloudMw admin;
    private HelperAddress helper;

    private static Logger audit() {
        return (Logger) LoggerFactory.getLogger("cloudmw.audit");
    }

    @BeforeEach
    void startCluster() throws Exception {
        appender.start();
        audit().setLevel(Level.INFO);
        audit().addAppender(appender);
        cluster = TlsCluster.start(directory);
        admin = cluster.admin();
        cluster.createVolume(admin, DATA, Mode.COOPERATIVE);
        helper = admin.cluster().helpers().join().stream()
                .map(status -> status.helper())
                .filter(address -> address.id().value().equals("h1"))
                .findFirst()
                .orElseThrow();
    }

    @AfterEach
    void stopCluster() throws Exception {
        for (AutoCloseable each : opened) {
            each.close();
        }
        cluster.close();
        audit().detachAppender(appender);
        audit().setLevel(null);
    }

    private HostPorts coordinator() {
        return HostPorts.parse(cluster.address());
    }

    private AccessToken token(String subject) {
        return AccessToken.parse(
                admin.subjects().createToken(subject, Optional.empty()).join());
    }

    private TlsCredentials enrolled(String subject) throws Exception {
        return new TlsCredentials(EnrolmentCall.client(coordinator(), token(subject), List.of()));
    }

    /** A certificate that this authority signs, for a process that trusts the cluster. */
    private TlsCredentials certified(CertificateAuthority authority, ProcessRole role, String id) throws Exception {
        KeyPair key = SigningRequest.newKey();
        ProcessIdentity identity =
                new ProcessIdentity(enrolled("probe").identity().orElseThrow().cluster(), role, id);
        return new TlsCredentials(new TlsMaterial(
                Optional.of(new CertifiedKey(
                        key.getPrivate(), authority.certify(key.getPublic(), identity, Duration.ofHours(1)))),
                List.of(authority(WallClock.system()).certificate())));
    }

    /** The cluster's authority, with its key. */
    private CertificateAuthority authority(WallClock clock) throws Exception {
        return new CertificateAuthority(
                PemFiles.material(TlsFiles.in(directory.resolve("authority.pem")))
                        .own()
                        .orElseThrow(),
                clock);
    }

    private ManagedChannel toCoordinator(Optional<TlsCredentials> tls) {
        return opened(new RpcChannels(tls).toCoordinators(coordinator()).build());
    }

    private ManagedChannel toHelper(Optional<TlsCredentials> tls) {
        return opened(new RpcChannels(tls).toHelper(helper.control()).build());
    }

    private ManagedChannel opened(ManagedChannel channel) {
        opened.add(channel::shutdownNow);
        return channel;
    }

    private CompletableFuture<BulkConnection> toBulk(Optional<TlsCredentials> tls, String name) {
        BulkTransport transport = new BulkTransport("drill", 1, BulkOptions.defaults(), tls, new SimpleMeterRegistry());
        opened.add(transport);
        HostPort bulk = HostPort.parse(helper.bulk());
        return new BulkConnector(transport, name).connect(new InetSocketAddress(bulk.host(), bulk.port()), NONE);
    }

    private static CoordinatorGrpc.CoordinatorBlockingStub stub(ManagedChannel channel) {
        return CoordinatorGrpc.newBlockingStub(channel).withDeadlineAfter(20, TimeUnit.SECONDS);
    }

    private static ErrorCode refusal(Runnable call) {
        StatusRuntimeException failure = catchThrowableOfType(StatusRuntimeException.class, call::run);
        return RpcErrors.fromStatus(failure, ErrorCode.COORDINATOR_UNAVAILABLE, "there")
                .code();
    }

    /** The code with which a bulk connection fails. */
    private static ErrorCode refusal(CompletableFuture<BulkConnection> connecting) {
        ExecutionException failure =
                catchThrowableOfType(ExecutionException.class, () -> connecting.get(20, TimeUnit.SECONDS));
        return ((CloudMwException) Objects.requireNonNull(failure.getCause())).code();
    }

    private List<Map<String, String>> refusals(String method) {
        return trail.stream()
                .filter(event -> "refusal".equals(event.get("event")) && method.equals(event.get("method")))
                .toList();
    }

    private Map<String, String> awaitRefusal(String method, int number) {
        await().until(() -> refusals(method).size() >= number);
        return refusals(method).get(number - 1);
    }

    /** Connects to the coordinator and to both planes of a helper; each handshake fails and is recorded. */
    private void assertNoHandshake(Optional<TlsCredentials> tls, Consumer<Map<String, String>> recorded) {
        assertThat(catchThrowable(() -> stub(toCoordinator(tls)).listVolumes(ListVolumesRequest.getDefaultInstance())))
                .isNotNull();
        recorded.accept(awaitRefusal("handshake", 1));
        assertThat(catchThrowable(() -> WritingGrpc.newBlockingStub(toHelper(tls))
                        .withDeadlineAfter(20, TimeUnit.SECONDS)
                        .getWrite(GetWriteRequest.getDefaultInstance())))
                .isNotNull();
        recorded.accept(awaitRefusal("handshake", 2));
        assertThat(refusal(toBulk(tls, "stranger")))
                .isIn(ErrorCode.TLS_FAILED, ErrorCode.HELPER_UNAVAILABLE, ErrorCode.PROTOCOL_VIOLATION);
        recorded.accept(awaitRefusal("handshake", 3));
        assertThat(refusals("handshake")).hasSize(3).allSatisfy(event -> {
            assertThat(event.get("code")).isEqualTo("TLS_FAILED");
            assertThat(event.get("address")).startsWith("127.0.0.1:");
        });
    }

    @Test
    void stolenTransferTokenIsRefusedByBothPlanes() throws Exception {
        Path source = Files.write(directory.resolve("source"), new byte[3 << 20]);
        admin.files().put(source, FILE, PutOptions.defaults()).join();
        admin.subjects()
                .grant("app", new GrantScope(DATA, "/"), Set.of(Right.READ))
                .join();
        TransferToken stolen = TransferToken.of(stub(toCoordinator(Optional.of(enrolled("app"))))
                .planRead(PlanReadRequest.newBuilder()
                        .setVolume(DATA.value())
                        .setPath(FILE.path())
                        .build())
                .getToken()
                .toByteArray());
        Chunk chunk = admin.files()
                .locate(FILE, admin.files().stat(FILE).join().version().id(), 0)
                .join()
                .get(0);
        Optional<TlsCredentials> thief = Optional.of(enrolled("thief"));

        CompletableFuture<CloudMwException> failed = new CompletableFuture<>();
        BulkStream unused = toBulk(thief, "thief")
                .get(20, TimeUnit.SECONDS)
                .open(
                        new BulkRequest.Read(
                                        stolen,
                                        new StoreId("d-h1"),
                                        chunk.id(),
                                        new ByteRange(0, 1),
                                        Urgency.of(Priority.BATCH))
                                .encode(),
                        new Failing(failed));
        assertThat(failed.get(20, TimeUnit.SECONDS).code()).isEqualTo(ErrorCode.UNAUTHENTICATED);
        assertThat(awaitRefusal("OpenRead", 1))
                .containsEntry("subject", "thief")
                .containsEntry("code", "UNAUTHENTICATED")
                .containsEntry("asked", "chunk=" + chunk.id())
                .hasEntrySatisfying("why", why -> assertThat(why).contains("of another client"));

        assertThat(refusal(() -> WritingGrpc.newBlockingStub(toHelper(thief))
                        .withDeadlineAfter(20, TimeUnit.SECONDS)
                        .getWrite(GetWriteRequest.newBuilder()
                                .setChunkId(chunk.id().toString())
                                .setToken(ToWire.token(stolen))
                                .build())))
                .isEqualTo(ErrorCode.UNAUTHENTICATED);
        assertThat(awaitRefusal("GetWrite", 1))
                .containsEntry("subject", "thief")
                .hasEntrySatisfying("why", why -> assertThat(why).contains("of another client"));
    }

    /** The events of a stream that is to fail. */
    private record Failing(CompletableFuture<CloudMwException> failure) implements BulkStreamListener {
        @Override
        public void data(ByteBuf payload, int crc32c) {
            payload.release();
        }

        @Override
        public void ended(byte[] trailer) {}

        @Override
        public void granted() {}

        @Override
        public void failed(CloudMwException cause) {
            failure.complete(cause);
        }
    }

    @Test
    void expiredCertificateIsRefusedByBothPlanes() throws Exception {
        WallClock past = () -> WallClock.system().millis() - Duration.ofDays(2).toMillis();
        assertNoHandshake(
                Optional.of(certified(authority(past), ProcessRole.CLIENT, "admin")),
                event -> assertThat(event.get("why")).contains("validity"));
    }

    @Test
    void helperWithAForeignCertificateIsRefusedByBothPlanes() throws Exception {
        assertNoHandshake(
                Optional.of(certified(CertificateAuthority.create(WallClock.system()), ProcessRole.HELPER, "h1")),
                event -> assertThat(event.get("why")).contains("TLS"));
    }

    @Test
    void plainTextIsRefusedByBothPlanes() {
        assertNoHandshake(
                Optional.empty(), event -> assertThat(event.get("why")).contains("plain text"));
    }

    @Test
    void revokedSubjectIsRefused() throws Exception {
        admin.subjects()
                .grant("app", new GrantScope(DATA, "/"), Set.of(Right.READ, Right.WRITE))
                .join();
        CoordinatorGrpc.CoordinatorBlockingStub app = stub(toCoordinator(Optional.of(enrolled("app"))));
        assertThat(refusal(() -> app.stat(stat()))).isEqualTo(ErrorCode.NOT_FOUND);
        admin.subjects().revokeToken("app", Optional.empty()).join();

        assertThat(refusal(() -> app.stat(stat()))).isEqualTo(ErrorCode.PERMISSION_DENIED);

        assertThat(awaitRefusal("Stat", 1))
                .containsEntry("subject", "app")
                .containsEntry("role", "client")
                .containsEntry("code", "PERMISSION_DENIED");
    }

    private static StatRequest stat() {
        return StatRequest.newBuilder().setVolume(DATA.value()).setPath("/none").build();
    }

    @Test
    void processThatClaimsTheIdOfAHelperIsRefused() throws Exception {
        Optional<TlsCredentials> h9 = Optional.of(certified(authority(WallClock.system()), ProcessRole.HELPER, "h9"));
        assertThat(refusal(() -> stub(toCoordinator(h9)).heartbeat(heartbeat())))
                .isEqualTo(ErrorCode.PERMISSION_DENIED);
        assertThat(awaitRefusal("Heartbeat", 1)).containsEntry("subject", "h9").containsEntry("role", "helper");

        assertThat(refusal(toBulk(h9, "h1"))).isEqualTo(ErrorCode.TLS_FAILED);
        assertThat(awaitRefusal("handshake", 1))
                .containsEntry("subject", "h9")
                .hasEntrySatisfying("why", why -> assertThat(why).contains("as in its certificate"));

        Optional<TlsCredentials> app = Optional.of(enrolled("app"));
        assertThat(refusal(() -> stub(toCoordinator(app)).heartbeat(heartbeat())))
                .isIn(ErrorCode.PERMISSION_DENIED, ErrorCode.UNAUTHENTICATED);
        assertThat(awaitRefusal("Heartbeat", 2)).containsEntry("subject", "app").containsEntry("role", "client");
    }

    private static HeartbeatRequest heartbeat() {
        return HeartbeatRequest.newBuilder().setHelperId("h1").build();
    }

    @Test
    void clientThatClaimsTheNameOfAnotherIsRefused() {
        AccessToken forged = AccessToken.parse(token("app").text().replace("app", "admin"));
        CloudMwException refusal = catchThrowableOfType(
                CloudMwException.class, () -> EnrolmentCall.client(coordinator(), forged, List.of()));
        assertThat(refusal.code()).isEqualTo(ErrorCode.UNAUTHENTICATED);
        assertThat(awaitRefusal("Enrol", 1))
                .containsEntry("code", "UNAUTHENTICATED")
                .hasEntrySatisfying("why", why -> assertThat(why).contains("of admin"))
                .hasEntrySatisfying("asked", asked -> assertThat(asked).doesNotContain(forged.text()));
    }

    @Test
    void replayedEnrolmentIsRefusedAndTheCertificateOfTheFirstIsRecorded() throws Exception {
        SigningRequest key = SigningRequest.of(SigningRequest.newKey());
        JoinProofs.JoinProof proof = new JoinProofs(
                        ClusterSecret.readOrCreate(directory.resolve("cluster.secret")), WallClock.system())
                .prove("h7", key.publicKey());
        EnrolRequest request = EnrolRequest.newBuilder()
                .setPublicKey(ByteString.copyFrom(key.publicKey()))
                .setSignature(ByteString.copyFrom(key.signature()))
                .setJoin(io.cloudmw.proto.v1.JoinProof.newBuilder()
                        .setHelperId("h7")
                        .setMadeMillis(proof.madeMillis())
                        .setNonce(proof.nonce())
                        .setSignature(proof.signature()))
                .build();
        HostPort address = HostPort.parse(cluster.address());
        ManagedChannel stranger = opened(NettyChannelBuilder.forAddress(address.host(), address.port())
                .sslContext(EnrolmentTrust.context(Set.of()))
                .intercept(VersionHandshake.client())
                .build());
        IdentitiesGrpc.IdentitiesBlockingStub identities =
                IdentitiesGrpc.newBlockingStub(stranger).withDeadlineAfter(20, TimeUnit.SECONDS);
        assertThat(identities.enrol(request).getChainCount()).isPositive();
        assertThat(trail)
                .anySatisfy(event -> assertThat(event)
                        .containsEntry("event", "change")
                        .containsEntry("method", "Enrol")
                        .hasEntrySatisfying("certified", uri -> assertThat(uri).endsWith("/helper/h7"))
                        .containsKeys("serial", "fingerprint", "until"));

        assertThat(refusal(() -> identities.enrol(request))).isEqualTo(ErrorCode.UNAUTHENTICATED);

        assertThat(awaitRefusal("Enrol", 1)).containsEntry("code", "UNAUTHENTICATED");
    }
}
