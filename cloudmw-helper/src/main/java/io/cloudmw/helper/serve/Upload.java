package io.cloudmw.helper.serve;

import io.cloudmw.core.bulk.BulkStream;
import io.cloudmw.core.bulk.message.BulkRequest;
import io.cloudmw.core.bulk.message.WriteEnd;
import io.cloudmw.core.bulk.message.WriteResult;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.Reasons;
import io.cloudmw.core.store.FileChunkSource;
import io.cloudmw.helper.block.Spool;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * An upload of one chunk. The upload writes the leaves to a spool file, from which {@link ChunkReplication} puts them in
 * stores while they arrive. A store can complete its copy only after the upload has compared all checksums with the
 * writer's. A writer that is silent for too long loses its place.
 */
final class Upload extends ServedStream {
    /** Bytes granted and not yet written to the spool. */
    static final int WINDOW_BYTES = 1 << 20;

    private static final long SPOOL_WAIT_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** The spool file, and the chunk in it as stores read it. */
    private record Arriving(Spool.SpoolFile file, FileChunkSource source) {}

    private final BulkRequest.Write request;
    private final Spool spool;
    private final WriteServices services;
    private final LateCopyBudget lateCopies;
    private final ChunkReplication replication;
    private final IdleTimeout idle;
    private final int[] checksums;
    private @Nullable Arriving arriving;
    private long received;
    private long granted;

    /**
     * Grants nothing before {@link #start}.
     *
     * @param finished run once, when the upload holds nothing but late copies
     */
    Upload(
            BulkRequest.Write request,
            BulkStream stream,
            WriteServices.Resources resources,
            WriteServices services,
            ChunkReplication replication,
            Runnable finished) {
        super("chunk=" + request.chunk(), stream, resources.receiving(), finished);
        this.request = request;
        this.spool = resources.spool();
        this.services = services;
        this.lateCopies = services.late();
        this.replication = replication;
        this.idle = new IdleTimeout(
                services.timing().silence(),
                services.timing().ticker(),
                services.timing().timer(),
                () -> post(this::checkIdle));
        this.checksums = new int[(int) ((request.length() + request.leafSizeBytes() - 1) / request.leafSizeBytes())];
    }

    void start() {
        post(() -> {
            replication.check();
            Spool.SpoolFile file = spool.create(request.length(), SPOOL_WAIT_NANOS);
            Arriving opened = new Arriving(file, FileChunkSource.arriving(file.channel(), request.length()));
            arriving = opened;
            replication.begin(opened.source());
            grant(WINDOW_BYTES);
            idle.watch();
        });
    }

    @Override
    public void data(ByteBuf payload, int crc32c) {
        post(() -> take(payload, crc32c), payload::release);
    }

    @Override
    public void ended(byte[] trailer) {
        post(() -> complete(trailer));
    }

    @Override
    public void granted() {
        // This side sends nothing.
    }

    private void take(ByteBuf payload, int crc32c) throws CloudMwException {
        Arriving target = arriving;
        if (target == null) {
            return;
        }
        long left = request.length() - received;
        int length = payload.readableBytes();
        if (length != Math.min(request.leafSizeBytes(), left)) {
            throw new CloudMwException(
                    ErrorCode.PROTOCOL_VIOLATION,
                    "chunk=" + request.chunk() + ": a leaf of " + length + " bytes at offset " + received
                            + " (expected: " + Math.min(request.leafSizeBytes(), left) + ")");
        }
        checksums[(int) (received / request.leafSizeBytes())] = crc32c;
        write(target.file().channel(), payload);
        received += length;
        target.source().arrived(received);
        grant(length);
        idle.restart();
    }

    private void checkIdle() throws CloudMwException {
        if (idle.isOver()) {
            throw new CloudMwException(
                    ErrorCode.DEADLINE_EXCEEDED,
                    "chunk=" + request.chunk() + ": the writer sent nothing for "
                            + services.timing().silence().toMillis() + " ms, after " + received + " of "
                            + request.length()
                            + " bytes");
        }
    }

    private void write(FileChannel target, ByteBuf payload) throws CloudMwException {
        try {
            long position = received;
            for (ByteBuffer bytes : payload.nioBuffers()) {
                while (bytes.hasRemaining()) {
                    position += target.write(bytes, position);
                }
            }
        } catch (IOException e) {
            throw new CloudMwException(
                    ErrorCode.OVERLOADED,
                    "chunk=" + request.chunk() + ": cannot write to the spool: " + Reasons.of(e),
                    e);
        }
    }

    private void grant(long bytes) {
        long more = Math.min(bytes, request.length() - granted);
        if (more > 0) {
            granted += more;
            stream().grant(more);
        }
    }

    private void complete(byte[] trailer) throws CloudMwException {
        Arriving whole = arriving;
        if (whole == null) {
            return;
        }
        if (received != request.length()) {
            throw new CloudMwException(
                    ErrorCode.PROTOCOL_VIOLATION,
                    "chunk=" + request.chunk() + ": the writer ended after " + received + " of " + request.length()
                            + " bytes");
        }
        if (!Arrays.equals(WriteEnd.decode(trailer), checksums)) {
            throw new CloudMwException(
                    ErrorCode.REPLICA_CORRUPT,
                    "chunk=" + request.chunk() + ": the checksums of the bytes that arrived differ from the writer's");
        }
        idle.end();
        handOver();
        SourceFile kept = new SourceFile(whole.file());
        whole.source().complete();
        replication.start(whole.source(), new ChunkReplication.Listener() {
            @Override
            public boolean mayContinue() {
                return kept.continueLate();
            }

            @Override
            public void durable(WriteResult result) {
                stream().end(result.encode());
            }

            @Override
            public void failed(CloudMwException cause) {
                stream().reset(cause);
            }

            @Override
            public void finished() {
                kept.close();
            }
        });
    }

    /** The spool file of an upload, in the budget of uploads or of late copies. Safe for any thread. */
    private final class SourceFile {
        private final Spool.SpoolFile source;
        private boolean late;
        private boolean over;

        SourceFile(Spool.SpoolFile source) {
            this.source = source;
        }

        /** Moves the file to the budget of late copies, which makes room for an upload; returns false without room. */
        synchronized boolean continueLate() {
            if (!over && lateCopies.adopt(source)) {
                late = true;
                finished();
            }
            return over || late;
        }

        synchronized void close() {
            over = true;
            source.close();
            if (late) {
                lateCopies.release();
            } else {
                finished();
            }
        }
    }

    @Override
    void free() {
        idle.end();
        if (arriving != null) {
            arriving.source()
                    .fail(new CloudMwException(
                            ErrorCode.CANCELLED,
                            "chunk=" + request.chunk() + ": its upload ended before all of it arrived"));
            arriving.file().close();
        }
    }
}
