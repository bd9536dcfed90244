package io.cloudmw.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
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
import io.cloudmw.core.model.volume.Chunking;
import io.cloudmw.core.model.volume.Volume;
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
import io.cloudmw.lab.fleet.LocalFleet;
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
import java.io.IOException;
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
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Drills: each attempt on a cluster under TLS is refused with its own error, and is in the audit trail. */
class AuditDrillsIT {
    private static final VolumeName DATA = new VolumeName("data");
    private static final FilePath FILE = new FilePath(DATA, "/f");
    private static final BulkHandler NONE = (stream, request) -> {
        throw new CloudMwException(ErrorCode.INVALID_ARGUMENT, "not here");
    };

    private static final String COORDINATOR = "coordinator/calls-audit.jsonl";
    private static final String CHANGES = "coordinator/audit.jsonl";
    private static final String HELPER = "h1-spool-audit/calls-audit.jsonl";

    @TempDir
    private static Path directory;

    private static LocalFleet fleet;
    private static CloudMw admin;
    private static HelperAddress helper;

    private final List<AutoCloseable> opened = new ArrayList<>();

    /** The numbers of events before a test, by file. */
    private final Map<String, Integer> before = new HashMap<>();

    @BeforeAll
    static void startFleet() throws Exception {
        fleet = new LocalFleet(
                directory,
                Path.of("..", "cloudmw").toAbsolutePath().normalize(),
                Map.of("CLOUDMW_TLS_INSECURE", "false", "CLOUDMW_JAVA_OPTS", "-Xmx128m"));
        fleet.startCoordinator(Map.of("process.warm-up-time", "0s"));
        Map<String, String> settings = new HashMap<>(fleet.disk("d-h1"));
        settings.put("process.warm-up-time", "0s");
        fleet.startHelper("h1", settings);
        admin = CloudMw.connect(fleet.clientOptions().withCoordinatorTimeout(Duration.ofSeconds(20)));
        await().until(() -> admin.cluster().helpers().join().size() == 1);
        helper = admin.cluster().helpers().join().get(0).helper();
        admin.volumes()
                .create(new Volume(
                        DATA,
                        new Chunking.BySize(2 << 20),
                        1,
                        List.of(new StoreId("d-h1")),
                        1,
                        Mode.COOPERATIVE,
                        false,
                        0))
                .join();
    }

    @AfterAll
    static void stopFleet() {
        if (admin != null) {
            admin.close();
        }
        if (fleet != null) {
            fleet.close();
        }
    }

    @BeforeEach
    void countEvents() throws Exception {
        for (String file : List.of(COORDINATOR, CHANGES, HELPER)) {
            before.put(file, Files.readAllLines(directory.resolve(file)).size());
        }
    }

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : opened) {
            each.close();
        }
        opened.clear();
    }

    /** The events in a file since the test began. */
    private List<Map<String, String>> events(String file) throws IOException {
        List<Map<String, String>> events = new ArrayList<>();
        List<String> lines = Files.readAllLines(directory.resolve(file));
        for (String line : lines.subList(Objects.requireNonNull(before.get(file)), lines.size())) {
            Map<String, Object> fields = new ObjectMapper().readValue(line, new TypeReference<>() {});
            Map<String, String> texts = new HashMap<>();
            fields.forEach((name, value) -> texts.put(name, String.valueOf(value)));
            events.add(texts);
        }
        return events;
    }

    private List<Map<String, String>> refusals(String file, String method) throws IOException {
        return events(file).stream()
                .filter(event -> "refusal".equals(event.get("event")) && method.equals(event.get("method")))
                .toList();
    }

    private Map<String, String> awaitRefusal(String file, String method, int number) throws IOException {
        await().ignoreExceptions().until(() -> refusals(file, method).size() >= number);
        return refusals(file, method).get(number - 1);
    }

    private HostPorts coordinator() {
        return HostPorts.parse(fleet.coordinatorAddress());
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

    /** Connects to the coordinator and to both planes of a helper; each handshake fails and is recorded. */
    private void assertNoHandshake(Optional<TlsCredentials> tls, String why) throws Exception {
        assertThat(catchThrowable(() -> stub(toCoordinator(tls)).listVolumes(ListVolumesRequest.getDefaultInstance())))
                .isNotNull();
        assertHandshake(awaitRefusal(COORDINATOR, "handshake", 1), why);
        int control = refusals(HELPER, "handshake").size() + 1;
        assertThat(catchThrowable(() -> WritingGrpc.newBlockingStub(toHelper(tls))
                        .withDeadlineAfter(20, TimeUnit.SECONDS)
                        .getWrite(GetWriteRequest.getDefaultInstance())))
                .isNotNull();
        assertHandshake(awaitRefusal(HELPER, "handshake", control), why);
        close();
        int bulk = refusals(HELPER, "handshake").size() + 1;
        assertThat(refusal(toBulk(tls, "stranger")))
                .isIn(ErrorCode.TLS_FAILED, ErrorCode.HELPER_UNAVAILABLE, ErrorCode.PROTOCOL_VIOLATION);
        assertHandshake(awaitRefusal(HELPER, "handshake", bulk), why);
    }

    private static void assertHandshake(Map<String, String> event, String why) {
        assertThat(event).containsEntry("code", "TLS_FAILED");
        assertThat(event.get("address")).startsWith("127.0.0.1:");
        assertThat(event.get("why")).contains(why);
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
        assertThat(awaitRefusal(HELPER, "OpenRead", 1))
                .containsEntry("subject", "thief")
                .containsEntry("code", "UNAUTHENTICATED")
                .containsEntry("asked", "chunk=" + chunk.id())
                .hasEntrySatisfying("why", why -> assertThat(why).contains("of another process"));

        assertThat(refusal(() -> WritingGrpc.newBlockingStub(toHelper(thief))
                        .withDeadlineAfter(20, TimeUnit.SECONDS)
                        .getWrite(GetWriteRequest.newBuilder()
                                .setChunkId(chunk.id().toString())
                                .setToken(ToWire.token(stolen))
                                .build())))
                .isEqualTo(ErrorCode.UNAUTHENTICATED);
        assertThat(awaitRefusal(HELPER, "GetWrite", 1))
                .containsEntry("subject", "thief")
                .hasEntrySatisfying("why", why -> assertThat(why).contains("of another process"));
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
        assertNoHandshake(Optional.of(certified(authority(past), ProcessRole.CLIENT, "admin")), "validity");
    }

    @Test
    void helperWithAForeignCertificateIsRefusedByBothPlanes() throws Exception {
        assertNoHandshake(
                Optional.of(certified(CertificateAuthority.create(WallClock.system()), ProcessRole.HELPER, "h1")),
                "TLS");
    }

    @Test
    void plainTextIsRefusedByBothPlanes() throws Exception {
        assertNoHandshake(Optional.empty(), "plain text");
    }

    @Test
    void revokedSubjectIsRefused() throws Exception {
        admin.subjects()
                .grant("former", new GrantScope(DATA, "/"), Set.of(Right.READ, Right.WRITE))
                .join();
        CoordinatorGrpc.CoordinatorBlockingStub app = stub(toCoordinator(Optional.of(enrolled("former"))));
        assertThat(refusal(() -> app.stat(stat()))).isEqualTo(ErrorCode.NOT_FOUND);
        admin.subjects().revokeToken("former", Optional.empty()).join();

        assertThat(refusal(() -> app.stat(stat()))).isEqualTo(ErrorCode.PERMISSION_DENIED);

        assertThat(awaitRefusal(COORDINATOR, "Stat", 1))
                .containsEntry("subject", "former")
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
        assertThat(awaitRefusal(COORDINATOR, "Heartbeat", 1))
                .containsEntry("subject", "h9")
                .containsEntry("role", "helper");

        assertThat(refusal(toBulk(h9, "h1"))).isEqualTo(ErrorCode.TLS_FAILED);
        assertThat(awaitRefusal(HELPER, "handshake", 1))
                .containsEntry("subject", "h9")
                .hasEntrySatisfying("why", why -> assertThat(why).contains("as in its certificate"));

        Optional<TlsCredentials> app = Optional.of(enrolled("app"));
        assertThat(refusal(() -> stub(toCoordinator(app)).heartbeat(heartbeat())))
                .isIn(ErrorCode.PERMISSION_DENIED, ErrorCode.UNAUTHENTICATED);
        assertThat(awaitRefusal(COORDINATOR, "Heartbeat", 2))
                .containsEntry("subject", "app")
                .containsEntry("role", "client");
    }

    private static HeartbeatRequest heartbeat() {
        return HeartbeatRequest.newBuilder().setHelperId("h1").build();
    }

    @Test
    void clientThatClaimsTheNameOfAnotherIsRefused() throws Exception {
        AccessToken forged = AccessToken.parse(token("app").text().replace("app", "admin"));
        CloudMwException refusal = catchThrowableOfType(
                CloudMwException.class, () -> EnrolmentCall.client(coordinator(), forged, List.of()));
        assertThat(refusal.code()).isEqualTo(ErrorCode.UNAUTHENTICATED);
        assertThat(awaitRefusal(COORDINATOR, "Enrol", 1))
                .containsEntry("code", "UNAUTHENTICATED")
                .hasEntrySatisfying("why", why -> assertThat(why).contains("of admin"))
                .hasEntrySatisfying("asked", asked -> assertThat(asked).doesNotContain(forged.text()));
    }

    @Test
    void replayedEnrolmentIsRefusedAndTheCertificateOfTheFirstIsRecorded() throws Exception {
        SigningRequest key = SigningRequest.of(SigningRequest.newKey());
        JoinProofs.JoinProof proof = new JoinProofs(ClusterSecret.readOrCreate(fleet.secretFile()), WallClock.system())
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
        HostPort address = HostPort.parse(fleet.coordinatorAddress());
        ManagedChannel stranger = opened(NettyChannelBuilder.forAddress(address.host(), address.port())
                .sslContext(EnrolmentTrust.context(Set.of()))
                .intercept(VersionHandshake.client())
                .build());
        IdentitiesGrpc.IdentitiesBlockingStub identities =
                IdentitiesGrpc.newBlockingStub(stranger).withDeadlineAfter(20, TimeUnit.SECONDS);
        assertThat(identities.enrol(request).getChainCount()).isPositive();
        await().untilAsserted(() -> assertThat(events(CHANGES))
                .anySatisfy(event -> assertThat(event)
                        .containsEntry("event", "change")
                        .containsEntry("method", "Enrol")
                        .containsEntry("request", proof.nonce())
                        .hasEntrySatisfying("certified", uri -> assertThat(uri).endsWith("/helper/h7"))
                        .containsKeys("serial", "fingerprint", "until")));

        assertThat(refusal(() -> identities.enrol(request))).isEqualTo(ErrorCode.UNAUTHENTICATED);

        assertThat(awaitRefusal(COORDINATOR, "Enrol", 1)).containsEntry("code", "UNAUTHENTICATED");
    }
}
