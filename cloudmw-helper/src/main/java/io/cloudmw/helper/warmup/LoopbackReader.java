package io.cloudmw.helper.warmup;

import io.cloudmw.core.bulk.BulkConnection;
import io.cloudmw.core.bulk.BulkStream;
import io.cloudmw.core.bulk.BulkStreamListener;
import io.cloudmw.core.bulk.message.BulkRequest;
import io.cloudmw.core.bulk.message.WriteEnd;
import io.cloudmw.core.bulk.message.WriteTargets;
import io.cloudmw.core.config.HostPort;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.Priority;
import io.cloudmw.core.model.Urgency;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.race.BlockId;
import io.cloudmw.core.race.IssuedBlock;
import io.cloudmw.core.security.TransferToken;
import io.cloudmw.helper.LoopbackHelper;
import io.cloudmw.helper.rpc.TransferCaller;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * The client of a warm-up: one bulk connection to the helper, on which it reads blocks through transfers and through
 * the switch, and writes chunks. Received bytes are verified by the bulk plane and dropped. Safe for any thread.
 */
final class LoopbackReader implements AutoCloseable {
    private final HelperAddress helper;
    private final Store store;
    private final TransferToken token;
    private final Executor executor;
    private final CompletableFuture<BulkConnection> connecting;
    private final Map<BlockId, CompletableFuture<Void>> relayed = new ConcurrentHashMap<>();
    private volatile @Nullable TransferCaller transfer;

    /** @param executor runs the callbacks of gRPC */
    LoopbackReader(LoopbackHelper helper, Store store, TransferToken token, Executor executor) {
        this.helper = helper.address();
        this.store = store;
        this.token = token;
        this.executor = executor;
        HostPort bulk = HostPort.parse(this.helper.bulk());
        this.connecting =
                helper.connector("warm-up").connect(new InetSocketAddress(bulk.host(), bulk.port()), this::offered);
    }

    /** Completes when the bulk connection is there. */
    CompletableFuture<BulkConnection> connected() {
        return connecting;
    }

    /** Begins a transfer; later blocks are issued to it. Called once, after {@link #connected}. */
    void begin() {
        transfer = TransferCaller.begin(
                helper,
                VersionId.random().value(),
                token,
                List.of(store),
                connecting.join().sessionId(),
                executor,
                this::failed);
    }

    /** Reads a block through the transfer; block numbers rise. */
    CompletableFuture<Void> issue(IssuedBlock block) {
        TransferCaller begun = transfer;
        if (begun == null) {
            throw new IllegalStateException("issue before begin");
        }
        CompletableFuture<Void> whole = new CompletableFuture<>();
        relayed.put(block.block().id(), whole);
        begun.issue(block);
        return whole.thenRun(() -> begun.delivered(block.block().id()));
    }

    private void failed() {
        CloudMwException why = new CloudMwException(ErrorCode.CANCELLED, "warm-up: the transfer has ended");
        relayed.values().forEach(whole -> whole.completeExceptionally(why));
    }

    /** Accepts the relay of an issued block. */
    private BulkStreamListener offered(BulkStream stream, byte[] request) throws CloudMwException {
        CompletableFuture<Void> whole =
                BulkRequest.decode(request) instanceof BulkRequest.Relay relay ? relayed.remove(relay.block()) : null;
        if (whole == null) {
            throw new CloudMwException(ErrorCode.CANCELLED, "not wanted");
        }
        stream.grant(SampleChunk.CHUNK_BYTES);
        Receipt receipt = new Receipt(whole);
        receipt.from(stream);
        return receipt;
    }

    /** Reads a block as a reader of the switch does. */
    CompletableFuture<Void> share(IssuedBlock block) {
        BulkRequest.Shared request = new BulkRequest.Shared(
                token, block, List.of(store), List.of(helper), 1, 0, Urgency.of(Priority.BATCH), true, false, 0);
        CompletableFuture<Void> whole = new CompletableFuture<>();
        Receipt receipt = new Receipt(whole);
        BulkStream stream = connecting.join().open(request.encode(), receipt);
        receipt.from(stream);
        stream.grant(block.block().range().length());
        return whole;
    }

    /** Writes a chunk of whole leaves. */
    CompletableFuture<Void> write(int index, int bytes) {
        BulkRequest.Write request = new BulkRequest.Write(
                token,
                SampleChunk.only().chunk(index),
                bytes,
                SampleChunk.LEAF_BYTES,
                new WriteTargets(List.of(store), List.of(helper)),
                1,
                SampleChunk.FILE,
                SampleChunk.only().version());
        Upload upload = new Upload(bytes / SampleChunk.LEAF_BYTES);
        upload.start(connecting.join().open(request.encode(), upload));
        return upload.whole;
    }

    @Override
    public void close() {
        TransferCaller begun = transfer;
        if (begun != null) {
            begun.close();
        }
        var unused = connecting.thenAccept(BulkConnection::close);
    }

    /** The receiver of a block. */
    private static final class Receipt implements BulkStreamListener {
        private final CompletableFuture<Void> whole;
        private @Nullable BulkStream stream;
        private boolean ended;

        Receipt(CompletableFuture<Void> whole) {
            this.whole = whole;
        }

        /** Sets the stream, which may have ended already. */
        synchronized void from(BulkStream open) {
            stream = open;
            endIfOver();
        }

        private synchronized void endIfOver() {
            BulkStream open = stream;
            if (ended && open != null) {
                open.end(new byte[0]);
            }
        }

        @Override
        public void data(ByteBuf payload, int crc32c) {
            payload.release();
        }

        @Override
        public void ended(byte[] trailer) {
            synchronized (this) {
                ended = true;
                endIfOver();
            }
            whole.complete(null);
        }

        @Override
        public void granted() {
            // It sends nothing.
        }

        @Override
        public void failed(CloudMwException cause) {
            whole.completeExceptionally(cause);
        }
    }

    /** The sender of a chunk, within its credit. */
    private static final class Upload implements BulkStreamListener {
        final CompletableFuture<Void> whole = new CompletableFuture<>();
        private final int leaves;
        private @Nullable BulkStream stream;
        private int next;

        Upload(int leaves) {
            this.leaves = leaves;
        }

        synchronized void start(BulkStream opened) {
            stream = opened;
            granted();
        }

        @Override
        public synchronized void granted() {
            BulkStream open = stream;
            while (open != null && next < leaves && open.credit() >= SampleChunk.LEAF_BYTES) {
                open.send(
                        Unpooled.wrappedBuffer(SampleChunk.only().leaf()),
                        SampleChunk.only().leafCrc32c());
                next++;
                if (next == leaves) {
                    open.end(WriteEnd.encode(SampleChunk.only().leafCrc32c(leaves)));
                }
            }
        }

        @Override
        public void data(ByteBuf payload, int crc32c) {
            payload.release();
        }

        @Override
        public void ended(byte[] trailer) {
            whole.complete(null);
        }

        @Override
        public void failed(CloudMwException cause) {
            whole.completeExceptionally(cause);
        }
    }
}
