package io.cloudmw.it;

import io.cloudmw.client.CloudMw;
import io.cloudmw.core.bulk.BulkConnector;
import io.cloudmw.core.bulk.BulkOptions;
import io.cloudmw.core.bulk.BulkStream;
import io.cloudmw.core.bulk.BulkStreamListener;
import io.cloudmw.core.bulk.BulkTransport;
import io.cloudmw.core.config.HostPort;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.race.Block;
import io.cloudmw.core.race.BlockId;
import io.cloudmw.core.race.BlockRule;
import io.cloudmw.core.race.Entrant;
import io.cloudmw.core.race.IssuedBlock;
import io.cloudmw.core.race.RacerId;
import io.cloudmw.core.rpc.VersionHandshake;
import io.cloudmw.core.wire.ToWire;
import io.cloudmw.proto.v1.BeginTransfer;
import io.cloudmw.proto.v1.CoordinatorGrpc;
import io.cloudmw.proto.v1.Helper;
import io.cloudmw.proto.v1.PlanReadRequest;
import io.cloudmw.proto.v1.PlanReadResponse;
import io.cloudmw.proto.v1.TransferCommand;
import io.cloudmw.proto.v1.TransferEvent;
import io.cloudmw.proto.v1.TransfersGrpc;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.StreamObserver;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.buffer.ByteBuf;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/**
 * Clients of a switch that stop reading: each asks for a block, takes one leaf and grants no more credit until {@link
 * #goOn}. Each has its own bulk connection, which keeps answering; the transfers share a control connection. Used by
 * one thread.
 */
final class SilentClients implements AutoCloseable {
    private static final long BLOCK = 4 << 20;
    private static final int AT_ONCE = 100;
    private static final int TIMEOUT_SECONDS = 60;

    private final PlanReadResponse plan;
    private final List<Chunk> chunks;
    private final Helper helper;
    private final ManagedChannel control;
    private final BulkTransport transport =
            new BulkTransport("silent", 1, BulkOptions.defaults(), Optional.empty(), new SimpleMeterRegistry());
    private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
    private final Queue<OneLeaf> relays = new ConcurrentLinkedQueue<>();
    private volatile boolean goingOn;
    private volatile boolean closing;

    /**
     * Creates a set of clients, empty at first.
     *
     * @param file of several blocks; the first helper of its plan is the switch
     */
    SilentClients(String coordinator, CloudMw client, FilePath file) throws Exception {
        ManagedChannel asked = channel(coordinator);
        try {
            plan = CoordinatorGrpc.newBlockingStub(asked)
                    .planRead(PlanReadRequest.newBuilder()
                            .setVolume(file.volume().value())
                            .setPath(file.path())
                            .build());
        } finally {
            asked.shutdownNow();
        }
        chunks = client.files()
                .locate(file, client.files().stat(file).get().version().id(), 0)
                .get();
        helper = plan.getHelpers(0);
        control = channel(helper.getControlAddress());
    }

    private static ManagedChannel channel(String address) {
        return NettyChannelBuilder.forTarget("dns:///" + address)
                .usePlaintext()
                .intercept(VersionHandshake.client())
                .build();
    }

    /** Returns the failures of transfers and relays that the test did not end itself. */
    List<Throwable> failures() {
        return List.copyOf(failures);
    }

    /** Adds clients; returns when each has received a leaf of its block. */
    void add(int count) throws Exception {
        for (int first = 0; first < count; first += AT_ONCE) {
            List<CompletableFuture<Void>> leaves = IntStream.range(first, Math.min(count, first + AT_ONCE))
                    .mapToObj(this::addOne)
                    .toList();
            CompletableFuture.allOf(leaves.toArray(CompletableFuture[]::new)).get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
        }
    }

    private CompletableFuture<Void> addOne(int number) {
        CompletableFuture<Void> leaf = new CompletableFuture<>();
        IssuedBlock block = block(number);
        HostPort address = HostPort.parse(helper.getBulkAddress());
        return new BulkConnector(transport, "silent")
                .connect(
                        InetSocketAddress.createUnresolved(address.host(), address.port()),
                        (stream, request) -> new OneLeaf(stream, leaf, block.leafCrc32c()))
                .thenCompose(connection -> begin(connection.sessionId(), block))
                .thenCompose(begun -> leaf);
    }

    /** Lets all clients read on; returns when each has its block, with correct checksums. */
    void goOn() throws Exception {
        goingOn = true;
        CompletableFuture.allOf(relays.stream().map(OneLeaf::goOn).toArray(CompletableFuture[]::new))
                .get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
    }

    /** The destination of a relay, which takes one leaf. */
    private final class OneLeaf implements BulkStreamListener {
        private final BulkStream stream;
        private final CompletableFuture<Void> leaf;
        private final CompletableFuture<Void> whole = new CompletableFuture<>();
        /**
         * The expected checksums of the leaves. The connection has verified that the received bytes match the received
         * checksums.
         */
        private final int[] crcs;

        private int came;

        OneLeaf(BulkStream stream, CompletableFuture<Void> leaf, int[] crcs) {
            this.stream = stream;
            this.leaf = leaf;
            this.crcs = crcs;
            relays.add(this);
            stream.grant(chunks.get(0).leafSizeBytes());
        }

        CompletableFuture<Void> goOn() {
            stream.grant(BLOCK - chunks.get(0).leafSizeBytes());
            return whole;
        }

        @Override
        public void data(ByteBuf payload, int crc32c) {
            payload.release();
            if (crc32c != crcs[came]) {
                whole.completeExceptionally(new IllegalStateException("leaf " + came + " is another"));
            }
            came++;
            leaf.complete(null);
        }

        @Override
        public void granted() {}

        @Override
        public void ended(byte[] trailer) {
            if (goingOn && came == crcs.length) {
                whole.complete(null);
            } else {
                failures.add(new IllegalStateException("all was sent of what nobody took"));
            }
        }

        @Override
        public void failed(CloudMwException cause) {
            if (!closing) {
                failures.add(cause);
            }
            leaf.completeExceptionally(cause);
            whole.completeExceptionally(cause);
        }
    }

    private CompletableFuture<Void> begin(String session, IssuedBlock block) {
        CompletableFuture<Void> ready = new CompletableFuture<>();
        StreamObserver<TransferCommand> commands = TransfersGrpc.newStub(control)
                .transfer(new StreamObserver<>() {
                    @Override
                    public void onNext(TransferEvent event) {
                        if (event.hasReady()) {
                            ready.complete(null);
                        }
                    }

                    @Override
                    public void onError(Throwable cause) {
                        if (!closing) {
                            failures.add(cause);
                        }
                        ready.completeExceptionally(cause);
                    }

                    @Override
                    public void onCompleted() {
                        failures.add(new IllegalStateException("completed"));
                    }
                });
        commands.onNext(TransferCommand.newBuilder()
                .setBegin(BeginTransfer.newBuilder()
                        .setTransferId(VersionId.random().value())
                        .setToken(plan.getToken())
                        .addAllHelpers(plan.getHelpersList())
                        .addAllStores(plan.getStoresList())
                        .setMode(plan.getMode())
                        .setLanes(1)
                        .setSolitary(true)
                        .setShared(true)
                        .setBulkSessionId(session))
                .build());
        commands.onNext(
                TransferCommand.newBuilder().setIssue(ToWire.block(block)).build());
        return ready;
    }

    /** Returns a block for a client, a different one for each while there are enough blocks. */
    private IssuedBlock block(int number) {
        Chunk chunk = chunks.get(number % chunks.size());
        long blocks = chunk.range().length() / BLOCK;
        ByteRange range = new ByteRange(number / chunks.size() % blocks * BLOCK, BLOCK);
        int first = Math.toIntExact(range.offset() / chunk.leafSizeBytes());
        int[] crcs = IntStream.range(first, first + Math.toIntExact(BLOCK / chunk.leafSizeBytes()))
                .map(leaf -> chunk.leaves().crc32c()[leaf])
                .toArray();
        Block raced = new Block(
                new BlockId(0),
                chunk.index(),
                range,
                chunk.replicas().size(),
                List.of(new Entrant(new RacerId(0), 0)),
                BlockRule.SOLE);
        return new IssuedBlock(
                raced, chunk.id(), chunk.range().length(), chunk.leafSizeBytes(), crcs, chunk.replicas(), false);
    }

    /** Disconnects all clients at once. */
    @Override
    public void close() {
        closing = true;
        transport.close();
        control.shutdownNow();
    }
}
