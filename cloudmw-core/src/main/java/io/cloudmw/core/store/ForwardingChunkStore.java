package io.cloudmw.core.store;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.Page;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.chunk.StoredChunk;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.BooleanSupplier;

/**
 * The base of decorators: it forwards every call, and decorators override what they change. Closing it closes the
 * store behind it.
 */
public abstract class ForwardingChunkStore implements ChunkStore {
    private final ChunkStore store;

    protected ForwardingChunkStore(ChunkStore store) {
        this.store = store;
    }

    @Override
    public StoreId id() {
        return store.id();
    }

    /** The call that opens a read. */
    protected interface Opening {
        ChunkReader open() throws CloudMwException;
    }

    @Override
    public final ChunkReader read(ChunkId chunk, ByteRange range) throws CloudMwException {
        return opened(chunk, range, () -> store.read(chunk, range));
    }

    @Override
    public final ChunkReader readExtra(ChunkId chunk, ByteRange range) throws CloudMwException {
        return opened(chunk, range, () -> store.readExtra(chunk, range));
    }

    @Override
    public final ChunkReader readAhead(ChunkId chunk, ByteRange range) throws CloudMwException {
        return opened(chunk, range, () -> store.readAhead(chunk, range));
    }

    /** Opens any kind of read; decorators of readers override it. */
    protected ChunkReader opened(ChunkId chunk, ByteRange range, Opening opening) throws CloudMwException {
        return opening.open();
    }

    @Override
    public PutOutcome put(ChunkId chunk, ChunkSource source) throws CloudMwException {
        return store.put(chunk, source);
    }

    @Override
    public boolean takesArrivingSources() {
        return store.takesArrivingSources();
    }

    @Override
    public OptionalLong length(ChunkId chunk) throws CloudMwException {
        return store.length(chunk);
    }

    @Override
    public boolean delete(ChunkId chunk) throws CloudMwException {
        return store.delete(chunk);
    }

    @Override
    public boolean delete(ChunkId chunk, BooleanSupplier isOver) throws CloudMwException {
        return store.delete(chunk, isOver);
    }

    @Override
    public Page<StoredChunk> list(String pageToken, int limit) throws CloudMwException {
        return store.list(pageToken, limit);
    }

    @Override
    public Optional<Path> file(ChunkId chunk) {
        return store.file(chunk);
    }

    @Override
    public void close() {
        store.close();
    }
}
