package io.cloudmw.it.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.core.config.HostPorts;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.rpc.RpcChannels;
import io.cloudmw.core.tls.ProcessRole;
import io.cloudmw.core.tls.TlsCredentials;
import io.grpc.ManagedChannel;
import io.netty.handler.ssl.SslContext;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests that generated frames, valid and damaged, with and without a right, before and after the handshake, harm no
 * process and no other connection. A helper has a heap of 128 MB.
 */
final class HostileFramesIT {
    private static final int FRAMES = 200_000;
    private static final int MANY_FRAMES = 10_000_000;
    private static final int FRAMES_UNDER_TLS = 40_000;

    /** The seed of the frames, to repeat a failure or to look for others. */
    private static final long SEED = Long.getLong("cloudmw.hostile.seed", 1);

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

    private void attack(int frames, boolean tls) throws Exception {
        try (AttackedFleet fleet = new AttackedFleet(directory, tls)) {
            List<FilePath> files = List.of(fleet.put("plain", 2_500_000), fleet.put("switched", 3_000_000));
            Optional<TlsCredentials> certificates = fleet.enrol();
            fleet.rememberOpenFiles();
            Bystander.during(
                    () -> assertThat(send(fleet, files, frames, certificates)).isPositive(),
                    fleet.client(),
                    files,
                    directory);
            assertThat(fleet.metric("helper-1", "cloudmw_bulk_violations_total"))
                    .isPositive();
            fleet.assertUnharmed();
        }
    }

    private static long send(
            AttackedFleet fleet, List<FilePath> files, int frames, Optional<TlsCredentials> certificates)
            throws Exception {
        Optional<SslContext> encrypted = certificates.map(known -> known.toBulk(Set.of(ProcessRole.HELPER)));
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
                List<InetSocketAddress> targets = random.nextInt(8) == 0 ? control : bulk;
                // Some are in plain text where TLS is expected.
                Optional<SslContext> used = targets == control || random.nextInt(4) == 0 ? Optional.empty() : encrypted;
                connections.begin(targets.get(random.nextInt(targets.size())), conversation, used);
            }
            connections.settle();
            return connections.answered();
        }
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
                    new FrameGenerator(SEED, Requests.of(channel, plain, fleet.chunks(plain))),
                    new FrameGenerator(SEED + 1, Requests.of(channel, switched, fleet.chunks(switched))));
        } finally {
            channel.shutdownNow();
        }
    }
}
