package io.cloudmw.client.rpc;

import io.cloudmw.core.bulk.BulkConnection;
import io.cloudmw.core.bulk.BulkHandler;
import io.cloudmw.core.bulk.BulkOptions;
import io.cloudmw.core.bulk.BulkServer;
import io.cloudmw.core.bulk.BulkStream;
import io.cloudmw.core.bulk.BulkStreamListener;
import io.cloudmw.core.bulk.BulkTransport;
import io.cloudmw.core.bulk.message.BulkRequest;
import io.cloudmw.core.bulk.message.WriteResult;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.race.IssuedBlock;
import io.cloudmw.core.race.RacerId;
import io.cloudmw.core.rpc.RpcErrors;
import io.cloudmw.core.rpc.VersionHandshake;
import io.cloudmw.core.time.Ticker;
import io.cloudmw.core.wire.FromWire;
import io.cloudmw.proto.v1.AttemptReport;
import io.cloudmw.proto.v1.AttemptState;
import io.cloudmw.proto.v1.BeginTransfer;
import io.cloudmw.proto.v1.BlockForfeited;
import io.cloudmw.proto.v1.ReplicaFault;
import io.cloudmw.proto.v1.TransferCommand;
import io.cloudmw.proto.v1.TransferEvent;
import io.cloudmw.proto.v1.TransferReady;
import io.cloudmw.proto.v1.TransfersGrpc;
import io.grpc.Server;
import io.grpc.ServerInterceptors;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/** A helper that speaks both planes and follows a script. Its chunks are in memory. */
public final class FakeHelper implements AutoCloseable {
    /** The helper's behaviour with blocks. */
    public enum Script {
        /** Offers every block at once. */
        SERVE,
        /** Offers every block at once, and reports no attempts. */
        WORDLESS,
        /** Sends nothing. */
        SILENT,
        /** Starts an attempt at every block, and brings nothing. */
        STALL,
        /** Forfeits every block. */
        FORFEIT,
        /** Refuses the first block for an hour, and forfeits the others for other reasons. */
        FULL_AT_FIRST,
        /** Dies after the first leaf of its first relay. */
        DIE_MID_RELAY,
        /** Relays nothing after the {@value #LATE}th leaf. */
        STALL_LATE,
        /** Relays a wrong second leaf. */
        CORRUPT_LEAF,
        /** Relays a second leaf that is damaged on the way; its replica is good. */
        DAMAGED_ON_THE_WAY,
        /** Relays a second leaf that differs from the manifest; when doubted, it reports its replica as bad. */
        CORRUPT_REPLICA,
        /** Loses the connection while it is being written to. */
        DIE_MID_WRITE,
        /** Takes chunks, and never confirms them. */
        UNANSWERED_WRITES,
        /** Refuses the first seven chunks as overloaded. */
        BUSY,
        /** Fails the first seven chunks, because it cannot reach enough disks. */
        CUT_OFF,
        /** Refuses the first three transfers, with a retry-after of {@link #ROOM_AFTER}. */
        FULL
    }

    /** The helper's behaviour, as a switch, with requests for leaves and for cached blocks. */
    public enum Sharing {
        /** Sends them. */
        SERVE,
        /** Refuses: it is no switch. */
        REFUSE,
        /** Sends nothing. */
        SILENT,
        /** Sends wrong leaves with the checksums of the requested ones. */
        SPOIL,
        /** Sends other leaves, as they are. */
        CONFUSE
    }

    private static final int LATE = 34;

    /** Longer than clients' own backoff. */
    private static final Duration ROOM_AFTER = Duration.ofMillis(500);

    private static final Set<Script> DAMAGING =
            EnumSet.of(Script.CORRUPT_LEAF, Script.DAMAGED_ON_THE_WAY, Script.CORRUPT_REPLICA);

    private final HelperId id;
    private final Script script;
    private final Map<ChunkId, byte[]> chunks;
    private final BulkTransport transport;
    private final BulkServer bulk;
    private final Server control;
    private final Map<String, BulkConnection> sessions = new ConcurrentHashMap<>();
    private final FakeWarming warming = new FakeWarming();
    private final AtomicInteger openTransfers = new AtomicInteger();
    private final AtomicInteger begunTransfers = new AtomicInteger();
    private final List<BeginTransfer> begins = new CopyOnWriteArrayList<>();
    private final AtomicInteger askedTooSoon = new AtomicInteger();
    private volatile long roomAtNanos = Ticker.system().nanos();
    private final AtomicInteger unrefusedRelays = new AtomicInteger();
    private final AtomicInteger corruptRelays = new AtomicInteger();
    private final AtomicInteger sharedReads = new AtomicInteger();
    private final Set<String> sharedReadThreads = ConcurrentHashMap.newKeySet();
    private final AtomicInteger keptReads = new AtomicInteger();
    private final AtomicInteger corruptShared = new AtomicInteger();
    private volatile Sharing sharing = Sharing.SERVE;
    private final AtomicInteger openShared = new AtomicInteger();
    private final AtomicInteger mostShared = new AtomicInteger();
    private volatile Predicate<ChunkId> kept = chunk -> false;
    private final AtomicInteger leavesRelayed = new AtomicInteger();
    private final AtomicInteger forfeits = new AtomicInteger();
    private final AtomicInteger refusedUploads = new AtomicInteger();
    private final AtomicLong hedgesTold = new AtomicLong();
    private final AtomicLong hedgesIssuedTold = new AtomicLong();
    private final AtomicInteger uploads = new AtomicInteger();
    private final AtomicInteger mostUploads = new AtomicInteger();
    private final AtomicInteger receivedUploads = new AtomicInteger();
    private final List<Long> largestCredit = new CopyOnWriteArrayList<>();

    /** @param chunks shared by the helpers of a test: every helper can read what one writes */
    public FakeHelper(String name, Script script, Map<ChunkId, byte[]> chunks) throws IOException {
        id = new HelperId(name);
        this.script = script;
        this.chunks = chunks;
        transport = new BulkTransport(
                "fake-" + name, 1, BulkOptions.defaults(), Optional.empty(), new SimpleMeterRegistry());
        bulk = BulkServer.bind(
                transport, new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), name, new Handler());
        control = NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .permitKeepAliveTime(1, TimeUnit.SECONDS)
                .addService(ServerInterceptors.intercept(new Service(), VersionHandshake.server()))
                .addService(ServerInterceptors.intercept(warming, VersionHandshake.server()))
                .build()
                .start();
    }

    public HelperAddress address() {
        return new HelperAddress(id, "127.0.0.1:" + control.getPort(), "127.0.0.1:" + bulk.port());
    }

    /** The helper's behaviour when it is warmed. */
    public FakeWarming warming() {
        return warming;
    }

    /** The number of transfers whose stream is open. */
    public int openTransfers() {
        return openTransfers.get();
    }

    /** The number of transfers that were ever begun here. */
    public int begunTransfers() {
        return begunTransfers.get();
    }

    /** The parameters of each transfer. */
    public List<BeginTransfer> begins() {
        return List.copyOf(begins);
    }

    /** The number of transfers that began before the retry-after. */
    public int askedTooSoon() {
        return askedTooSoon.get();
    }

    /** Extra attempts that won, as destinations reported at the end. */
    public long hedgesTold() {
        return hedgesTold.get();
    }

    /** Extra attempts in all, as destinations reported at the end. */
    public long hedgesIssuedTold() {
        return hedgesIssuedTold.get();
    }

    /** Relays that it opened and the destination did not refuse. */
    public int unrefusedRelays() {
        return unrefusedRelays.get();
    }

    /** Relays that the client refused as corrupt. */
    public int corruptRelays() {
        return corruptRelays.get();
    }

    public int leavesRelayed() {
        return leavesRelayed.get();
    }

    public void share(Sharing how) {
        sharing = how;
    }

    /** Leaves that readers requested from it as a switch. */
    public int sharedReads() {
        return sharedReads.get();
    }

    /** The names of the event loops that received these requests. */
    public Set<String> sharedReadThreads() {
        return sharedReadThreads;
    }

    /** The bytes of a chunk, or of a slice of one; null: it has none. */
    private byte @Nullable [] chunk(ChunkId id) {
        byte[] stored = chunks.get(id.stored());
        if (stored == null || id.slice().isEmpty()) {
            return stored;
        }
        ByteRange slice = id.slice().get();
        return Arrays.copyOfRange(stored, (int) slice.offset(), (int) slice.end());
    }

    /** Caches every chunk, as a switch, until a reader reports damage. */
    public void keepAll() {
        keep(chunk -> true);
    }

    /** Caches these chunks. */
    public void keep(Predicate<ChunkId> chunks) {
        kept = chunks;
    }

    /** Requests to it as a switch that are neither answered nor cancelled. */
    public int openShared() {
        return openShared.get();
    }

    /** The maximum of these so far. */
    public int mostShared() {
        return mostShared.get();
    }

    /** Requests for cached blocks, hits and misses. */
    public int keptReads() {
        return keptReads.get();
    }

    /** Requests for cached blocks that the reader reported as corrupt. */
    public int corruptShared() {
        return corruptShared.get();
    }

    /** Chunks that were sent to it and that it did not refuse. */
    public int receivedUploads() {
        return receivedUploads.get();
    }

    /** The most chunks that it ever received at once. */
    public int mostUploads() {
        return mostUploads.get();
    }

    /** The most credit that any relay ever had. */
    public long largestCredit() {
        return largestCredit.stream().mapToLong(Long::longValue).max().orElse(0);
    }

    /** Dies as after a kill: everything closes. */
    public void die() {
        bulk.close();
        sessions.values().forEach(BulkConnection::close);
        control.shutdownNow();
    }

    @Override
    public void close() {
        die();
        transport.close();
    }

    private static int crc(byte[] bytes, int offset, int length) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, offset, length);
        return (int) crc.getValue();
    }

    private final class Handler implements BulkHandler {
        @Override
        public void connected(BulkConnection connection) {
            sessions.put(connection.sessionId(), connection);
        }

        @Override
        public BulkStreamListener opened(BulkStream stream, byte[] request) throws CloudMwException {
            BulkRequest decoded = BulkRequest.decode(request);
            if (decoded instanceof BulkRequest.Shared shared) {
                return share(stream, shared);
            }
            if (!(decoded instanceof BulkRequest.Write write)) {
                throw new CloudMwException(ErrorCode.INVALID_ARGUMENT, "writes only");
            }
            if (script == Script.BUSY && refusedUploads.incrementAndGet() <= 7) {
                throw new CloudMwException(ErrorCode.OVERLOADED, "7 uploads at once already");
            }
            if (script == Script.CUT_OFF && refusedUploads.incrementAndGet() <= 7) {
                throw new CloudMwException(ErrorCode.QUORUM_NOT_MET, "the owner of a disk is away")
                        .retriedAfter(Duration.ofMillis(1));
            }
            receivedUploads.incrementAndGet();
            mostUploads.accumulateAndGet(uploads.incrementAndGet(), Math::max);
            stream.grant(1 << 20);
            return new Writing(stream, write);
        }

        private BulkStreamListener share(BulkStream stream, BulkRequest.Shared shared) throws CloudMwException {
            (shared.kept() ? keptReads : sharedReads).incrementAndGet();
            if (!shared.kept()) {
                sharedReadThreads.add(Thread.currentThread().getName());
            }
            if (sharing == Sharing.REFUSE) {
                throw new CloudMwException(ErrorCode.HELPER_UNAVAILABLE, "no switch");
            }
            if (shared.kept() && !kept.test(shared.block().chunk())) {
                throw new CloudMwException(ErrorCode.NOT_FOUND, "not kept");
            }
            if (shared.kept() && sharing != Sharing.SILENT) {
                stream.grant(1);
            }
            return new SharedLeaves(stream, shared.block());
        }
    }

    /** A sender of leaves. */
    private final class SharedLeaves implements BulkStreamListener {
        private final BulkStream stream;
        private final IssuedBlock block;
        private int sent;

        SharedLeaves(BulkStream stream, IssuedBlock block) {
            this.stream = stream;
            this.block = block;
            mostShared.accumulateAndGet(openShared.incrementAndGet(), Math::max);
        }

        @Override
        public void granted() {
            byte[] chunk = chunk(block.chunk());
            int length = (int) block.block().range().length();
            while (chunk != null && sharing != Sharing.SILENT && sent < length) {
                int leaf = Math.min(block.leafSizeBytes(), length - sent);
                if (stream.credit() < leaf) {
                    return;
                }
                send(chunk, (int) block.block().range().offset() + sent, leaf);
                sent += leaf;
                if (sent == length) {
                    openShared.decrementAndGet();
                    stream.end(new byte[0]);
                }
            }
        }

        private void send(byte[] chunk, int from, int leaf) {
            byte[] bytes = Arrays.copyOfRange(chunk, from, from + leaf);
            int crc = block.leafCrc32c()[sent / block.leafSizeBytes()];
            if (sharing == Sharing.SPOIL || sharing == Sharing.CONFUSE) {
                bytes[leaf / 2]++;
            }
            if (sharing == Sharing.CONFUSE) {
                CRC32C own = new CRC32C();
                own.update(bytes);
                crc = (int) own.getValue();
            }
            var unused = stream.send(Unpooled.wrappedBuffer(bytes), crc);
        }

        @Override
        public void data(ByteBuf payload, int crc32c) {
            payload.release();
        }

        @Override
        public void ended(byte[] trailer) {}

        @Override
        public void failed(CloudMwException cause) {
            if (sent < block.block().range().length()) {
                openShared.decrementAndGet();
            }
            if (cause.code() == ErrorCode.REPLICA_CORRUPT) {
                kept = none -> false;
                corruptShared.incrementAndGet();
            }
        }
    }

    /** A receiver of one chunk. */
    private final class Writing implements BulkStreamListener {
        private final BulkStream stream;
        private final BulkRequest.Write write;
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

        Writing(BulkStream stream, BulkRequest.Write write) {
            this.stream = stream;
            this.write = write;
        }

        @Override
        public void data(ByteBuf payload, int crc32c) {
            int length = payload.readableBytes();
            byte[] copy = new byte[length];
            payload.readBytes(copy);
            payload.release();
            if (script == Script.DIE_MID_WRITE) {
                stream.connection().close();
                return;
            }
            bytes.writeBytes(copy);
            stream.grant(length);
        }

        @Override
        public void ended(byte[] trailer) {
            if (script == Script.UNANSWERED_WRITES) {
                return;
            }
            uploads.decrementAndGet();
            chunks.put(write.chunk(), bytes.toByteArray());
            stream.end(new WriteResult(write.stores().stream().map(Store::id).toList(), List.of()).encode());
        }

        @Override
        public void granted() {}

        @Override
        public void failed(CloudMwException cause) {}
    }

    private final class Service extends TransfersGrpc.TransfersImplBase {
        @Override
        public StreamObserver<TransferCommand> transfer(StreamObserver<TransferEvent> events) {
            openTransfers.incrementAndGet();
            begunTransfers.incrementAndGet();
            return new Transfer(events);
        }
    }

    private final class Transfer implements StreamObserver<TransferCommand> {
        private final StreamObserver<TransferEvent> events;
        private final Map<Integer, IssuedBlock> issued = new ConcurrentHashMap<>();
        private @Nullable BeginTransfer begin;

        Transfer(StreamObserver<TransferEvent> events) {
            this.events = events;
        }

        @Override
        public void onNext(TransferCommand command) {
            switch (command.getCommandCase()) {
                case BEGIN -> {
                    begins.add(command.getBegin());
                    askedTooSoon.addAndGet(Ticker.system().nanos() - roomAtNanos < 0 ? 1 : 0);
                    if (script == Script.FULL && begunTransfers.get() <= 3) {
                        roomAtNanos = Ticker.system().nanos() + ROOM_AFTER.toNanos();
                        events.onError(
                                RpcErrors.toStatus(CloudMwException.overloaded("3 transfers run here", ROOM_AFTER)));
                        return;
                    }
                    begin = command.getBegin();
                    say(TransferEvent.newBuilder()
                            .setReady(TransferReady.newBuilder().setHelperId(id.value()))
                            .build());
                }
                case ISSUE -> issued(command.getIssue());
                case HEDGES -> {
                    hedgesTold.addAndGet(command.getHedges().getWon());
                    hedgesIssuedTold.addAndGet(command.getHedges().getIssued());
                }
                case DOUBT_BLOCK -> judge(command.getDoubtBlock());
                default -> {}
            }
        }

        private void judge(int block) {
            IssuedBlock doubted = issued.get(block);
            if (script == Script.CORRUPT_REPLICA && doubted != null) {
                say(TransferEvent.newBuilder()
                        .setFault(ReplicaFault.newBuilder()
                                .setChunkId(doubted.chunk().toString())
                                .setStoreId(doubted.replicas().get(0).value())
                                .setErrorCode(ErrorCode.REPLICA_CORRUPT.name()))
                        .build());
            }
            say(TransferEvent.newBuilder().setJudgedBlock(block).build());
        }

        private void issued(io.cloudmw.proto.v1.Block message) {
            IssuedBlock block;
            try {
                block = FromWire.block(message);
            } catch (CloudMwException e) {
                events.onError(e);
                return;
            }
            issued.put(block.block().id().value(), block);
            BeginTransfer setup = begin;
            if (setup == null || script == Script.SILENT) {
                return;
            }
            if (script == Script.FORFEIT || script == Script.FULL_AT_FIRST) {
                boolean full = script == Script.FULL_AT_FIRST && forfeits.getAndIncrement() == 0;
                say(TransferEvent.newBuilder()
                        .setForfeited(BlockForfeited.newBuilder()
                                .setBlockId(block.block().id().value())
                                .setRacer(racer(setup, block))
                                .setErrorCode((full ? ErrorCode.OVERLOADED : ErrorCode.STORE_UNAVAILABLE).name())
                                .setRetryAfterMillis(full ? Duration.ofHours(1).toMillis() : 0))
                        .build());
                return;
            }
            if (script == Script.STALL) {
                report(setup, block, AttemptState.ATTEMPT_STATE_STARTED, 0);
                return;
            }
            if (script != Script.WORDLESS) {
                reportAll(setup, block, block.block().range().length());
            }
            BulkConnection session = sessions.get(setup.getBulkSessionId());
            if (session != null) {
                new Relaying(block).open(session, setup.getTransferId(), racer(setup, block));
            }
        }

        private void reportAll(BeginTransfer setup, IssuedBlock block, long length) {
            report(setup, block, AttemptState.ATTEMPT_STATE_WAITING, 0);
            report(setup, block, AttemptState.ATTEMPT_STATE_STARTED, 0);
            report(setup, block, AttemptState.ATTEMPT_STATE_FINISHED, length);
            report(setup, block, AttemptState.ATTEMPT_STATE_WAITING, length);
        }

        /** The lane that is asked. */
        private static int racer(BeginTransfer setup, IssuedBlock block) {
            return block.block().entrants().stream()
                    .mapToInt(entrant -> entrant.racer().rank())
                    .filter(rank -> rank % setup.getHelpersCount() == setup.getSelf())
                    .findFirst()
                    .orElse(setup.getSelf());
        }

        private void report(BeginTransfer setup, IssuedBlock block, AttemptState state, long bytes) {
            say(TransferEvent.newBuilder()
                    .setAttempt(AttemptReport.newBuilder()
                            .setBlockId(block.block().id().value())
                            .setRacer(racer(setup, block))
                            .setStoreId(block.replicas().get(0).value())
                            .setState(state)
                            .setBytes(bytes))
                    .build());
        }

        private synchronized void say(TransferEvent event) {
            events.onNext(event);
        }

        @Override
        public void onError(Throwable failure) {
            openTransfers.decrementAndGet();
        }

        @Override
        public void onCompleted() {
            openTransfers.decrementAndGet();
            synchronized (this) {
                events.onCompleted();
            }
        }
    }

    /** A relay of one block under credit. Confined to the connection's event loop, except for opening. */
    private final class Relaying implements BulkStreamListener {
        private final IssuedBlock block;
        private @Nullable BulkStream stream;
        private long sent;
        private boolean over;

        Relaying(IssuedBlock block) {
            this.block = block;
        }

        synchronized void open(BulkConnection session, String transfer, int self) {
            unrefusedRelays.incrementAndGet();
            stream = session.open(
                    new BulkRequest.Relay(
                                    transfer,
                                    block.block().id(),
                                    new RacerId(self),
                                    block.replicas().get(0))
                            .encode(),
                    this);
        }

        @Override
        public synchronized void granted() {
            BulkStream open = stream;
            byte[] chunk = chunk(block.chunk());
            if (open == null || chunk == null) {
                return;
            }
            largestCredit.add(open.credit());
            long length = block.block().range().length();
            while (!over && sent < length) {
                int leaf = (int) Math.min(block.leafSizeBytes(), length - sent);
                if (open.credit() < leaf) {
                    return;
                }
                int from = (int) (block.block().range().offset() + sent);
                byte[] bytes = Arrays.copyOfRange(chunk, from, from + leaf);
                int number = leavesRelayed.incrementAndGet();
                int crc = crc(bytes, 0, leaf);
                if (number == 2 && DAMAGING.contains(script)) {
                    bytes[0]++;
                    crc = script == Script.CORRUPT_LEAF ? crc(bytes, 0, leaf) : crc;
                }
                var unused = open.send(Unpooled.wrappedBuffer(bytes), crc);
                sent += leaf;
                if (script == Script.DIE_MID_RELAY) {
                    var unusedThen = unused.whenComplete((nothing, failure) -> die());
                    over = true;
                }
                over |= script == Script.STALL_LATE && number >= LATE;
            }
            if (!over && sent == length) {
                over = true;
                open.end(new byte[0]);
            }
        }

        @Override
        public void data(ByteBuf payload, int crc32c) {
            payload.release();
        }

        @Override
        public void ended(byte[] trailer) {}

        @Override
        public synchronized void failed(CloudMwException cause) {
            over = true;
            if (cause.code() == ErrorCode.CANCELLED) {
                unrefusedRelays.decrementAndGet();
            } else if (cause.code() == ErrorCode.REPLICA_CORRUPT) {
                corruptRelays.incrementAndGet();
            }
        }
    }
}
