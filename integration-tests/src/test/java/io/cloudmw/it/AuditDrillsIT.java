package io.cloudmw.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import io.cloudmw.core.bulk.BulkStream;
import io.cloudmw.core.bulk.message.BulkRequest;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.grant.Right;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.Priority;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.Urgency;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.rpc.EnrolmentCall;
import io.cloudmw.core.rpc.RpcChannels;
import io.cloudmw.core.rpc.VersionHandshake;
import io.cloudmw.core.security.AccessToken;
import io.cloudmw.core.security.ClusterSecret;
import io.cloudmw.core.security.JoinProofs;
import io.cloudmw.core.security.TransferToken;
import io.cloudmw.core.time.WallClock;
import io.cloudmw.core.tls.CertificateAuthority;
import io.cloudmw.core.tls.EnrolmentTrust;
import io.cloudmw.core.tls.ProcessRole;
import io.cloudmw.core.tls.SigningRequest;
import io.cloudmw.core.tls.TlsCredentials;
import io.cloudmw.core.wire.ToWire;
import io.cloudmw.proto.v1.EnrolRequest;
import io.cloudmw.proto.v1.GetWriteRequest;
import io.cloudmw.proto.v1.HeartbeatRequest;
import io.cloudmw.proto.v1.IdentitiesGrpc;
import io.cloudmw.proto.v1.ListVolumesRequest;
import io.cloudmw.proto.v1.WritingGrpc;
import io.grpc.netty.NettyChannelBuilder;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Drills: each attempt on a cluster under TLS is refused with a reason of its own, which the caller sees and the audit
 * trail has. {@link RevocationDrillsIT} has those of revoked subjects.
 */
class AuditDrillsIT {
    private static final FilePath FILE = new FilePath(DrillCluster.DATA, "/f");

    @TempDir
    private static Path directory;

    private static DrillCluster cluster;

    @BeforeAll
    static void startCluster() throws Exception {
        cluster = new DrillCluster(directory);
    }

    @AfterAll
    static void stopCluster() {
        cluster.close();
    }

    @BeforeEach
    void begin() throws Exception {
        cluster.begin();
    }

    @AfterEach
    void end() throws Exception {
        cluster.end();
    }

    /**
     * Connects to the coordinator and to both planes of a helper: each handshake fails.
     *
     * @param seen the reason that the caller sees on the control planes
     * @param seenOnBulk the reason that the caller sees on the bulk plane
     * @param recorded the reason in the trails of those who refuse
     */
    private static void assertNoHandshake(Optional<TlsCredentials> tls, String seen, String seenOnBulk, String recorded)
            throws Exception {
        CloudMwException coordinator = DrillCluster.refusal(
                () -> cluster.toCoordinator(tls).listVolumes(ListVolumesRequest.getDefaultInstance()));
        assertThat(coordinator).hasMessage(seen);
        assertRecorded(cluster.awaitRefusal(DrillCluster.COORDINATOR, "handshake", 1), recorded);

        int control = cluster.refusals(DrillCluster.HELPER, "handshake") + 1;
        CloudMwException helper =
                DrillCluster.refusal(() -> cluster.toHelper(tls).getWrite(GetWriteRequest.getDefaultInstance()));
        assertThat(helper).hasMessage(seen);
        assertRecorded(cluster.awaitRefusal(DrillCluster.HELPER, "handshake", control), recorded);
        cluster.end();

        int bulk = cluster.refusals(DrillCluster.HELPER, "handshake") + 1;
        assertThat(DrillCluster.refusal(cluster.toBulk(tls, "admin"))).hasMessage(seenOnBulk);
        assertRecorded(cluster.awaitRefusal(DrillCluster.HELPER, "handshake", bulk), recorded);
    }

    private static void assertRecorded(Map<String, String> event, String why) {
        assertThat(event).containsEntry("code", "TLS_FAILED").containsEntry("why", "connection: " + why);
        assertThat(event.get("address")).startsWith("127.0.0.1:");
    }

    private static void assertRefused(CloudMwException seen, ErrorCode code, String why, Map<String, String> event) {
        assertThat(seen.code()).isEqualTo(code);
        assertThat(seen).hasMessage(why);
        assertThat(event).containsEntry("code", code.name()).containsEntry("why", why);
    }

    @Test
    void stolenTransferTokenIsRefusedByBothPlanes() throws Exception {
        Chunk chunk = cluster.put(FILE, 3 << 20).get(0);
        cluster.grant("app", Right.READ);
        TransferToken stolen = cluster.planRead(cluster.enrolled("app"), FILE);
        Optional<TlsCredentials> thief = Optional.of(cluster.enrolled("thief"));

        DrillStream stream = new DrillStream();
        BulkStream unused = cluster.toBulk(thief, "thief")
                .get(20, TimeUnit.SECONDS)
                .open(
                        new BulkRequest.Read(
                                        stolen,
                                        new StoreId("d-h1"),
                                        chunk.id(),
                                        new ByteRange(0, 1),
                                        Urgency.of(Priority.BATCH))
                                .encode(),
                        stream);
        Map<String, String> read = cluster.awaitRefusal(DrillCluster.HELPER, "OpenRead", 1);
        assertRefused(stream.failure(), ErrorCode.UNAUTHENTICATED, "token: of another process", read);
        assertThat(read).containsEntry("subject", "thief").containsEntry("asked", "chunk=" + chunk.id());

        CloudMwException call = DrillCluster.refusal(() -> cluster.toHelper(thief)
                .getWrite(GetWriteRequest.newBuilder()
                        .setChunkId(chunk.id().toString())
                        .setToken(ToWire.token(stolen))
                        .build()));
        Map<String, String> write = cluster.awaitRefusal(DrillCluster.HELPER, "GetWrite", 1);
        assertRefused(call, ErrorCode.UNAUTHENTICATED, "token: of another process", write);
        assertThat(write).containsEntry("subject", "thief");
    }

    @Test
    void expiredCertificateIsRefusedByBothPlanes() throws Exception {
        WallClock past = () -> WallClock.system().millis() - Duration.ofDays(2).toMillis();
        String seen = "TLS: the other side refused this process: its certificate has expired, or is not good" + " yet";
        assertNoHandshake(
                Optional.of(cluster.certified(cluster.authority(past), ProcessRole.CLIENT, "admin")),
                "there: " + seen,
                "connection: " + seen,
                "TLS: the certificate of the other side has expired");
    }

    @Test
    void helperWithAForeignCertificateIsRefusedByBothPlanes() throws Exception {
        CertificateAuthority foreign = CertificateAuthority.create(WallClock.system());
        String seen =
                "TLS: the other side refused this process: it does not trust the authority of its" + " certificate";
        assertNoHandshake(
                Optional.of(cluster.certified(foreign, ProcessRole.HELPER, "h1")),
                "there: " + seen,
                "connection: " + seen,
                "TLS: the certificate of the other side is of an authority that this process does not trust");
    }

    @Test
    void plainTextIsRefusedByBothPlanes() throws Exception {
        assertNoHandshake(
                Optional.empty(),
                "there: Network closed for unknown reason",
                "the peer closed the connection without a greeting (this process speaks plain text; if the other side is"
                        + " under TLS, expected: without --insecure, tls.insecure=true and CLOUDMW_TLS_INSECURE=true)",
                "the other side speaks plain text, not TLS");
    }

    @Test
    void processWithoutACertificateIsRefusedByBothPlanes() throws Exception {
        TlsCredentials none = cluster.trusting();
        String control = "the caller showed no certificate (helpers enrol by the join secret, clients by a token)";
        CloudMwException call = DrillCluster.refusal(
                () -> cluster.toCoordinator(Optional.of(none)).listVolumes(ListVolumesRequest.getDefaultInstance()));
        assertRefused(
                call, ErrorCode.TLS_FAILED, control, cluster.awaitRefusal(DrillCluster.COORDINATOR, "ListVolumes", 1));

        String seen = "TLS: the other side refused this process: it showed no certificate";
        String recorded = "TLS: the other side showed no certificate";
        CloudMwException helper = DrillCluster.refusal(
                () -> cluster.toHelper(Optional.of(none)).getWrite(GetWriteRequest.getDefaultInstance()));
        assertThat(helper.code()).isEqualTo(ErrorCode.TLS_FAILED);
        assertThat(helper).hasMessage("there: " + seen);
        assertRecorded(cluster.awaitRefusal(DrillCluster.HELPER, "handshake", 1), recorded);
        cluster.end();

        int bulk = cluster.refusals(DrillCluster.HELPER, "handshake") + 1;
        assertThat(DrillCluster.refusal(cluster.toBulk(Optional.of(none), "admin")))
                .hasMessage("connection: " + seen);
        assertRecorded(cluster.awaitRefusal(DrillCluster.HELPER, "handshake", bulk), recorded);
    }

    @Test
    void processThatClaimsTheIdOfAHelperIsRefusedByBothPlanes() throws Exception {
        Optional<TlsCredentials> h9 =
                Optional.of(cluster.certified(cluster.authority(WallClock.system()), ProcessRole.HELPER, "h9"));
        CloudMwException call =
                DrillCluster.refusal(() -> cluster.toCoordinator(h9).heartbeat(heartbeat()));
        Map<String, String> event = cluster.awaitRefusal(DrillCluster.COORDINATOR, "Heartbeat", 1);
        assertRefused(
                call,
                ErrorCode.PERMISSION_DENIED,
                "the call is of helper h1, and its caller has the certificate of helper h9",
                event);
        assertThat(event).containsEntry("subject", "h9").containsEntry("role", "helper");

        CloudMwException greeting = DrillCluster.refusal(cluster.toBulk(h9, "h1"));
        Map<String, String> bulk = cluster.awaitRefusal(DrillCluster.HELPER, "handshake", 1);
        assertRefused(
                greeting,
                ErrorCode.TLS_FAILED,
                "wrong-identity: greeting of h1 (expected: h9, as in its certificate)",
                bulk);
        assertThat(bulk).containsEntry("subject", "h9");

        Optional<TlsCredentials> app = Optional.of(cluster.enrolled("app"));
        CloudMwException client =
                DrillCluster.refusal(() -> cluster.toCoordinator(app).heartbeat(heartbeat()));
        Map<String, String> second = cluster.awaitRefusal(DrillCluster.COORDINATOR, "Heartbeat", 2);
        assertRefused(
                client,
                ErrorCode.UNAUTHENTICATED,
                "only helpers and coordinators may call Heartbeat (the caller is client app)",
                second);
        assertThat(second).containsEntry("subject", "app").containsEntry("role", "client");
    }

    @Test
    void callerWhoExpectsAnotherHelperSendsNothing() throws Exception {
        HelperAddress there = cluster.helper();
        HelperAddress expected = new HelperAddress(new HelperId("h7"), there.control(), there.bulk());
        TlsCredentials app = cluster.enrolled("app");
        for (HelperAddress address : List.of(there, expected)) {
            CloudMwException answer = DrillCluster.refusal(() -> WritingGrpc.newBlockingStub(cluster.opened(
                            new RpcChannels(Optional.of(app)).toHelper(address).build()))
                    .withDeadlineAfter(20, TimeUnit.SECONDS)
                    .getWrite(GetWriteRequest.getDefaultInstance()));
            if (address.equals(expected)) {
                assertThat(answer.code()).isEqualTo(ErrorCode.TLS_FAILED);
                assertThat(answer).hasMessage("there: TLS: the certificate is of helper h1 (expected: helper h7)");
            } else {
                assertThat(answer.code()).isNotEqualTo(ErrorCode.TLS_FAILED);
            }
        }
    }

    private static HeartbeatRequest heartbeat() {
        return HeartbeatRequest.newBuilder().setHelperId("h1").build();
    }

    @Test
    void clientThatClaimsTheNameOfAnotherIsRefusedByBothPlanes() throws Exception {
        AccessToken own = cluster.token("app");
        AccessToken forged = AccessToken.parse(own.text().replace("app", "admin"));
        CloudMwException refusal = catchThrowableOfType(
                CloudMwException.class, () -> EnrolmentCall.client(cluster.coordinator(), forged, List.of()));
        Map<String, String> event = cluster.awaitRefusal(DrillCluster.COORDINATOR, "Enrol", 1);
        assertRefused(
                refusal,
                ErrorCode.UNAUTHENTICATED,
                "token " + own.id() + " of admin: the cluster does not know it, or it was revoked or is over",
                event);
        assertThat(event.get("asked")).doesNotContain(forged.text());

        CloudMwException greeting = DrillCluster.refusal(cluster.toBulk(Optional.of(cluster.enrolled("app")), "admin"));
        Map<String, String> bulk = cluster.awaitRefusal(DrillCluster.HELPER, "handshake", 1);
        assertRefused(
                greeting,
                ErrorCode.TLS_FAILED,
                "wrong-identity: greeting of admin (expected: app, as in its certificate)",
                bulk);
        assertThat(bulk).containsEntry("subject", "app").containsEntry("role", "client");
    }

    @Test
    void replayedEnrolmentIsRefusedAndTheCertificateOfTheFirstIsRecorded() throws Exception {
        SigningRequest key = SigningRequest.of(SigningRequest.newKey());
        JoinProofs.JoinProof proof = new JoinProofs(
                        ClusterSecret.readOrCreate(cluster.secretFile()), WallClock.system())
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
        IdentitiesGrpc.IdentitiesBlockingStub identities = IdentitiesGrpc.newBlockingStub(
                        cluster.opened(NettyChannelBuilder.forAddress(
                                        cluster.coordinatorAddress().host(),
                                        cluster.coordinatorAddress().port())
                                .sslContext(EnrolmentTrust.context(Set.of()))
                                .intercept(VersionHandshake.client())
                                .build()))
                .withDeadlineAfter(20, TimeUnit.SECONDS);
        assertThat(identities.enrol(request).getChainCount()).isPositive();
        await().untilAsserted(() -> assertThat(cluster.events(DrillCluster.CHANGES))
                .anySatisfy(event -> assertThat(event)
                        .containsEntry("event", "change")
                        .containsEntry("method", "Enrol")
                        .containsEntry("request", proof.nonce())
                        .hasEntrySatisfying("certified", uri -> assertThat(uri).endsWith("/helper/h7"))
                        .containsKeys("serial", "fingerprint", "until")));

        CloudMwException replay = DrillCluster.refusal(() -> identities.enrol(request));

        assertRefused(
                replay,
                ErrorCode.UNAUTHENTICATED,
                "the helper came with a proof that was used before",
                cluster.awaitRefusal(DrillCluster.COORDINATOR, "Enrol", 1));
    }
}
