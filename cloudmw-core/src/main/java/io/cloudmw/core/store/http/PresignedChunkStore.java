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
import java.net.http.HttpClient;
import java.util.OptionalLong;

/**
 * A store read through presigned URLs: the client's way to a bucket when no helper can be reached. It only reads;
 * other calls are {@code STORE_DENIED}. URLs carry a signature and never appear in messages.
 */
public final class PresignedChunkStore implements ChunkStore {
    private final StoreId id;
    private final ChunkUrls urls;
    private final HttpClient client;
    private final HttpTimeouts timeouts;
    private volatile boolean closed;

    /**
     * @param client made by {@link #client}; may serve many stores; the caller ends it
     */
    public PresignedChunkStore(StoreId id, ChunkUrls urls, HttpClient client, HttpTimeouts timeouts) {
        this.id = id;
        this.urls = urls;
        this.client = client;
        this.timeouts = timeouts;
    }

    /** A client with this store's settings; end it with {@link #end}. */
    public static HttpClient client(HttpTimeouts timeouts) {
        return HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .followRedirects(HttpClient.Redirect.NEVER)
                .connectTimeout(timeouts.connect())
                .build();
    }

    /**
     * Ends a client's requests, connections and threads. The JDK can do that from version 21 on; before, the threads
     * end when the garbage collector finds the client.
     */
    public static void end(HttpClient client) {
        try {
            HttpClient.class.getMethod("shutdownNow").invoke(client);
        } catch (NoSuchMethodException e) {
            // An earlier JDK.
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("HttpClient.shutdownNow", e);
        }
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

    private HttpReader open(ChunkId chunk, ByteRange range) throws CloudMwException {
        if (closed) {
            throw new CloudMwException(ErrorCode.STORE_UNAVAILABLE, "store=" + id + ": closed");
        }
        URI url = urls.url(chunk)
                .orElseThrow(() -> new CloudMwException(
                        ErrorCode.REPLICA_MISSING, "chunk=" + chunk + " store=" + id + ": no URL for it"));
        ByteRange stored = ChunkStore.inStored(this, chunk, range);
        return new HttpReader(client, timeouts, url, stored, "chunk=" + chunk + " store=" + id);
    }

    private CloudMwException denied(String what) {
        return new CloudMwException(ErrorCode.STORE_DENIED, what + " store=" + id + ": only reads are signed");
    }
}
