package io.cloudmw.it.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.importer.ClassFileImporter;
import io.cloudmw.core.config.HostPort;
import io.cloudmw.core.config.HostPorts;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.rpc.Membership;
import io.cloudmw.core.rpc.RpcChannels;
import io.cloudmw.core.rpc.VersionHandshake;
import io.cloudmw.core.security.ClusterSecret;
import io.cloudmw.core.security.MemberProofs;
import io.cloudmw.core.time.WallClock;
import io.cloudmw.core.tls.EnrolmentTrust;
import io.cloudmw.core.tls.TlsCredentials;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptors;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServiceDescriptor;
import io.grpc.Status;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.protobuf.ProtoMethodDescriptorSupplier;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests that generated messages of every method get a proper answer and harm neither the process nor another client. In
 * plain text strangers and members send them. Under TLS processes without a certificate and a client without a right do:
 * they get nothing but refusals and what concerns themselves. The methods are those of the compiled services.
 */
final class HostileCallsIT {
    private static final int MESSAGES = 60;
    private static final int MANY_MESSAGES = 20_000;
    private static final int MESSAGES_UNDER_TLS = 40;
    private static final int AT_ONCE = 16;
    private static final int UNARY_SECONDS = 60;
    private static final int STREAM_MILLIS = 100;
    private static final int MESSAGES_OF_A_STREAM = 6;
    private static final long SEED = Long.getLong("cloudmw.hostile.seed", 1);
    private static final Metadata.Key<String> ERROR =
            Metadata.Key.of("cloudmw-error", Metadata.ASCII_STRING_MARSHALLER);

    /** The names that may be changed and deleted: nothing of the other client, and no address of a process. */
    private static final List<String> TEXTS =
            List.of("prey", "/f", "/prey", "/d/e", "disk-9", "helper-9", "prey-1", "eu-west-1", "0s", "10ms");

    /** The methods that serve every client with a certificate: they tell what it has itself, which is nothing. */
    private static final Set<String> HARMLESS = Set.of(
            "cloudmw.v1.Coordinator/ListVolumes",
            "cloudmw.v1.Grants/WhoAmI",
            "cloudmw.v1.Peers/Announce",
            "cloudmw.v1.Peers/FindPeers",
            "cloudmw.v1.Recording/ReportRead");

    @TempDir
    private Path directory;

    private final Semaphore room = new Semaphore(AT_ONCE);
    private final Queue<String> improper = new ConcurrentLinkedQueue<>();
    /** The methods that served a process without a certificate, and a client without a right. */
    private final Set<String> servedStrangers = new ConcurrentSkipListSet<>();

    private final Set<String> servedClients = new ConcurrentSkipListSet<>();

    private final Set<String> implemented = ConcurrentHashMap.newKeySet();

    @Test
    void generatedMessagesOfEveryMethodHarmNobody() throws Exception {
        attack(MESSAGES, false);
    }

    @Test
    void generatedMessagesUnderTlsAreRefusedAndHarmNobody() throws Exception {
        attack(MESSAGES_UNDER_TLS, true);
        assertThat(servedStrangers).isEmpty();
        assertThat(servedClients).isSubsetOf(HARMLESS);
    }

    @Test
    @Tag("full")
    void manyGeneratedMessagesOfEveryMethodHarmNobody() throws Exception {
        attack(MANY_MESSAGES, false);
    }

    @Test
    @Tag("full")
    void manyGeneratedMessagesUnderTlsAreRefusedAndHarmNobody() throws Exception {
        attack(MANY_MESSAGES / 4, true);
        assertThat(servedStrangers).isEmpty();
        assertThat(servedClients).isSubsetOf(HARMLESS);
    }

    private void attack(int messages, boolean tls) throws Exception {
        List<MethodDescriptor<?, ?>> methods = methods();
        try (AttackedFleet fleet = new AttackedFleet(directory, tls)) {
            List<FilePath> files = List.of(fleet.put("plain", 500_000), fleet.put("switched", 600_000));
            var unused = fleet.put("prey", 100_000);
            fleet.rememberOpenFiles();
            Bystander.during(() -> call(fleet, methods, messages, tls), fleet.client(), files, directory);
            assertThat(improper).isEmpty();
            Set<String> all = new TreeSet<>();
            methods.forEach(method -> all.add(method.getFullMethodName()));
            assertThat(implemented).containsExactlyInAnyOrderElementsOf(all);
            fleet.assertUnharmed();
        }
    }

    /** Returns the methods of all services. */
    private static List<MethodDescriptor<?, ?>> methods() throws Exception {
        List<MethodDescriptor<?, ?>> methods = new ArrayList<>();
        for (var type : new ClassFileImporter().importPackages("io.cloudmw.proto.v1")) {
            if (type.getSimpleName().endsWith("Grpc")) {
                ServiceDescriptor service = (ServiceDescriptor)
                        type.reflect().getMethod("getServiceDescriptor").invoke(null);
                methods.addAll(service.getMethods());
            }
        }
        assertThat(methods).hasSizeGreaterThan(50);
        return methods;
    }

    /** An attacker, and where the methods go that served it. */
    private record Attacker(Channel channel, Set<String> served) {}

    private void call(AttackedFleet fleet, List<MethodDescriptor<?, ?>> methods, int messages, boolean tls)
            throws Exception {
        List<String> addresses = List.of(
                fleet.coordinatorAddress(), fleet.helperAddress(1, "control"), fleet.helperAddress(2, "control"));
        List<ManagedChannel> channels = new ArrayList<>();
        List<Attacker> attackers = new ArrayList<>();
        try {
            Optional<TlsCredentials> client = fleet.enrolWithoutRights();
            // Under TLS a helper refuses strangers in the handshake (AuditDrillsIT).
            for (int i = 0; i < (tls ? 1 : addresses.size()); i++) {
                channels.add(tls ? stranger(addresses.get(i)) : channel(addresses.get(i), Optional.empty(), i == 0));
            }
            for (ManagedChannel channel : List.copyOf(channels)) {
                attackers.add(new Attacker(channel, servedStrangers));
            }
            for (int i = 0; i < addresses.size(); i++) {
                ManagedChannel channel = channel(addresses.get(i), client, i == 0);
                channels.add(channel);
                attackers.add(new Attacker(tls ? channel : member(channel, fleet), servedClients));
            }
            MessageGenerator generator = new MessageGenerator(SEED, TEXTS);
            for (MethodDescriptor<?, ?> method : methods) {
                for (int i = 0; i < messages / 2; i++) {
                    for (Attacker attacker : attackers) {
                        begin(attacker, method, generator);
                    }
                }
            }
            assertThat(room.tryAcquire(AT_ONCE, UNARY_SECONDS, TimeUnit.SECONDS))
                    .as("all calls end")
                    .isTrue();
        } finally {
            channels.forEach(ManagedChannel::shutdownNow);
        }
    }

    private static ManagedChannel channel(String address, Optional<TlsCredentials> tls, boolean isCoordinator) {
        RpcChannels channels = new RpcChannels(tls);
        return (isCoordinator ? channels.toCoordinators(HostPorts.parse(address)) : channels.toHelper(address))
                .directExecutor()
                .build();
    }

    /** A channel under TLS of a process without a certificate, which takes every server. */
    private static ManagedChannel stranger(String address) throws CloudMwException {
        HostPort parsed = HostPort.parse(address);
        return NettyChannelBuilder.forAddress(parsed.host(), parsed.port())
                .sslContext(EnrolmentTrust.context(Set.of()))
                .intercept(VersionHandshake.client())
                .directExecutor()
                .build();
    }

    private static Channel member(Channel channel, AttackedFleet fleet) throws CloudMwException {
        MemberProofs proofs = new MemberProofs(ClusterSecret.read(fleet.secretFile()), WallClock.system());
        return ClientInterceptors.intercept(channel, Membership.client(proofs));
    }

    private void begin(Attacker attacker, MethodDescriptor<?, ?> method, MessageGenerator generator)
            throws InterruptedException {
        ProtoMethodDescriptorSupplier schema = (ProtoMethodDescriptorSupplier) method.getSchemaDescriptor();
        boolean unary = method.getType() == MethodDescriptor.MethodType.UNARY;
        List<byte[]> requests = new ArrayList<>();
        int count = method.getType().clientSendsOneMessage() ? 1 : MESSAGES_OF_A_STREAM;
        for (int i = 0; i < count; i++) {
            requests.add(generator.next(schema.getMethodDescriptor().getInputType()));
        }
        room.acquire();
        ClientCall<byte[], byte[]> call = attacker.channel()
                .newCall(
                        method.toBuilder(new Bytes(), new Bytes()).build(),
                        unary
                                ? CallOptions.DEFAULT.withDeadlineAfter(UNARY_SECONDS, TimeUnit.SECONDS)
                                : CallOptions.DEFAULT.withDeadlineAfter(STREAM_MILLIS, TimeUnit.MILLISECONDS));
        call.start(new Answer(method.getFullMethodName(), unary, attacker.served()), new Metadata());
        call.request(Integer.MAX_VALUE);
        requests.forEach(call::sendMessage);
        call.halfClose();
    }

    /** The listener of a call, which checks its end. */
    private final class Answer extends ClientCall.Listener<byte[]> {
        private final String method;
        private final boolean unary;
        private final Set<String> served;

        Answer(String method, boolean unary, Set<String> served) {
            this.served = served;
            this.method = method;
            this.unary = unary;
        }

        @Override
        public void onMessage(byte[] message) {
            served.add(method);
        }

        @Override
        public void onClose(Status status, Metadata trailers) {
            room.release();
            if (status.getCode() == Status.Code.UNIMPLEMENTED) {
                return; // by this server
            }
            implemented.add(method);
            if (status.isOk()) {
                served.add(method);
            }
            String code = trailers.get(ERROR);
            boolean late = status.getCode() == Status.Code.DEADLINE_EXCEEDED && !unary;
            boolean refusedByGrpc = status.getCode() == Status.Code.RESOURCE_EXHAUSTED;
            boolean proper = status.isOk() || late || refusedByGrpc || (code != null && !code.equals("INTERNAL"));
            if (!proper) {
                improper.add(method + ": " + status + " " + code);
            }
        }
    }

    private static final class Bytes implements MethodDescriptor.Marshaller<byte[]> {
        @Override
        public InputStream stream(byte[] value) {
            return new ByteArrayInputStream(value);
        }

        @Override
        public byte[] parse(InputStream stream) {
            try {
                return stream.readAllBytes();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
