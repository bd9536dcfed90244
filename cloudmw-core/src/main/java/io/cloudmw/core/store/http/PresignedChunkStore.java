package io.cloudmw.core.store.http;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.Page;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.chunk.StoredChunk;
import io.cloudmw.core.store.ChunkReader;
import io.cloudmw.core.store.ChunkSource;
import io.cloudmw.core.store.ChunkStore;
import io.cloudmw.core.store.PutOutcome;
import java.net.URI;
import java.util.OptionalLong;

/**
 * A store read through presigned URLs: the client's own way to a bucket. It only reads;
 * other calls are {@code STORE_DENIED}. URLs carry a signature and never appear in messages.
 */
public final class PresignedChunkStore implements ChunkStore {
    private final StoreId id;
    private final ChunkUrls urls;
    private final HttpConnections connections;
    private volatile boolean closed;

    /** @param connections may serve many stores; the caller closes them */
    public PresignedChunkStore(StoreId id, ChunkUrls urls, HttpConnections connections) {
        this.id = id;
        this.urls = urls;
        this.connections = connections;
    }

    @Override
    public StoreId id() {
        return id;
    }

    @Override
    public ChunkReader read(ChunkId chunk, ByteRange range) throws CloudMwException {
        return open(chunk, range);
    }

    @Override
    public OptionalLong length(ChunkId chunk) throws CloudMwException {
        try (HttpReader first = open(chunk, new ByteRange(0, 1))) {
            return ChunkStore.length(chunk, first.chunkLength());
        } catch (CloudMwException e) {
            if (e.code() == ErrorCode.REPLICA_MISSING) {
                return OptionalLong.empty();
            }
            throw e;
        }
    }

    @Override
    public PutOutcome put(ChunkId chunk, ChunkSource source) throws CloudMwException {
        throw denied("put");
    }

    @Override
    public boolean delete(ChunkId chunk) throws CloudMwException {
        throw denied("delete");
    }

    @Override
    public Page<StoredChunk> list(String pageToken, int limit) throws CloudMwException {
        throw denied("list");
    }

    @Override
    public void close() {
        closed = true;
    }

    /**
     * Begins a read whose bytes come to a listener as far as they are requested. Blocks until the request can be sent:
     * while a URL is signed and the server's name is looked up.
     *
     * @throws CloudMwException when there is no URL; other failures go to the listener
     */
    public RangeGet get(ChunkId chunk, ByteRange range, RangeListener listener) throws CloudMwException {
        if (closed) {
            throw new CloudMwException(ErrorCode.STORE_UNAVAILABLE, "store=" + id + ": closed");
        }
        URI url = urls.url(chunk)
                .orElseThrow(() -> new CloudMwException(
                        ErrorCode.REPLICA_MISSING, "chunk=" + chunk + " store=" + id + ": no URL for it"));
        ByteRange stored = ChunkStore.inStored(this, chunk, range);
        return connections.get(url, stored, what(chunk), listener);
    }

    private HttpReader open(ChunkId chunk, ByteRange range) {
        return new HttpReader(listener -> get(chunk, range, listener), range.length(), what(chunk));
    }

    private String what(ChunkId chunk) {
        return "chunk=" + chunk + " store=" + id;
    }

    private CloudMwException denied(String what) {
        return new CloudMwException(ErrorCode.STORE_DENIED, what + " store=" + id + ": only reads are signed");
    }
}
