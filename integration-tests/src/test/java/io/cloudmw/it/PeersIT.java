package io.cloudmw.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.cloudmw.client.CloudMw;
import io.cloudmw.client.CloudMwOptions;
import io.cloudmw.client.GetOptions;
import io.cloudmw.client.peer.PeerNode;
import io.cloudmw.client.peer.PeerOptions;
import io.cloudmw.client.progress.GetReceipt;
import io.cloudmw.client.progress.TransferListener;
import io.cloudmw.core.config.Sizes;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.metrics.BulkMetrics;
import io.cloudmw.core.metrics.PeerMetrics;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.Mode;
import io.cloudmw.core.model.volume.Chunking;
import io.cloudmw.lab.fleet.ServerProcess;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of client processes that serve the files that they have read. */
final class PeersIT {
    private static final int MIB = 1 << 20;
    private static final int LEAF = 256 << 10;
    private static final long SIZE = 24 * MIB + 12_345;
    private static final String READ = "cloudmw_store_read_bytes_total";

    @TempDir
    private Path directory;

    private static FilePath file(Fleet fleet) {
        return new FilePath(fleet.peersVolume("near", new Chunking.BySize(8 * MIB), 2, Fleet.disks(1, 2)), "/f");
    }

    private Path put(Fleet fleet, FilePath file) throws IOException {
        Path source = fleet.file("source", SIZE);
        fleet.put(source, file);
        return source;
    }

    /** Starts a client that reads the file and then serves it. */
    private ServerProcess peer(Fleet fleet, String name, FilePath file) throws IOException {
        Path kept = directory.resolve("kept-by").resolve(name);
        return fleet.startClient(
                name, "peer", file.toString(), "--listen", "127.0.0.1:0", "--directory", kept.toString());
    }

    private PeerOptions options() {
        return PeerOptions.at("127.0.0.1:0").withKept(directory.resolve("kept-here"), PeerOptions.DEFAULT_KEEP_BYTES);
    }

    @Test
    void bytesThatAPeerServesAreMeasured() throws Exception {
        MeterRegistry meters = new SimpleMeterRegistry();
        try (Fleet fleet = Fleet.hostedDisks(directory, 2, "");
                CloudMw holder = CloudMw.connect(CloudMwOptions.of(fleet.coordinatorAddress()))) {
            FilePath file = file(fleet);
            put(fleet, file);
            PeerNode node = holder.servePeers(options().withMeters(meters));
            holder.files()
                    .read(file, (offset, bytes) -> awaitWritten(node), GetOptions.defaults())
                    .join();
            node.awaitWritten();
            await().until(node::isAnnounced);
            assertThat(meters.get(PeerMetrics.HELD).gauge().value()).isEqualTo(SIZE);
            assertThat(meters.get(PeerMetrics.SKIPPED).functionCounter().count())
                    .isZero();

            assertThat(fleet.get(file, fleet.target("got")).peerBytes()).isEqualTo(SIZE);
            await().until(() -> meters.get(PeerMetrics.SENT).functionCounter().count() == SIZE);
            assertThat(meters.get(BulkMetrics.CONNECTIONS).gauge().value()).isPositive();
            assertThat(meters.get(PeerMetrics.DISPLACED).functionCounter().count())
                    .isZero();
        }
    }

    private static void awaitWritten(PeerNode node) throws IOException {
        try {
            node.awaitWritten();
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    @Test
    void fileIsReadFromAPeerWhenNoStoreIsLeft() throws Exception {
        try (Fleet fleet = Fleet.hostedDisks(directory, 2, "", "helper-1", "helper-2")) {
            FilePath file = file(fleet);
            Path source = put(fleet, file);
            JsonNode first = peer(fleet, "peer-1", file).answer();
            assertThat(first.path("held_bytes").asLong()).isEqualTo(SIZE);
            assertThat(first.path("peer_bytes").asLong()).isZero();

            double before = fleet.metricOfAll(2, READ);
            JsonNode second = peer(fleet, "peer-2", file).answer();
            assertThat(second.path("held_bytes").asLong()).isEqualTo(SIZE);
            assertThat(second.path("peer_bytes").asLong()).isEqualTo(SIZE);
            assertThat(fleet.metricOfAll(2, READ)).isEqualTo(before);

            fleet.helper(1).kill();
            fleet.helper(2).kill();
            GetReceipt receipt = fleet.get(file, fleet.target("got"));
            assertThat(Files.mismatch(source, fleet.target("got"))).isEqualTo(-1);
            assertThat(receipt.peerBytes()).isEqualTo(SIZE);
            assertThat(receipt.usefulBytes()).isZero();
            assertThat(receipt.chunks()).isEqualTo(4);
            Path again = fleet.target("again");
            assertThat(new CommandLine(fleet.coordinatorAddress())
                            .run("get", file.toString(), again.toString(), "--receipt")
                            .orThrow()
                            .err())
                    .contains("from peers: " + Sizes.approximate(SIZE));

            CommandLine.Result cat = new CommandLine(fleet.coordinatorAddress())
                    .withOutputTo(fleet.target("catted"))
                    .run("cat", file.toString())
                    .orThrow();
            assertThat(cat.exitCode()).isZero();
            assertThat(Files.mismatch(source, fleet.target("catted"))).isEqualTo(-1);
        }
    }

    @Test
    void streamSurvivesAKilledPeerAndRepeatsNoByte() throws Exception {
        try (Fleet fleet = Fleet.hostedDisks(directory, 2, "").in(Mode.COOPERATIVE)) {
            FilePath file = file(fleet);
            Path source = put(fleet, file);
            ServerProcess peer = peer(fleet, "peer-1", file);
            assertThat(peer.answer().path("held_bytes").asLong()).isEqualTo(SIZE);
            byte[] expected = Files.readAllBytes(source);
            byte[] got = new byte[expected.length];
            CountDownLatch begun = new CountDownLatch(1);
            CountDownLatch killed = new CountDownLatch(1);
            WritableByteChannel slow = new WritableByteChannel() {
                private int at;

                @Override
                public int write(ByteBuffer bytes) throws IOException {
                    begun.countDown();
                    awaits(killed);
                    int length = bytes.remaining();
                    bytes.get(got, at, length);
                    at += length;
                    return length;
                }

                @Override
                public boolean isOpen() {
                    return true;
                }

                @Override
                public void close() {}
            };
            CompletableFuture<GetReceipt> read = fleet.client().files().read(file, slow, GetOptions.defaults());
            begun.await();
            peer.kill();
            killed.countDown();
            GetReceipt receipt = read.join();
            assertThat(got).isEqualTo(expected);
            assertThat(receipt.peerBytes()).isBetween((long) LEAF, SIZE - 8 * MIB);
            assertThat(receipt.peerBytes() + receipt.usefulBytes()).isEqualTo(SIZE);
        }
    }

    @Test
    void inAFileToo() throws Exception {
        try (Fleet fleet = Fleet.hostedDisks(directory, 2, "").in(Mode.COOPERATIVE)) {
            FilePath file = file(fleet);
            Path source = put(fleet, file);
            ServerProcess peer = peer(fleet, "peer-1", file);
            assertThat(peer.answer().path("held_bytes").asLong()).isEqualTo(SIZE);
            byte[] expected = Files.readAllBytes(source);
            byte[] got = new byte[expected.length];
            CountDownLatch begun = new CountDownLatch(1);
            CountDownLatch killed = new CountDownLatch(1);
            BitSet leaves = new BitSet();
            List<Long> twice = new ArrayList<>();
            CompletableFuture<GetReceipt> read = fleet.client()
                    .files()
                    .read(
                            file,
                            (offset, bytes) -> {
                                begun.countDown();
                                awaits(killed);
                                synchronized (leaves) {
                                    int leaf = (int) (offset / LEAF);
                                    if (leaves.get(leaf)) {
                                        twice.add(offset);
                                    }
                                    leaves.set(leaf);
                                    bytes.get(got, (int) offset, bytes.remaining());
                                }
                            },
                            GetOptions.defaults());
            begun.await();
            peer.kill();
            killed.countDown();
            GetReceipt receipt = read.join();
            assertThat(got).isEqualTo(expected);
            assertThat(twice).isEmpty();
            assertThat(receipt.peerBytes()).isBetween((long) LEAF, SIZE - MIB);
            assertThat(receipt.peerBytes() + receipt.usefulBytes()).isEqualTo(SIZE);
        }
    }

    @Test
    void pausedPeerDelaysAReadForABoundedTimeAndIsNotAskedAgain() throws Exception {
        try (Fleet fleet = Fleet.hostedDisks(directory, 2, "").in(Mode.COOPERATIVE)) {
            FilePath file = file(fleet);
            Path source = put(fleet, file);
            ServerProcess stopped = peer(fleet, "peer-1", file);
            String name = stopped.answer().path("peer").asText();
            Map<String, ErrorCode> lost = new ConcurrentHashMap<>();
            TransferListener listener = new TransferListener() {
                @Override
                public void racerGone(String racer, ErrorCode why) {
                    lost.put(racer, why);
                }
            };
            stopped.pause();
            GetReceipt receipt = fleet.client()
                    .files()
                    .get(file, fleet.target("got"), GetOptions.defaults().withListener(listener))
                    .join();
            stopped.resume();
            assertThat(Files.mismatch(source, fleet.target("got"))).isEqualTo(-1);
            assertThat(receipt.usefulBytes()).isEqualTo(SIZE);
            assertThat(receipt.peerBytes()).isZero();
            assertThat(lost).containsExactly(Map.entry(name, ErrorCode.DEADLINE_EXCEEDED));
        }
    }

    @Test
    void peerWithCorruptBytesIsBlamedInsteadOfAReplica() throws Exception {
        try (Fleet fleet = Fleet.hostedDisks(directory, 2, "").in(Mode.COOPERATIVE)) {
            FilePath file = file(fleet);
            Path source = put(fleet, file);
            ServerProcess peer = peer(fleet, "peer-1", file);
            String name = peer.answer().path("peer").asText();
            assertThat(spoil(peer.pid())).isEqualTo(4);
            Map<String, ErrorCode> lost = new ConcurrentHashMap<>();
            TransferListener listener = new TransferListener() {
                @Override
                public void racerGone(String racer, ErrorCode why) {
                    lost.put(racer, why);
                }
            };
            GetReceipt receipt = fleet.client()
                    .files()
                    .get(file, fleet.target("got"), GetOptions.defaults().withListener(listener))
                    .join();
            assertThat(Files.mismatch(source, fleet.target("got"))).isEqualTo(-1);
            assertThat(lost).containsExactly(Map.entry(name, ErrorCode.REPLICA_CORRUPT));
            assertThat(receipt.faults()).isEmpty();
            assertThat(receipt.peerBytes() + receipt.usefulBytes()).isEqualTo(SIZE);
            assertThat(receipt.usefulBytes()).isPositive();
            assertThat(fleet.client().files().stat(file).join().underReplicatedChunks())
                    .isZero();
        }
    }

    /** Flips a byte in the middle of each chunk that the process holds in files; returns their number. */
    private static int spoil(long pid) throws IOException {
        int spoiled = 0;
        try (var descriptors = Files.list(Path.of("/proc/" + pid + "/fd"))) {
            for (Path descriptor : descriptors.toList()) {
                if (Files.readSymbolicLink(descriptor).toString().contains("cloudmw-peer-")) {
                    try (FileChannel file =
                            FileChannel.open(descriptor, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
                        ByteBuffer one = ByteBuffer.allocate(1);
                        long middle = file.size() / 2;
                        file.read(one, middle);
                        one.put(0, (byte) (one.get(0) ^ 4)).rewind();
                        file.write(one, middle);
                        spoiled++;
                    }
                }
            }
        }
        return spoiled;
    }

    @Test
    void volumeWithoutPeersIsNeitherServedNorAskedFor() throws Exception {
        try (Fleet fleet = Fleet.hostedDisks(directory, 2, "")) {
            FilePath file = new FilePath(fleet.volume("own", new Chunking.BySize(8 * MIB), 2, Fleet.disks(1, 2)), "/f");
            put(fleet, file);
            CommandLine.Result refused = new CommandLine(fleet.coordinatorAddress())
                    .run("peer", file.toString(), "--listen", "127.0.0.1:0", "--json");
            assertThat(refused.exitCode()).isNotZero();
            assertThat(refused.json().path("error").path("code").asText()).isEqualTo("INVALID_ARGUMENT");

            try (CloudMw holder = CloudMw.connect(CloudMwOptions.of(fleet.coordinatorAddress()))) {
                PeerNode node = holder.servePeers(options());
                holder.files()
                        .get(file, fleet.target("held"), GetOptions.defaults())
                        .join();
                assertThat(node.heldChunks()).isZero();
                assertThat(fleet.get(file, fleet.target("got")).peerBytes()).isZero();
                assertThat(node.sentBytes() + node.refusals()).isZero();
            }
        }
    }

    private static void awaits(CountDownLatch latch) throws IOException {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }
}
