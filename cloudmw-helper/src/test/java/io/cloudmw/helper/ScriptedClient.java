package io.cloudmw.helper;

import io.cloudmw.core.bulk.BulkConnection;
import io.cloudmw.core.bulk.BulkConnector;
import io.cloudmw.core.bulk.BulkOptions;
import io.cloudmw.core.bulk.BulkStream;
import io.cloudmw.core.bulk.BulkStreamListener;
import io.cloudmw.core.bulk.BulkTransport;
import io.cloudmw.core.bulk.message.BulkRequest;
import io.cloudmw.core.bulk.message.WriteEnd;
import io.cloudmw.core.bulk.message.WriteObstacle;
import io.cloudmw.core.bulk.message.WriteResult;
import io.cloudmw.core.bulk.message.WriteTargets;
import io.cloudmw.core.config.HostPort;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.Priority;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.Urgency;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.race.Block;
import io.cloudmw.core.race.BlockId;
import io.cloudmw.core.race.BlockRule;
import io.cloudmw.core.race.Entrant;
import io.cloudmw.core.race.IssuedBlock;
import io.cloudmw.core.race.RacerId;
import io.cloudmw.core.rpc.VersionHandshake;
import io.cloudmw.core.security.TransferRight;
import io.cloudmw.core.security.TransferToken;
import io.cloudmw.core.wire.ToWire;
import io.cloudmw.core.wire.UrgencyWire;
import io.cloudmw.proto.v1.BeginTransfer;
import io.cloudmw.proto.v1.GetWriteRequest;
import io.cloudmw.proto.v1.Mode;
import io.cloudmw.proto.v1.TransferCommand;
import io.cloudmw.proto.v1.TransferEvent;
import io.cloudmw.proto.v1.TransfersGrpc;
import io.cloudmw.proto.v1.WritingGrpc;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.StreamObserver;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayOutputStream;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * A scripted destination. It uploads chunks, begins a transfer at every helper, issues blocks, accepts the first relay
 * of each block and refuses the others.
 */
final class ScriptedClient implements AutoCloseable {
    static final int LEAF = 64 * 1024;

    final List<List<TransferEvent>> events = new ArrayList<>();
    final Map<Integer, byte[]> received = new ConcurrentHashMap<>();
    final List<Integer> offers = new CopyOnWriteArrayList<>();
    final Map<Integer, CompletableFuture<byte[]>> delivered = new ConcurrentHashMap<>();
    final List<CompletableFuture<Throwable>> ends = new ArrayList<>();
    private final HelperCluster cluster;
    private final int lanes;
    private final BulkTransport transport;
    /** Relays without credit so far; null when relays get all credit at once. */
    private @Nullable List<Runnable> heldBack;

    /** The urgency of later requests. */
    private Priority priority = Priority.BATCH;

    /** Declares all helpers as members of the trees of switches. */
    private boolean switched;

    /** Bytes of a relay that are accepted. */
    private volatile int most = Integer.MAX_VALUE;

    private final List<BulkConnection> bulk = new ArrayList<>();
    private final List<ManagedChannel> channels = new ArrayList<>();
    private final List<StreamObserver<TransferCommand>> commands = new ArrayList<>();
    private final String transfer = io.cloudmw.core.model.VersionId.random().value();

    ScriptedClient(HelperCluster cluster) throws Exception {
        this(cluster, 1, BulkOptions.defaults());
    }

    /** @param lanes number of racers of each helper */
    ScriptedClient(HelperCluster cluster, int lanes, BulkOptions options) throws Exception {
        this.cluster = cluster;
        this.lanes = lanes;
        this.transport = new BulkTransport("test-client", 1, options, Optional.empty(), new SimpleMeterRegistry());
        BulkConnector connector = new BulkConnector(transport, "client");
        for (HelperAddress helper : cluster.addresses()) {
            HostPort address = HostPort.parse(helper.bulk());
            bulk.add(connector
                    .connect(InetSocketAddress.createUnresolved(address.host(), address.port()), this::relayed)
                    .get(10, TimeUnit.SECONDS));
            channels.add(NettyChannelBuilder.forTarget("dns:///" + helper.control())
                    .usePlaintext()
                    .intercept(VersionHandshake.client())
                    .build());
        }
    }

    ScriptedClient withPriority(Priority value) {
        priority = value;
        return this;
    }

    /** Makes later reads use switches. */
    ScriptedClient throughSwitches() {
        switched = true;
        return this;
    }

    static int crc(byte[] bytes, int offset, int length) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, offset, length);
        return (int) crc.getValue();
    }

    static int[] crcs(byte[] chunk) {
        return IntStream.range(0, Chunk.leafCount(chunk.length, LEAF))
                .map(leaf -> crc(chunk, leaf * LEAF, Math.min(LEAF, chunk.length - leaf * LEAF)))
                .toArray();
    }

    ChunkId chunkId(int index) {
        return new ChunkId(cluster.version, index);
    }

    /** Uploads a chunk through helper {@code to} to {@code stores}. */
    CompletableFuture<WriteResult> upload(int to, int index, byte[] chunk, int[] crcs, List<Store> stores, int quorum) {
        Uploading uploading = new Uploading(chunk, crcs);
        uploading.start(
                bulk.get(to).open(write(index, chunk.length, stores, quorum).encode(), uploading));
        return uploading.result;
    }

    /** Begins an upload that stops after {@code leaves} leaves until it is told to go on. */
    PausedUpload pausedUpload(int to, int index, byte[] chunk, int leaves, List<Store> stores) {
        Uploading uploading = new Uploading(chunk, crcs(chunk));
        uploading.pauseAt = leaves * LEAF;
        BulkStream stream = bulk.get(to)
                .open(write(index, chunk.length, stores, stores.size()).encode(), uploading);
        uploading.start(stream);
        return new PausedUpload(uploading, stream);
    }

    /** An upload that has stopped in its middle. */
    record PausedUpload(Uploading uploading, BulkStream stream) {
        CompletableFuture<WriteResult> goOn() {
            synchronized (uploading) {
                uploading.pauseAt = Integer.MAX_VALUE;
            }
            uploading.granted();
            return uploading.result;
        }

        void reset() {
            stream.reset(ErrorCode.CANCELLED, "the writer stops");
        }
    }

    /** Returns the troubles that a helper reports for a chunk. */
    List<WriteObstacle> troubles(int rank, int index) throws CloudMwException {
        return WriteObstacle.fromWire(WritingGrpc.newBlockingStub(channels.get(rank))
                .getWrite(GetWriteRequest.newBuilder()
                        .setChunkId(chunkId(index).toString())
                        .setToken(ToWire.token(cluster.token(TransferRight.WRITE)))
                        .build()));
    }

    private BulkRequest.Write write(int index, int length, List<Store> stores, int quorum) {
        return new BulkRequest.Write(
                cluster.token(TransferRight.WRITE),
                chunkId(index),
                length,
                LEAF,
                new WriteTargets(stores, cluster.addresses()),
                quorum,
                HelperCluster.FILE,
                cluster.version);
    }

    /** Opens an upload of {@code length} bytes, waits for its first credit, and sends nothing. */
    CompletableFuture<WriteResult> hold(int to, int index, int length, List<Store> stores) throws Exception {
        Uploading uploading = new Uploading(new byte[length], new int[0]);
        var unused = bulk.get(to).open(write(index, length, stores, 1).encode(), uploading);
        uploading.granted.get(10, TimeUnit.SECONDS);
        return uploading.result;
    }

    /** Opens a read of a whole chunk and grants some bytes. */
    Reading read(int from, int index, Store store, long length, long granted) {
        BulkRequest.Read request = new BulkRequest.Read(
                cluster.token(TransferRight.READ),
                store.id(),
                chunkId(index),
                new ByteRange(0, length),
                Urgency.of(priority));
        Reading reading = new Reading();
        BulkStream stream = bulk.get(from).open(request.encode(), reading);
        stream.grant(granted);
        return reading;
    }

    /** Begins the transfer at all helpers. */
    void begin() {
        for (int rank = 0; rank < channels.size(); rank++) {
            begin(rank);
        }
    }

    void begin(int rank) {
        List<TransferEvent> heard = new CopyOnWriteArrayList<>();
        CompletableFuture<Throwable> end = new CompletableFuture<>();
        events.add(heard);
        ends.add(end);
        StreamObserver<TransferCommand> stream = TransfersGrpc.newStub(channels.get(rank))
                .transfer(new StreamObserver<>() {
                    @Override
                    public void onNext(TransferEvent event) {
                        heard.add(event);
                    }

                    @Override
                    public void onError(Throwable cause) {
                        end.complete(cause);
                    }

                    @Override
                    public void onCompleted() {
                        end.complete(new IllegalStateException("completed"));
                    }
                });
        commands.add(stream);
        BeginTransfer.Builder begin = BeginTransfer.newBuilder()
                .setTransferId(transfer)
                .setToken(ToWire.token(cluster.token(TransferRight.READ)))
                .setSelf(rank)
                .setLanes(lanes)
                .setMode(Mode.MODE_ROUNDS)
                .setPriority(UrgencyWire.priority(priority))
                .setShared(switched)
                .setTree(switched ? cluster.addresses().size() : 0)
                .setBulkSessionId(bulk.get(rank).sessionId());
        cluster.addresses().forEach(helper -> begin.addHelpers(ToWire.helper(helper)));
        cluster.stores().forEach(store -> begin.addStores(ToWire.store(store)));
        stream.onNext(TransferCommand.newBuilder().setBegin(begin).build());
    }

    /** Issues all of a chunk as block {@code block} to every helper, the i-th for the i-th store. */
    CompletableFuture<byte[]> issue(int block, byte[] chunk) {
        return issue(block, chunk, crcs(chunk), channels.size());
    }

    /** Issues all of a chunk as block {@code block} to one lane of the only helper. */
    CompletableFuture<byte[]> issueTo(int lane, int block, byte[] chunk) {
        return issueTo(lane, block, block, chunk);
    }

    /** Issues all of chunk {@code index} as block {@code block} to a lane of the only helper. */
    CompletableFuture<byte[]> issueTo(int lane, int block, int index, byte[] chunk) {
        return issueTo(new Entrant(new RacerId(lane), 0), block, index, chunk);
    }

    /**
     * Issues all of chunk {@code index} as block {@code block} to one racer, for the store that it is an entrant for.
     */
    CompletableFuture<byte[]> issueTo(Entrant sole, int block, int index, byte[] chunk) {
        CompletableFuture<byte[]> whole = new CompletableFuture<>();
        delivered.put(block, whole);
        received.put(block, new byte[chunk.length]);
        send(block, chunkId(index), crcs(chunk), chunk.length, List.of(sole), BlockRule.SOLE, Optional.empty());
        return whole;
    }

    void withdraw(int block) {
        send(0, TransferCommand.newBuilder().setWithdrawBlock(block).build());
    }

    CompletableFuture<byte[]> issue(int block, byte[] chunk, int[] crcs, int racers) {
        List<Entrant> entrants = IntStream.range(0, racers)
                .mapToObj(rank -> new Entrant(new RacerId(rank), rank))
                .toList();
        return issue(block, chunk, crcs, entrants, BlockRule.RACE);
    }

    private CompletableFuture<byte[]> issue(
            int block, byte[] chunk, int[] crcs, List<Entrant> entrants, BlockRule rule) {
        CompletableFuture<byte[]> whole = new CompletableFuture<>();
        delivered.put(block, whole);
        received.put(block, new byte[chunk.length]);
        send(block, chunkId(block), crcs, chunk.length, entrants, rule, Optional.empty());
        return whole;
    }

    /** Issues a chunk of one leaf, which another version may have written, to the first lane of the only helper. */
    void issueOf(ChunkId chunk, Optional<TransferToken> token) {
        send(0, chunk, new int[1], 1, List.of(new Entrant(new RacerId(0), 0)), BlockRule.SOLE, token);
    }

    private void send(
            int block,
            ChunkId chunk,
            int[] crcs,
            int length,
            List<Entrant> entrants,
            BlockRule rule,
            Optional<TransferToken> token) {
        List<StoreId> replicas = cluster.stores().stream().map(Store::id).toList();
        Block raced = new Block(new BlockId(block), block, new ByteRange(0, length), replicas.size(), entrants, rule);
        TransferCommand command = TransferCommand.newBuilder()
                .setIssue(ToWire.block(new IssuedBlock(raced, chunk, length, LEAF, crcs, replicas, false, token)))
                .build();
        commands.forEach(stream -> stream.onNext(command));
    }

    void acknowledge(int block) {
        TransferCommand command =
                TransferCommand.newBuilder().setDeliveredBlock(block).build();
        commands.forEach(stream -> stream.onNext(command));
    }

    /** Doubts a block, in any state. */
    void doubt(int rank, int block) {
        send(rank, TransferCommand.newBuilder().setDoubtBlock(block).build());
    }

    void send(int rank, TransferCommand command) {
        commands.get(rank).onNext(command);
    }

    void hangUp() {
        commands.forEach(StreamObserver::onCompleted);
    }

    void dropBulk(int rank) {
        bulk.get(rank).close();
    }

    /** Makes later relays end after their first bytes. */
    void takeOnly(int bytes) {
        most = bytes;
    }

    /** Makes later relays wait for credit until {@link #release}. */
    synchronized void holdBack() {
        heldBack = new ArrayList<>();
    }

    synchronized void release() {
        List<Runnable> all = Objects.requireNonNull(heldBack);
        heldBack = null;
        all.forEach(Runnable::run);
    }

    private synchronized void grant(Runnable granting) {
        if (heldBack == null) {
            granting.run();
        } else {
            heldBack.add(granting);
        }
    }

    private BulkStreamListener relayed(BulkStream stream, byte[] request) throws CloudMwException {
        BulkRequest.Relay relay = (BulkRequest.Relay) BulkRequest.decode(request);
        int block = relay.block().value();
        byte[] target = Objects.requireNonNull(received.get(block));
        CompletableFuture<byte[]> whole = Objects.requireNonNull(delivered.get(block));
        offers.add(block);
        if (!relay.transfer().equals(transfer)
                || offers.stream().filter(b -> b == block).count() > 1) {
            throw new CloudMwException(ErrorCode.CANCELLED, "not wanted");
        }
        grant(() -> stream.grant(Math.min(most, target.length)));
        return new BulkStreamListener() {
            private int position;

            @Override
            public void data(ByteBuf payload, int crc32c) {
                int length = payload.readableBytes();
                payload.readBytes(target, position, length);
                payload.release();
                position += length;
                if (position == most) {
                    stream.reset(ErrorCode.CANCELLED, "enough");
                    whole.complete(target);
                }
            }

            @Override
            public void ended(byte[] trailer) {
                stream.end(new byte[0]);
                whole.complete(target);
            }

            @Override
            public void granted() {}

            @Override
            public void failed(CloudMwException cause) {
                whole.completeExceptionally(cause);
            }
        };
    }

    @Override
    public void close() {
        channels.forEach(ManagedChannel::shutdownNow);
        transport.close();
    }

    /** The listener that keeps the bytes of a relay. */
    static final class Reading implements BulkStreamListener {
        final CompletableFuture<Void> first = new CompletableFuture<>();
        final CompletableFuture<byte[]> result = new CompletableFuture<>();
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

        @Override
        public void data(ByteBuf payload, int crc32c) {
            byte[] copy = new byte[payload.readableBytes()];
            payload.readBytes(copy);
            payload.release();
            bytes.writeBytes(copy);
            first.complete(null);
        }

        @Override
        public void ended(byte[] trailer) {
            result.complete(bytes.toByteArray());
        }

        @Override
        public void granted() {}

        @Override
        public void failed(CloudMwException cause) {
            result.completeExceptionally(cause);
        }
    }

    /** The sender of a chunk within its credit. */
    private static final class Uploading implements BulkStreamListener {
        private final CompletableFuture<Void> granted = new CompletableFuture<>();
        private final CompletableFuture<WriteResult> result = new CompletableFuture<>();
        private final CompletableFuture<BulkStream> stream = new CompletableFuture<>();
        private final byte[] chunk;
        private final int[] crcs;
        private int position;
        private int pauseAt = Integer.MAX_VALUE;

        Uploading(byte[] chunk, int[] crcs) {
            this.chunk = chunk;
            this.crcs = crcs;
        }

        void start(BulkStream opened) {
            stream.complete(opened);
            granted();
        }

        @Override
        public synchronized void granted() {
            BulkStream open = stream.getNow(null);
            if (open == null) {
                granted.complete(null);
                return;
            }
            while (position < Math.min(pauseAt, chunk.length)) {
                int length = Math.min(LEAF, chunk.length - position);
                if (open.credit() < length) {
                    return;
                }
                var unused = open.send(Unpooled.wrappedBuffer(chunk, position, length), crc(chunk, position, length));
                position += length;
                if (position == chunk.length) {
                    open.end(WriteEnd.encode(crcs));
                }
            }
        }

        @Override
        public void data(ByteBuf payload, int crc32c) {
            payload.release();
        }

        @Override
        public void ended(byte[] trailer) {
            try {
                result.complete(WriteResult.decode(trailer));
            } catch (CloudMwException e) {
                result.completeExceptionally(e);
            }
        }

        @Override
        public void failed(CloudMwException cause) {
            result.completeExceptionally(cause);
        }
    }
}
