package io.cloudmw.client.read.peer;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.client.context.ClientContext;
import io.cloudmw.client.context.ClientLimits;
import io.cloudmw.client.context.ClientThreads;
import io.cloudmw.client.manifest.ManifestReader;
import io.cloudmw.client.peer.server.Chunks;
import io.cloudmw.client.progress.TransferListener;
import io.cloudmw.client.read.PlannedSpeeds;
import io.cloudmw.client.read.ledger.ReadLedger;
import io.cloudmw.client.read.ledger.ReadScope;
import io.cloudmw.client.read.relay.TransferCredit;
import io.cloudmw.client.read.trace.ReadTrace;
import io.cloudmw.client.rpc.ClientCertificates;
import io.cloudmw.client.rpc.CoordinatorTimes;
import io.cloudmw.client.rpc.FakeCoordinator;
import io.cloudmw.client.rpc.coordinator.CoordinatorClient;
import io.cloudmw.client.rpc.link.HelperLinks;
import io.cloudmw.client.sink.LeafSink;
import io.cloudmw.core.bulk.BulkHandler;
import io.cloudmw.core.bulk.BulkOptions;
import io.cloudmw.core.bulk.BulkServer;
import io.cloudmw.core.bulk.BulkStream;
import io.cloudmw.core.bulk.BulkStreamListener;
import io.cloudmw.core.bulk.BulkTransport;
import io.cloudmw.core.cost.Pricing;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.hedge.RedundancyBudget;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.Mode;
import io.cloudmw.core.model.PeerId;
import io.cloudmw.core.model.Priority;
import io.cloudmw.core.model.RedundancyLimits;
import io.cloudmw.core.model.Urgency;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.model.fleet.Location;
import io.cloudmw.core.monitor.SpeedBook;
import io.cloudmw.core.placement.FoundPeer;
import io.cloudmw.core.placement.PlannedChunk;
import io.cloudmw.core.placement.ReadPlan;
import io.cloudmw.core.security.TransferToken;
import io.cloudmw.core.thread.SerialExecutor;
import io.cloudmw.core.time.Ticker;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Peers of all kinds over real connections. */
final class PeerStageTest {
    private static final int LEAVES = 64;
    private static final int LENGTH = LEAVES * Chunks.LEAF;
    private static final VersionId VERSION = VersionId.random();
    private static final TransferToken TOKEN = TransferToken.of(new byte[] {1});
    private static final Urgency WHENEVER = Urgency.of(Priority.BATCH);

    private final byte[] bytes = Chunks.bytes(LENGTH, 3);
    private final Chunk chunk = Chunks.of(VERSION, 0, bytes);
    private final Chunk next = Chunks.of(VERSION, 1, bytes);
    private final ReadLedger ledger = new ReadLedger(TransferListener.NONE, Ticker.system());
    private final BlockingQueue<ChunkPart> left = new LinkedBlockingQueue<>();
    private final CompletableFuture<Void> searched = new CompletableFuture<>();
    private final CompletableFuture<Throwable> broken = new CompletableFuture<>();
    private final List<FoundPeer> peers = new ArrayList<>();
    private final List<BulkServer> servers = new ArrayList<>();
    private final ClientThreads threads = new ClientThreads();
    private final SerialExecutor serial = new SerialExecutor(threads.events(), broken::complete);
    private final BulkTransport transport =
            new BulkTransport("test-peer", 1, BulkOptions.defaults(), Optional.empty(), new SimpleMeterRegistry());
    private FakeCoordinator coordinator;
    private ClientContext context;

    @BeforeEach
    void start() throws Exception {
        coordinator = new FakeCoordinator(LENGTH, Chunks.LEAF);
        context = ClientContext.of(
                threads,
                new CoordinatorClient(
                        coordinator.address(),
                        ClientCertificates.none(),
                        CoordinatorTimes.of(Duration.ofSeconds(30)),
                        threads.events(),
                        threads.timer(),
                        Ticker.system(),
                        waiting -> {}),
                () -> HelperLinks.open(
                        ClientCertificates.none(),
                        threads.workers(),
                        threads.timer(),
                        Duration.ZERO,
                        new SimpleMeterRegistry()),
                new ClientLimits(8 << 20, Long.MAX_VALUE),
                Pricing.DEFAULT,
                new RedundancyBudget(RedundancyLimits.DEFAULT),
                Ticker.system());
    }

    @AfterEach
    void stop() {
        context.close();
        coordinator.close();
        servers.forEach(BulkServer::close);
        transport.close();
        assertThat(broken).isNotDone();
    }

    /** A peer that sends so many leaves and then falls silent. */
    private static final class Giving implements BulkStreamListener {
        private final BulkStream stream;
        private final byte[] all;
        private final int leaves;
        private int given;

        Giving(BulkStream stream, byte[] all, int leaves) {
            this.stream = stream;
            this.all = all;
            this.leaves = leaves;
        }

        @Override
        public void granted() {
            while (given < leaves && stream.credit() >= Chunks.LEAF) {
                byte[] leaf = new byte[Chunks.LEAF];
                System.arraycopy(all, given++ * Chunks.LEAF, leaf, 0, leaf.length);
                var unused = stream.send(Unpooled.wrappedBuffer(leaf), crc32c(leaf));
            }
            if (given == LEAVES) {
                given++;
                stream.end(new byte[0]);
            }
        }

        private static int crc32c(byte[] leaf) {
            CRC32C crc = new CRC32C();
            crc.update(leaf);
            return (int) crc.getValue();
        }

        @Override
        public void data(ByteBuf payload, int crc32c) {
            payload.release();
        }

        @Override
        public void ended(byte[] trailer) {}

        @Override
        public void failed(CloudMwException cause) {}
    }

    private void peer(int port, int sharedLabels) {
        peers.add(new FoundPeer(
                new PeerId("p" + peers.size()),
                "127.0.0.1:" + port,
                TOKEN,
                Set.of(chunk.id(), next.id()),
                sharedLabels));
    }

    private void peer(int sharedLabels, BulkHandler handler) throws CloudMwException {
        BulkServer server =
                BulkServer.bind(transport, new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), "peer", handler);
        servers.add(server);
        peer(server.port(), sharedLabels);
    }

    private static int closedPort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private static ChunkPart part(Chunk of) {
        PlannedChunk planned = new PlannedChunk(of, Set.of(), List.of(), Map.of());
        return new ChunkPart(new ManifestReader.Item(planned, 0), 0, 0, new ByteRange(0, LENGTH));
    }

    private PeerStage stage(Urgency urgency) {
        FileVersion version =
                new FileVersion(FilePath.parse("near:/f"), VERSION, LENGTH, 1, 1, Chunks.LEAF, 0, "0".repeat(64));
        ReadPlan plan = new ReadPlan(
                version,
                List.of(),
                List.of(),
                Mode.COOPERATIVE,
                false,
                TOKEN,
                1,
                SpeedBook.EMPTY,
                Optional.empty(),
                0,
                OptionalInt.empty(),
                true,
                Optional.empty(),
                List.of());
        TransferCredit credit = new TransferCredit(context.reads().credit(), 0, 4 << 20);
        return new PeerStage(
                new ReadScope(
                        context,
                        serial,
                        plan,
                        new Sink(),
                        credit,
                        ledger,
                        new ReadTrace(context, serial, version.file())),
                Location.NONE,
                urgency,
                new PlannedSpeeds(plan, Map::of),
                new Listening());
    }

    private static final class Sink implements LeafSink {
        @Override
        public boolean inOrder() {
            return false;
        }

        @Override
        public boolean mayBlock() {
            return false;
        }

        @Override
        public void open() {}

        @Override
        public void write(long offset, ByteBuffer leaf) {}

        @Override
        public void commit() {}

        @Override
        public void abort() {}
    }

    private final class Listening implements PeerStage.Listener {
        @Override
        public void searched() {
            searched.complete(null);
        }

        @Override
        public void broughtByPeer(int some) {}

        @Override
        public void left(ChunkPart part) {
            left.add(part);
        }

        @Override
        public void verified(Chunk of, long offset, ByteBuffer leaf) {}

        @Override
        public void destinationFailed(CloudMwException cause) {
            broken.complete(cause);
        }
    }

    /** The rest of the chunk after the peers. */
    private ChunkPart read(PeerStage stage, Chunk of) throws Exception {
        serial.execute(() -> assertThat(stage.begin(part(of))).isTrue());
        ChunkPart rest = left.poll(30, TimeUnit.SECONDS);
        assertThat(rest).isNotNull();
        return rest;
    }

    private PeerStage searchedStage() throws Exception {
        coordinator.peers().found = List.copyOf(peers);
        PeerStage stage = stage(WHENEVER);
        serial.execute(() -> stage.find(part(chunk), List.of(part(next).item().chunk())));
        searched.get(30, TimeUnit.SECONDS);
        return stage;
    }

    private boolean isHeld(PeerStage stage, Chunk of) throws Exception {
        return CompletableFuture.supplyAsync(() -> stage.isHeld(part(of)), serial)
                .get(30, TimeUnit.SECONDS);
    }

    @Test
    void noPeerIsAskedAfterThreeUnreachableOnes() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        for (int i = 0; i < PeerStage.MAX_USELESS; i++) {
            peer(closedPort(), 2);
        }
        peer(1, (stream, request) -> {
            asked.incrementAndGet();
            return new Giving(stream, bytes, LEAVES);
        });
        PeerStage stage = searchedStage();
        assertThat(isHeld(stage, chunk)).isTrue();
        assertThat(read(stage, chunk).missing().length()).isEqualTo(LENGTH);
        assertThat(ledger.uselessPeers()).isEqualTo(PeerStage.MAX_USELESS);
        assertThat(isHeld(stage, next)).isFalse();
        assertThat(asked).hasValue(0);
        assertThat(stage(WHENEVER).knows(part(next))).isTrue();
    }

    @Test
    void slowPeerIsGivenUp() throws Exception {
        peer(2, (stream, request) -> new Giving(stream, bytes, 3));
        PeerStage stage = searchedStage();
        ChunkPart rest = read(stage, chunk);
        assertThat(rest.fromPeers()).isEqualTo(3L * Chunks.LEAF);
        assertThat(ledger.hasFailed(peers.get(0).id())).isTrue();
        assertThat(ledger.uselessPeers()).isEqualTo(1);
        assertThat(isHeld(stage, next)).isFalse();
    }

    @Test
    void busyPeerMayBringLaterChunks() throws Exception {
        AtomicInteger refusals = new AtomicInteger(1);
        peer(2, (stream, request) -> {
            if (refusals.getAndDecrement() > 0) {
                throw new CloudMwException(ErrorCode.OVERLOADED, "on purpose");
            }
            return new Giving(stream, bytes, LEAVES);
        });
        PeerStage stage = searchedStage();
        assertThat(read(stage, chunk).missing().length()).isEqualTo(LENGTH);
        assertThat(ledger.uselessPeers()).isZero();
        assertThat(isHeld(stage, next)).isTrue();
        assertThat(read(stage, next).missing().isEmpty()).isTrue();
    }

    @Test
    void peerThatTimesOutOnTheDestinationIsNotBlamed() throws Exception {
        AtomicInteger resets = new AtomicInteger(1);
        peer(2, (stream, request) -> {
            if (resets.getAndDecrement() > 0) {
                throw new CloudMwException(ErrorCode.DEADLINE_EXCEEDED, "nothing was taken");
            }
            return new Giving(stream, bytes, LEAVES);
        });
        PeerStage stage = searchedStage();
        assertThat(read(stage, chunk).missing().length()).isEqualTo(LENGTH);
        assertThat(ledger.hasFailed(peers.get(0).id())).isFalse();
        assertThat(read(stage, next).missing().isEmpty()).isTrue();
    }

    @Test
    void readWithDeadlineAsksNoPeers() {
        PeerStage stage = stage(new Urgency(Priority.BATCH, Optional.of(Duration.ofSeconds(9))));
        assertThat(stage.knows(part(chunk))).isTrue();
        assertThat(stage.isHeld(part(chunk))).isFalse();
        assertThat(stage(WHENEVER).knows(part(chunk))).isFalse();
    }
}
