package io.cloudmw.core.coordinator;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.ChunkId;
import io.cloudmw.core.model.Store;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;

/** Lets clients without credentials read chunks from stores by themselves. Safe for any thread. */
@FunctionalInterface
public interface DirectSources {
    /**
     * A URL that answers GET, also of a range, with the chunk for {@code validity}; it is a secret. Computed without
     * asking the store. Empty when the store cannot be read this way.
     */
    Optional<URI> presign(Store store, ChunkId chunk, Duration validity) throws CloudMwException;

    /** For clusters where clients reach nothing by themselves. */
    static DirectSources none() {
        return (store, chunk, validity) -> Optional.empty();
    }
}
