package io.cloudmw.core.signing;

import io.cloudmw.core.model.chunk.ChunkId;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * URLs that answer GET with chunks of one store. The URLs are secrets.
 *
 * @param validity for how long they are good
 * @param obstacle why the store's chunks have none, with a remedy; empty: every chunk of a bucket has one
 */
public record SignedUrls(Map<ChunkId, URI> urls, Duration validity, Optional<String> obstacle) {
    public SignedUrls {
        urls = Map.copyOf(urls);
        if (validity.isNegative()) {
            throw new IllegalArgumentException("validity: " + validity + " (expected: >= 0)");
        }
    }

    /** URLs for all requested chunks. */
    public static SignedUrls of(Map<ChunkId, URI> urls, Duration validity) {
        return new SignedUrls(urls, validity, Optional.empty());
    }

    /** The number of URLs; the URLs themselves are not printed. */
    @Override
    public String toString() {
        return urls.size() + " URLs for " + validity
                + obstacle.map(why -> ": " + why).orElse("");
    }
}
