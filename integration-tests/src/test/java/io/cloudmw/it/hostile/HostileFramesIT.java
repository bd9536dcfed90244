package io.cloudmw.it.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.core.config.HostPorts;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.rpc.RpcChannels;
import io.cloudmw.core.tls.ProcessRole;
import io.cloudmw.core.tls.TlsCredentials;
import io.grpc.ManagedChannel;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests that generated frames, valid and damaged, with and without a right, before and after the handshake, harm no
 * process and no other connection. A helper has a heap of 128 MB.
 */
final class HostileFramesIT {
    private static final int FRAMES = 100_000;
    private static final int MANY_FRAMES = 3_000_000;
    private static final int FRAMES_UNDER_TLS = 200_000;
    private static final int MANY_FRAMES_UNDER_TLS = 7_000_000;

    /** The seed of the frames, to repeat a failure or to look for others. */
    private static final long SEED = Long.getLong("cloudmw.hostile.seed", 1);

    private static final String ADMIN = "admin";

    @TempDir
    private Path directory;

    @Test
    void generatedFramesHarmNobody() throws Exception {
        attack(FRAMES, false);
    }

    @Test
    @Tag("full")
    void millionsOfGeneratedFramesHarmNobody() throws Exception {
        attack(MANY_FRAMES, false);
    }

    @Test
    void generatedFramesHarmNobodyUnderTls() throws Exception {
        attack(FRAMES_UNDER_TLS, true);
    }

    @Test
    @Tag("full")
    void millionsOfGeneratedFramesHarmNobodyUnderTls() throws Exception {
        attack(MANY_FRAMES_UNDER_TLS, true);
    }

    private void attack(int frames, boolean tls) throws Exception {
        try (AttackedFleet fleet = new AttackedFleet(directory, tls)) {
            List<FilePath> files = List.of(fleet.put("plain", 2_500_000), fleet.put("switched", 3_000_000));
            Optional<TlsCredentials> certificates = fleet.enrol();
            fleet.rememberOpenFiles();
            Bystander.during(
                    () -> assertSent(send(fleet, files, frames, certificates), tls), fleet.client(), files, directory);
            assertThat(fleet.metric("helper-1", "cloudmw_bulk_violations_total"))
                    .isPositive();
            fleet.assertUnharmed();
        }
    }

    /** The way in which an attacker reaches a process. */
    private enum Way {
        /** With a certificate of the cluster, or in plain text where all is. */
        MEMBER,
        /** Under TLS, without a certificate. */
        STRANGER,
        /** In plain text where TLS is expected. */
        DOWNGRADED,
        /** To an address of gRPC. */
        CONTROL
    }

    /** The frames that were sent, and the connections that were answered. */
    private record Sent(Map<Way, Long> frames, long answered) {}

    /** Under TLS most frames come in it; each way has its share. */
    private static void assertSent(Sent sent, boolean tls) {
        assertThat(sent.answered()).isPositive();
        assertThat(sent.frames()).containsKeys(tls ? Way.values() : new Way[] {Way.MEMBER, Way.CONTROL});
        long all = sent.frames().values().stream().mapToLong(Long::longValue).sum();
        assertThat(sent.frames().getOrDefault(Way.MEMBER, 0L)).isGreaterThan(all / 2);
    }

    private static Way way(SplittableRandom random, boolean tls) {
        return switch (random.nextInt(16)) {
            case 0, 1 -> Way.CONTROL;
            case 2, 3 -> tls ? Way.STRANGER : Way.MEMBER;
            case 4 -> tls ? Way.DOWNGRADED : Way.MEMBER;
            default -> Way.MEMBER;
        };
    }

    private static Sent send(
            AttackedFleet fleet, List<FilePath> files, int frames, Optional<TlsCredentials> certificates)
            throws Exception {
        Optional<SslContext> member = certificates.map(known -> known.toBulk(Set.of(ProcessRole.HELPER)));
        Optional<SslContext> stranger = member.isPresent() ? Optional.of(withoutCertificate()) : Optional.empty();
        Map<Way, Long> counts = new EnumMap<>(Way.class);
        List<InetSocketAddress> bulk = List.of(
                AttackedFleet.socketAddress(fleet.helperAddress(1, "bulk")),
                AttackedFleet.socketAddress(fleet.helperAddress(2, "bulk")));
        List<InetSocketAddress> control = List.of(
                AttackedFleet.socketAddress(fleet.helperAddress(1, "control")),
                AttackedFleet.socketAddress(fleet.coordinatorAddress()));
        List<FrameGenerator> generators = generators(fleet, files, certificates);
        SplittableRandom random = new SplittableRandom(SEED);
        try (HostileConnections connections = new HostileConnections()) {
            long sent = 0;
            while (sent < frames) {
                Conversation conversation =
                        generators.get(random.nextInt(generators.size())).next();
                sent += conversation.frames();
                Way way = way(random, member.isPresent());
                counts.merge(way, (long) conversation.frames(), Long::sum);
                List<InetSocketAddress> targets = way == Way.CONTROL ? control : bulk;
                Optional<SslContext> used = switch (way) {
                    case MEMBER, CONTROL -> member;
                    case STRANGER -> stranger;
                    case DOWNGRADED -> Optional.empty();
                };
                connections.begin(targets.get(random.nextInt(targets.size())), conversation, used);
            }
            connections.settle();
            return new Sent(counts, connections.answered());
        }
    }

    private static SslContext withoutCertificate() throws SSLException {
        return SslContextBuilder.forClient()
                .trustManager(InsecureTrustManagerFactory.INSTANCE)
                .endpointIdentificationAlgorithm(null)
                .protocols("TLSv1.3")
                .build();
    }

    /** Returns a generator for each file, with rights to it. */
    private static List<FrameGenerator> generators(
            AttackedFleet fleet, List<FilePath> files, Optional<TlsCredentials> certificates) throws Exception {
        ManagedChannel channel = new RpcChannels(certificates)
                .toCoordinators(HostPorts.parse(fleet.coordinatorAddress()))
                .build();
        try {
            FilePath plain = files.get(0);
            FilePath switched = files.get(1);
            return List.of(
                    new FrameGenerator(SEED, Requests.of(channel, plain, fleet.chunks(plain)), ADMIN),
                    new FrameGenerator(SEED + 1, Requests.of(channel, switched, fleet.chunks(switched)), ADMIN));
        } finally {
            channel.shutdownNow();
        }
    }
}
