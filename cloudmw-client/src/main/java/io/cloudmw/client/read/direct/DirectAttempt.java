package io.cloudmw.client.read.direct;

import io.cloudmw.client.context.Failures;
import io.cloudmw.client.manifest.ManifestReader;
import io.cloudmw.core.chunk.Leaves;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.Reasons;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.race.AttemptId;
import io.cloudmw.core.race.Block;
import io.cloudmw.core.store.ChunkStore;
import io.cloudmw.core.store.LeafRange;
import io.cloudmw.core.store.LeafTarget;
import io.cloudmw.core.store.StoreLeafVerifier;
import io.cloudmw.core.store.UnlinkedFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import org.jspecify.annotations.Nullable;

/**
 * An in-process attempt, which reads a block of one replica into a nameless temporary file and verifies it. A single
 * thread runs the attempt; any thread may cancel or close it.
 */
final class DirectAttempt implements LocalAttempt {
    private final AttemptId id;
    private final Block block;
    private final ManifestReader.Item item;
    private final StoreId store;
    private final DirectStores stores;
    private final Listener listener;
    private @Nullable StoreLeafVerifier verifier;
    private @Nullable FileChannel spool;
    private boolean cancelled;
    private volatile long bytes;
    private volatile boolean finished;

    DirectAttempt(
            AttemptId id,
            Block block,
            ManifestReader.Item item,
            StoreId store,
            DirectStores stores,
            Listener listener) {
        this.id = id;
        this.block = block;
        this.item = item;
        this.store = store;
        this.stores = stores;
        this.listener = listener;
    }

    @Override
    public AttemptId id() {
        return id;
    }

    @Override
    public Block block() {
        return block;
    }

    @Override
    public Chunk chunk() {
        return item.chunk().chunk();
    }

    @Override
    public StoreId store() {
        return store;
    }

    /** Bytes verified so far; after a failure, bytes that came from the store. */
    @Override
    public long bytes() {
        return bytes;
    }

    @Override
    public void run() {
        try {
            fetch();
        } catch (CloudMwException | RuntimeException | Error e) {
            close();
            synchronized (this) {
                bytes = verifier == null ? 0 : verifier.bytesRead();
            }
            CloudMwException cause = Failures.of(e);
            stores.failed(store, cause);
            listener.failed(this, cause);
            return;
        }
        finished = true;
        listener.finished(this);
    }

    /** Returns whether the whole block can be read back. */
    boolean isFinished() {
        return finished;
    }

    private void fetch() throws CloudMwException {
        ChunkStore opened = stores.open(store, item);
        LeafRange range = new LeafRange(
                chunk().id(),
                block.range(),
                chunk().leafSizeBytes(),
                Leaves.slice(chunk().leaves().crc32c(), block.range(), chunk().leafSizeBytes()));
        StoreLeafVerifier reading = new StoreLeafVerifier(opened, range);
        FileChannel file = temporary();
        synchronized (this) {
            if (cancelled) {
                closeQuietly(file);
                throw new CloudMwException(ErrorCode.CANCELLED, "attempt cancelled before it began");
            }
            verifier = reading;
            spool = file;
        }
        listener.began(this);
        reading.run(LeafTarget.file(file, 0, ByteBuffer.allocate(chunk().leafSizeBytes())), done -> {
            bytes = done;
            listener.progressed(this);
        });
    }

    private static FileChannel temporary() throws CloudMwException {
        try {
            return UnlinkedFile.open();
        } catch (IOException e) {
            throw new CloudMwException(ErrorCode.LOCAL_IO, "temporary file: cannot create it: " + Reasons.of(e), e);
        }
    }

    /** Reads verified bytes back; {@code offset} counts from the start of the block. */
    void read(long offset, ByteBuffer target) throws IOException {
        FileChannel file;
        synchronized (this) {
            file = spool;
        }
        if (file == null) {
            throw new IOException("attempt " + id + " holds nothing");
        }
        long at = offset;
        while (target.hasRemaining()) {
            int read = file.read(target, at);
            if (read < 0) {
                throw new IOException("attempt " + id + " ends at " + at);
            }
            at += read;
        }
    }

    @Override
    public void cancel() {
        StoreLeafVerifier reading;
        synchronized (this) {
            cancelled = true;
            reading = verifier;
        }
        if (reading != null) {
            reading.cancel();
        }
    }

    /** Stops the attempt and drops its file. Idempotent. */
    @Override
    public void close() {
        cancel();
        FileChannel file;
        synchronized (this) {
            file = spool;
            spool = null;
        }
        if (file != null) {
            closeQuietly(file);
        }
    }

    private static void closeQuietly(FileChannel file) {
        try {
            file.close();
        } catch (IOException e) {
            // A temporary file promises nothing.
        }
    }
}
