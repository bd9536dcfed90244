package io.cloudmw.client.write;

import io.cloudmw.client.context.Failures;
import io.cloudmw.client.rpc.link.BulkLease;
import io.cloudmw.core.bulk.BulkStream;
import io.cloudmw.core.bulk.BulkStreamListener;
import io.cloudmw.core.bulk.message.BulkRequest;
import io.cloudmw.core.bulk.message.WriteEnd;
import io.cloudmw.core.bulk.message.WriteResult;
import io.cloudmw.core.chunk.ChunkDigester;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.chunk.LeafDigests;
import io.cloudmw.core.thread.SerialExecutor;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.IntConsumer;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The upload of one chunk to one helper, read, digested and sent leaf by leaf, as credit allows. Its lane reads and
 * sends; event loops only wake it.
 */
final class ChunkUpload implements BulkStreamListener {
    /** A chunk that was stored. */
    record Stored(LeafDigests leaves, WriteResult result) {}

    /** Checksums of the first {@code leaves} leaves of the source. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Read(int[] crcs, int leaves) {
        static Read nothing(int leavesOfChunk) {
            return new Read(new int[leavesOfChunk], 0);
        }
    }

    private final BulkRequest.Write request;
    private final PutSource.Part part;
    private final Read before;
    private final ByteBufAllocator allocator;
    private final SerialExecutor lane;
    private final long window;
    private final IntConsumer sentListener;
    private final ChunkDigester digester;
    private final int[] crcs;
    private final CompletableFuture<Stored> result = new CompletableFuture<>();
    private volatile @Nullable BulkStream stream;
    private @Nullable BulkLease lease;
    private @Nullable LeafDigests digests;
    private long sent;
    private long inFlight;
    private int leaf;

    /**
     * @param before the checksums of an earlier try: the source must not differ now
     * @param threads run the lane, and may block
     * @param window the limit on bytes in memory; one leaf in any case
     * @param sentListener is told the bytes of each leaf sent
     */
    ChunkUpload(
            BulkRequest.Write request,
            PutSource.Part part,
            Read before,
            ByteBufAllocator allocator,
            Executor threads,
            long window,
            IntConsumer sentListener) {
        this.request = request;
        this.part = part;
        this.before = before;
        this.allocator = allocator;
        this.window = window;
        this.sentListener = sentListener;
        this.lane = new SerialExecutor(threads, defect -> fail(Failures.of(defect)));
        this.digester = new ChunkDigester(request.length(), request.leafSizeBytes());
        this.crcs = before.crcs().clone();
    }

    CompletableFuture<Stored> result() {
        return result;
    }

    /** Bytes sent so far; once the result is there, from its thread. */
    long sent() {
        return sent;
    }

    /** The checksums for the next try; once the result is there. */
    Read read() {
        return new Read(crcs, Math.max(leaf, before.leaves()));
    }

    /** Opens the stream; owns the lease from now on. */
    void start(BulkLease held) {
        lane.execute(() -> {
            lease = held;
            if (result.isDone()) {
                held.close();
                return;
            }
            stream = held.connection().open(request.encode(), this);
            pump();
        });
    }

    void cancel() {
        lane.execute(() -> fail(new CloudMwException(ErrorCode.CANCELLED, "put cancelled")));
    }

    private void pump() {
        BulkStream open = stream;
        try {
            while (open != null && !result.isDone() && sent < request.length()) {
                int bytes = (int) Math.min(request.leafSizeBytes(), request.length() - sent);
                boolean room = inFlight == 0 || inFlight + bytes <= window;
                if (!room || open.credit() < bytes) {
                    return;
                }
                send(open, bytes);
                if (sent == request.length()) {
                    LeafDigests all = digester.finish();
                    digests = all;
                    open.end(WriteEnd.encode(all.crc32c()));
                }
            }
        } catch (CloudMwException e) {
            fail(e);
        }
    }

    private void send(BulkStream open, int bytes) throws CloudMwException {
        ByteBuf payload = allocator.directBuffer(bytes, bytes);
        ByteBuffer view = payload.nioBuffer(0, bytes);
        boolean handedOver = false;
        try {
            part.read(sent, view.duplicate());
            CRC32C crc = new CRC32C();
            crc.update(view.duplicate());
            int value = (int) crc.getValue();
            if (leaf < before.leaves() && before.crcs()[leaf] != value) {
                throw new CloudMwException(
                        ErrorCode.LOCAL_IO,
                        "source: changed while it was read: chunk " + request.chunk() + " has other bytes than before");
            }
            digester.update(view);
            crcs[leaf] = value;
            handedOver = true;
            inFlight += bytes;
            var unused = open.send(payload.writerIndex(bytes), value)
                    .whenComplete((nothing, failure) -> lane.execute(() -> left(bytes)));
        } finally {
            if (!handedOver) {
                payload.release();
            }
        }
        leaf++;
        sent += bytes;
        sentListener.accept(bytes);
    }

    /** Frees the memory of bytes that were sent or given up. */
    private void left(int bytes) {
        inFlight -= bytes;
        pump();
    }

    /** Completes the result first, because cleaning up after a defect may throw. */
    private void fail(CloudMwException cause) {
        BulkStream open = stream;
        boolean told = result.completeExceptionally(cause);
        if (told && open != null) {
            open.reset(cause.code(), String.valueOf(cause.getMessage()));
        }
        release();
    }

    private void release() {
        if (lease != null) {
            lease.close();
        }
    }

    @Override
    public void data(ByteBuf payload, int crc32c) {
        payload.release();
        lane.execute(() -> fail(Failures.violation("chunk " + request.chunk() + ": data in answer to a write")));
    }

    @Override
    public void ended(byte[] trailer) {
        lane.execute(() -> {
            LeafDigests all = digests;
            if (all == null) {
                fail(Failures.violation("chunk " + request.chunk() + ": answered before it was sent"));
                return;
            }
            try {
                WriteResult stored = WriteResult.decode(trailer);
                result.complete(new Stored(all, stored));
                release();
            } catch (CloudMwException e) {
                fail(e);
            }
        });
    }

    @Override
    public void granted() {
        lane.execute(this::pump);
    }

    @Override
    public void failed(CloudMwException cause) {
        lane.execute(() -> {
            result.completeExceptionally(cause);
            release();
        });
    }
}
