package io.cloudmw.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.cloudmw.client.CloudMw;
import io.cloudmw.client.PutOptions;
import io.cloudmw.core.bulk.BulkConnection;
import io.cloudmw.core.bulk.BulkConnector;
import io.cloudmw.core.bulk.BulkHandler;
import io.cloudmw.core.bulk.BulkOptions;
import io.cloudmw.core.bulk.BulkTransport;
import io.cloudmw.core.config.HostPort;
import io.cloudmw.core.config.HostPorts;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.grant.GrantScope;
import io.cloudmw.core.grant.Right;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.Mode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.model.volume.Chunking;
import io.cloudmw.core.model.volume.Volume;
import io.cloudmw.core.rpc.EnrolmentCall;
import io.cloudmw.core.rpc.RpcChannels;
import io.cloudmw.core.rpc.RpcErrors;
import io.cloudmw.core.security.AccessToken;
import io.cloudmw.core.security.TransferToken;
import io.cloudmw.core.time.WallClock;
import io.cloudmw.core.tls.CertificateAuthority;
import io.cloudmw.core.tls.CertifiedKey;
import io.cloudmw.core.tls.PemFiles;
import io.cloudmw.core.tls.ProcessIdentity;
import io.cloudmw.core.tls.ProcessRole;
import io.cloudmw.core.tls.SigningRequest;
import io.cloudmw.core.tls.TlsCredentials;
import io.cloudmw.core.tls.TlsFiles;
import io.cloudmw.core.tls.TlsMaterial;
import io.cloudmw.lab.fleet.LocalFleet;
import io.cloudmw.proto.v1.CoordinatorGrpc;
import io.cloudmw.proto.v1.PlanReadRequest;
import io.cloudmw.proto.v1.WritingGrpc;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
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

/**
 * A coordinator and a helper with a disk, as processes under TLS, for attempts that must be refused. It has what
 * attackers have, and reads the audit trails.
 */
final class DrillCluster implements AutoCloseable {
    static final VolumeName DATA = new VolumeName("data");

    /** The trail of the coordinator's calls. */
    static final String COORDINATOR = "coordinator/calls-audit.jsonl";

    /** The coordinator's trail of changes. */
    static final String CHANGES = "coordinator/audit.jsonl";

    /** The trail of the helper, both planes. */
    static final String HELPER = "h1-spool-audit/calls-audit.jsonl";

    private static final BulkHandler NONE = (stream, request) -> {
        throw new CloudMwException(ErrorCode.INVALID_ARGUMENT, "not here");
    };

    private final Path directory;
    private final LocalFleet fleet;
    private final CloudMw admin;
    private final HelperAddress helper;
    private final List<AutoCloseable> opened = new ArrayList<>();

    /** The numbers of events before a test, by file. */
    private final Map<String, Integer> before = new HashMap<>();

    DrillCluster(Path directory) throws IOException {
        this.directory = directory;
        fleet = new LocalFleet(
                directory,
                CommandLine.LAUNCHER,
                Map.of("CLOUDMW_TLS_INSECURE", "false", "CLOUDMW_JAVA_OPTS", "-Xmx128m"));
        var unusedCoordinator = fleet.startCoordinator(Map.of());
        var unusedHelper = fleet.startHelper("h1", fleet.disk("d-h1"));
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

    CloudMw admin() {
        return admin;
    }

    HelperAddress helper() {
        return helper;
    }

    Path secretFile() {
        return fleet.secretFile();
    }

    /** Puts a file of zeros, and returns its chunks. */
    List<Chunk> put(FilePath file, int size) throws IOException {
        Path source = Files.write(directory.resolve("source"), new byte[size]);
        admin.files().put(source, file, PutOptions.defaults()).join();
        return admin.files()
                .locate(file, admin.files().stat(file).join().version().id(), 0)
                .join();
    }

    void grant(String subject, Right... rights) {
        admin.subjects()
                .grant(subject, new GrantScope(DATA, "/"), Set.of(rights))
                .join();
    }

    /** Begins a test: later events are its own. */
    void begin() throws IOException {
        for (String file : List.of(COORDINATOR, CHANGES, HELPER)) {
            before.put(file, Files.readAllLines(directory.resolve(file)).size());
        }
    }

    /** Ends a test: its connections are closed. */
    void end() throws Exception {
        for (AutoCloseable each : opened) {
            each.close();
        }
        opened.clear();
    }

    /** The events in a file since the test began. */
    List<Map<String, String>> events(String file) throws IOException {
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

    int refusals(String file, String method) throws IOException {
        return refusalsOf(file, method).size();
    }

    private List<Map<String, String>> refusalsOf(String file, String method) throws IOException {
        return events(file).stream()
                .filter(event -> "refusal".equals(event.get("event")) && method.equals(event.get("method")))
                .toList();
    }

    /** Waits for the refusal of this number in the test, from 1. */
    Map<String, String> awaitRefusal(String file, String method, int number) throws IOException {
        await().ignoreExceptions().until(() -> refusalsOf(file, method).size() >= number);
        return refusalsOf(file, method).get(number - 1);
    }

    HostPorts coordinator() {
        return HostPorts.parse(fleet.coordinatorAddress());
    }

    HostPort coordinatorAddress() {
        return HostPort.parse(fleet.coordinatorAddress());
    }

    AccessToken token(String subject) {
        return AccessToken.parse(
                admin.subjects().createToken(subject, Optional.empty()).join());
    }

    /** The certificates that a token of a subject gets. */
    TlsCredentials enrolled(String subject) throws Exception {
        return new TlsCredentials(EnrolmentCall.client(coordinator(), token(subject), List.of()));
    }

    /** A certificate that this authority signs, for a process that trusts the cluster. */
    TlsCredentials certified(CertificateAuthority authority, ProcessRole role, String id) throws Exception {
        KeyPair key = SigningRequest.newKey();
        ProcessIdentity identity =
                new ProcessIdentity(enrolled("probe").identity().orElseThrow().cluster(), role, id);
        return new TlsCredentials(new TlsMaterial(
                Optional.of(new CertifiedKey(
                        key.getPrivate(), authority.certify(key.getPublic(), identity, Duration.ofHours(1)))),
                List.of(authority(WallClock.system()).certificate())));
    }

    /** The cluster's authority, with its key. */
    CertificateAuthority authority(WallClock clock) throws Exception {
        return new CertificateAuthority(
                PemFiles.material(TlsFiles.in(directory.resolve("authority.pem")))
                        .own()
                        .orElseThrow(),
                clock);
    }

    /** The certificates of a process that trusts the cluster, and has none of its own. */
    TlsCredentials trusting() throws Exception {
        return new TlsCredentials(new TlsMaterial(
                Optional.empty(), List.of(authority(WallClock.system()).certificate())));
    }

    /** A token for a read of a file by the process with these certificates. */
    TransferToken planRead(TlsCredentials tls, FilePath file) {
        return TransferToken.of(toCoordinator(Optional.of(tls))
                .planRead(PlanReadRequest.newBuilder()
                        .setVolume(file.volume().value())
                        .setPath(file.path())
                        .build())
                .getToken()
                .toByteArray());
    }

    CoordinatorGrpc.CoordinatorBlockingStub toCoordinator(Optional<TlsCredentials> tls) {
        return CoordinatorGrpc.newBlockingStub(opened(
                        new RpcChannels(tls).toCoordinators(coordinator()).build()))
                .withDeadlineAfter(20, TimeUnit.SECONDS);
    }

    WritingGrpc.WritingBlockingStub toHelper(Optional<TlsCredentials> tls) {
        return WritingGrpc.newBlockingStub(
                        opened(new RpcChannels(tls).toHelper(helper.control()).build()))
                .withDeadlineAfter(20, TimeUnit.SECONDS);
    }

    ManagedChannel opened(ManagedChannel channel) {
        opened.add(channel::shutdownNow);
        return channel;
    }

    /** Connects to the helper's bulk plane, and greets by this name. */
    CompletableFuture<BulkConnection> toBulk(Optional<TlsCredentials> tls, String name) {
        BulkTransport transport = new BulkTransport("drill", 1, BulkOptions.defaults(), tls, new SimpleMeterRegistry());
        opened.add(transport);
        HostPort bulk = HostPort.parse(helper.bulk());
        return new BulkConnector(transport, name).connect(new InetSocketAddress(bulk.host(), bulk.port()), NONE);
    }

    /** The failure of a call, as a client tells it. */
    static CloudMwException refusal(Runnable call) {
        StatusRuntimeException failure = catchThrowableOfType(StatusRuntimeException.class, call::run);
        assertThat(failure).as("the call fails").isNotNull();
        return RpcErrors.fromStatus(failure, ErrorCode.COORDINATOR_UNAVAILABLE, "there");
    }

    /** The failure of something under way. */
    static CloudMwException refusal(CompletableFuture<?> underWay) {
        ExecutionException failure =
                catchThrowableOfType(ExecutionException.class, () -> underWay.get(60, TimeUnit.SECONDS));
        assertThat(failure).as("it fails").isNotNull();
        return (CloudMwException) Objects.requireNonNull(failure.getCause());
    }

    @Override
    public void close() {
        admin.close();
        fleet.close();
    }
}
