package io.cloudmw.core.store;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.Reasons;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.chunk.ChunkId;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.function.LongConsumer;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The verifier of a leaf-aligned range of one replica, where a store is read. The destination verifies the SHA-256 of
 * each leaf again ({@code RelayLeafVerifier}). This checks the CRC32C of every leaf before passing it on, unless it is
 * {@link #unchecked}. A single thread runs it, once; any thread may cancel it. Allocates nothing per leaf: bytes go into
 * buffers of the {@link LeafTarget}.
 */
public final class StoreLeafVerifier {
    private final ChunkStore store;
    private final LeafRange wanted;
    private final boolean checks;
    private final ReadOpener source;
    private final Object lock = new Object();

    @GuardedBy("lock")
    private @Nullable ChunkReader reader;

    @GuardedBy("lock")
    private boolean cancelled;

    /** Written by the running thread. */
    private volatile long bytesRead;

    public StoreLeafVerifier(ChunkStore store, LeafRange wanted) {
        this(store, wanted, false);
    }

    /**
     * Makes a verifier of an ordinary or extra read.
     *
     * @param extra see {@link ChunkStore#readExtra}
     */
    public StoreLeafVerifier(ChunkStore store, LeafRange wanted, boolean extra) {
        this(store, wanted, true, extra ? store::readExtra : store::read);
    }

    private StoreLeafVerifier(ChunkStore store, LeafRange wanted, boolean checks, ReadOpener source) {
        this.store = store;
        this.wanted = wanted;
        this.checks = checks;
        this.source = source;
    }

    /** The call that opens the read. */
    private interface ReadOpener {
        ChunkReader open(ChunkId chunk, ByteRange range) throws CloudMwException;
    }

    /**
     * A verifier of leaves that will be sent from the store's {@link ChunkStore#file} to a receiver that checks them.
     * The verifier passes over the range as {@link ChunkStore#readAhead} does, and finds every failure but wrong bytes.
     */
    public static StoreLeafVerifier unchecked(ChunkStore store, LeafRange wanted) {
        return new StoreLeafVerifier(store, wanted, false, store::readAhead);
    }

    /**
     * Reads and verifies everything, or fails. Blocks.
     *
     * @param progress called after every leaf, on this thread, with the number of bytes passed on so far
     * @throws CloudMwException {@code REPLICA_CORRUPT} naming chunk, store and leaf; {@code STORE_UNAVAILABLE} when
     *     the stream ends early; {@code CANCELLED} after {@link #cancel()}; {@code LOCAL_IO} when the target fails;
     *     and the store's own failures. Leaves passed on before stay good.
     */
    public void run(LeafTarget target, LongConsumer progress) throws CloudMwException {
        CRC32C crc = new CRC32C();
        try (ChunkReader in = open()) {
            for (int leaf = 0; leaf < wanted.leaves(); leaf++) {
                long offset = wanted.offset(leaf);
                int length = wanted.length(leaf);
                ByteBuffer buffer = target.buffer(offset, length);
                int start = buffer.position();
                fill(in, buffer, offset);
                buffer.flip().position(start);
                if (checks) {
                    verify(crc, buffer, leaf);
                }
                pass(target, offset, buffer.position(start));
                progress.accept(offset + length);
            }
        }
    }

    /** The bytes read from the store so far, those of an incomplete leaf included. Any thread. */
    public long bytesRead() {
        return bytesRead;
    }

    /** Stops {@link #run} at once, or before it starts: it fails with {@code CANCELLED}. Idempotent. */
    public void cancel() {
        ChunkReader open;
        synchronized (lock) {
            cancelled = true;
            open = reader;
        }
        if (open != null) {
            open.close();
        }
    }

    private ChunkReader open() throws CloudMwException {
        synchronized (lock) {
            if (cancelled) {
                throw cancelled();
            }
        }
        ChunkReader opened = reading(() -> source.open(wanted.chunk(), wanted.range()));
        synchronized (lock) {
            reader = opened;
            if (!cancelled) {
                return opened;
            }
        }
        opened.close();
        throw cancelled();
    }

    /**
     * Calls the store. The range comes from the manifest: a store that finds it beyond the chunk's end holds too short
     * a chunk.
     */
    private <T> T reading(StoreCall<T> call) throws CloudMwException {
        try {
            return call.run();
        } catch (CloudMwException e) {
            if (e.code() == ErrorCode.INVALID_ARGUMENT) {
                throw new CloudMwException(
                        ErrorCode.REPLICA_CORRUPT,
                        "chunk=" + wanted.chunk() + " store=" + store.id() + ": shorter than its manifest says",
                        e);
            }
            throw e;
        }
    }

    private interface StoreCall<T> {
        T run() throws CloudMwException;
    }

    private void fill(ChunkReader in, ByteBuffer buffer, long offset) throws CloudMwException {
        while (buffer.hasRemaining()) {
            int read = reading(() -> in.read(buffer));
            if (read < 0) {
                throw new CloudMwException(
                        ErrorCode.STORE_UNAVAILABLE,
                        "chunk=" + wanted + " store=" + store.id() + ": stream ended " + buffer.remaining()
                                + " bytes before the end of the leaf at " + offset);
            }
            long before = bytesRead;
            bytesRead = before + read;
        }
    }

    private void verify(CRC32C crc, ByteBuffer leafBytes, int leaf) throws CloudMwException {
        crc.reset();
        crc.update(leafBytes);
        int found = (int) crc.getValue();
        if (found != wanted.crc32c(leaf)) {
            long first = wanted.range().offset() / wanted.leafSizeBytes();
            throw new CloudMwException(
                    ErrorCode.REPLICA_CORRUPT,
                    String.format(
                            "chunk=%s store=%s leaf=%d: CRC32C %08x (expected: %08x)",
                            wanted.chunk(), store.id(), first + leaf, found, wanted.crc32c(leaf)));
        }
    }

    private void pass(LeafTarget target, long offset, ByteBuffer leafBytes) throws CloudMwException {
        try {
            target.verified(offset, leafBytes);
        } catch (CloudMwException e) {
            throw e;
        } catch (IOException e) {
            throw new CloudMwException(
                    ErrorCode.LOCAL_IO,
                    "chunk=" + wanted + ": cannot keep the leaf at " + offset + ": " + Reasons.of(e),
                    e);
        }
    }

    private CloudMwException cancelled() {
        return new CloudMwException(ErrorCode.CANCELLED, "chunk=" + wanted + " store=" + store.id() + ": cancelled");
    }
}
