package io.cloudmw.helper.remote;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.bulk.BulkConnection;
import io.cloudmw.core.bulk.BulkStream;
import io.cloudmw.core.bulk.BulkStreamListener;
import io.cloudmw.core.bulk.message.BulkRequest;
import io.cloudmw.core.bulk.message.WriteEnd;
import io.cloudmw.core.bulk.message.WriteTargets;
import io.cloudmw.core.chunk.Leaves;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.Reasons;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.store.ChunkSource;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/** The writer of one copy through another helper; it waits until the copy is durable. A single thread uses it, once. */
final class RemoteWriter implements BulkStreamListener {
    /** Time-out for credit, and for the answer after the last byte. */
    private static final long SILENCE_SECONDS = 60;

    private final String what;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    @GuardedBy("lock")
    private @Nullable CloudMwException failure;

    private volatile boolean answered;

    RemoteWriter(String what) {
        this.what = what;
    }

    /**
     * Writes one copy through another helper, with the rights of one transfer.
     *
     * @param targets a single store
     */
    static void copy(
            HelperConnections connections,
            HelperAddress helper,
            RemoteRights rights,
            WriteTargets targets,
            ChunkId chunk,
            ChunkSource source)
            throws CloudMwException {
        BulkRequest.Write request = new BulkRequest.Write(
                rights.token(),
                chunk,
                source.length(),
                Leaves.DEFAULT_SIZE_BYTES,
                targets,
                1,
                rights.claims().file(),
                rights.claims().version());
        StoreId store = targets.stores().get(0).id();
        RemoteWriter writer = new RemoteWriter("chunk=" + chunk + " store=" + store + " through=" + helper.id());
        try (HelperConnections.Lease lease = connections.to(helper)) {
            writer.write(lease.connection(), request, source);
        }
    }

    private void write(BulkConnection connection, BulkRequest.Write request, ChunkSource source)
            throws CloudMwException {
        BulkStream stream = connection.open(request.encode(), this);
        boolean done = false;
        try (InputStream in = source.open()) {
            stream.end(WriteEnd.encode(send(stream, request, in)));
            await(() -> answered);
            done = true;
        } catch (CloudMwException e) {
            throw e;
        } catch (IOException e) {
            throw new CloudMwException(
                    ErrorCode.LOCAL_IO, what + ": cannot read the chunk to send: " + Reasons.of(e), e);
        } finally {
            if (!done) {
                stream.reset(ErrorCode.CANCELLED, "the writer has given up");
            }
        }
    }

    private int[] send(BulkStream stream, BulkRequest.Write request, InputStream in) throws IOException {
        int leafSize = request.leafSizeBytes();
        int leaves = (int) ((request.length() + leafSize - 1) / leafSize);
        int[] checksums = new int[leaves];
        CRC32C crc = new CRC32C();
        for (int leaf = 0; leaf < leaves; leaf++) {
            int length = (int) Math.min(leafSize, request.length() - (long) leaf * leafSize);
            await(() -> stream.credit() >= length);
            // On the heap: bytes are queued only while there is credit, and the receiver's window bounds that.
            byte[] bytes = in.readNBytes(length);
            if (bytes.length != length) {
                throw new IOException("the source ended " + (length - bytes.length) + " bytes early");
            }
            crc.reset();
            crc.update(bytes);
            checksums[leaf] = (int) crc.getValue();
            ByteBuf payload = Unpooled.wrappedBuffer(bytes);
            var unused = stream.send(payload, checksums[leaf]);
        }
        return checksums;
    }

    private interface Ready {
        boolean now();
    }

    private void await(Ready ready) throws CloudMwException {
        lock.lock();
        try {
            long left = TimeUnit.SECONDS.toNanos(SILENCE_SECONDS);
            while (true) {
                if (failure != null) {
                    throw failure;
                }
                if (ready.now()) {
                    return;
                }
                if (left <= 0) {
                    throw new CloudMwException(
                            ErrorCode.STORE_UNAVAILABLE, what + ": no answer for " + SILENCE_SECONDS + " s");
                }
                left = changed.awaitNanos(left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CloudMwException(ErrorCode.CANCELLED, what + ": interrupted", e);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void data(ByteBuf payload, int crc32c) {
        payload.release();
        failed(new CloudMwException(
                ErrorCode.PROTOCOL_VIOLATION, what + ": the helper sent data in answer to a write"));
    }

    @Override
    public void ended(byte[] trailer) {
        lock.lock();
        try {
            answered = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void granted() {
        lock.lock();
        try {
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void failed(CloudMwException cause) {
        ErrorCode code = cause.code() == ErrorCode.HELPER_UNAVAILABLE ? ErrorCode.STORE_UNAVAILABLE : cause.code();
        lock.lock();
        try {
            if (failure == null) {
                failure = new CloudMwException(code, what + ": " + cause.getMessage(), cause);
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
