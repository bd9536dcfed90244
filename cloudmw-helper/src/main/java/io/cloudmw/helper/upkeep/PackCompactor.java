package io.cloudmw.helper.upkeep;

import io.cloudmw.core.chunk.ChunkDigester;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.store.ChunkStore;
import io.cloudmw.core.upkeep.Task;
import io.cloudmw.core.wire.BackupWire;
import io.cloudmw.helper.block.Spool;
import io.cloudmw.helper.fetch.StoreResolver;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * A task that makes one copy of a new pack from the bytes of another that files still need. The task verifies every leaf
 * of the other pack before it takes bytes from it. Confined to one thread.
 */
final class PackCompactor {
    private static final int BUFFER_BYTES = 64 << 10;

    private final Task.Compact task;
    private final StoreResolver stores;
    private final Spool spool;
    private final TaskFindings findings;
    private final BooleanSupplier isOver;

    /** @param isOver whether the task's deadline has passed */
    PackCompactor(Task.Compact task, StoreResolver stores, Spool spool, TaskFindings findings, BooleanSupplier isOver) {
        this.task = task;
        this.stores = stores;
        this.spool = spool;
        this.findings = findings;
        this.isOver = isOver;
    }

    /**
     * The copy of the new pack.
     *
     * @param bytes the number of bytes written; 0 when the store had a good copy
     */
    record Made(Chunk pack, long bytes) {}

    /** Makes the copy. */
    Made run() throws CloudMwException {
        StoreId target = task.store().id();
        ChunkStore store = findings.at(target, () -> stores.open(target));
        byte[] end = BackupWire.packEnd(task.place());
        long length = task.place().keptBytes() + end.length;
        try (Spool.SpoolFile source = spool.create(task.chunk().range().length(), ChunkCopier.SPOOL_WAIT_NANOS);
                Spool.SpoolFile pack = spool.create(length, ChunkCopier.SPOOL_WAIT_NANOS)) {
            CopyVerifier.fetch(task, stores, source, findings);
            Chunk made = assemble(source.channel(), pack.channel(), end, length);
            return new Made(made, new CopyWriter(store, target, made, findings, isOver).write(pack));
        }
    }

    private Chunk assemble(FileChannel from, FileChannel to, byte[] end, long length) throws CloudMwException {
        int leaf = task.chunk().leafSizeBytes();
        ChunkDigester digester = new ChunkDigester(length, leaf);
        ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES);
        try {
            long position = 0;
            for (ByteRange range : task.kept()) {
                long at = range.offset();
                while (at < range.end()) {
                    buffer.clear().limit((int) Math.min(BUFFER_BYTES, range.end() - at));
                    int read = from.read(buffer, at);
                    if (read < 0) {
                        throw new IOException("the spooled pack ends at " + at + " (expected: " + range.end() + ")");
                    }
                    at += read;
                    position = append(to, position, buffer.flip(), digester);
                }
            }
            position = append(to, position, ByteBuffer.wrap(end), digester);
            return new Chunk(
                    0,
                    task.place().chunk(),
                    new ByteRange(0, position),
                    leaf,
                    digester.finish(),
                    List.of(task.store().id()));
        } catch (IOException e) {
            throw new CloudMwException(ErrorCode.LOCAL_IO, task.about() + ": " + e.getMessage(), e);
        }
    }

    private static long append(FileChannel to, long position, ByteBuffer bytes, ChunkDigester digester)
            throws IOException {
        digester.update(bytes.duplicate());
        long at = position;
        while (bytes.hasRemaining()) {
            at += to.write(bytes, at);
        }
        return at;
    }
}
