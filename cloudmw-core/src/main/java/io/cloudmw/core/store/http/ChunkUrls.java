package io.cloudmw.core.store.http;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.chunk.ChunkId;
import java.net.URI;
import java.util.Optional;

/** The source of a store's presigned URLs. Called by any thread; may block to request fresh URLs. */
@FunctionalInterface
public interface ChunkUrls {
    /** A URL that answers GET with the chunk, and Range requests with parts of it; empty: no URL is known here. */
    Optional<URI> url(ChunkId chunk) throws CloudMwException;
}
