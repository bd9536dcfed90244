package io.cloudmw.client.rpc;

import io.cloudmw.core.placement.PlannedChunk;
import java.time.Duration;
import java.util.List;

/**
 * One segment of a manifest, with what to do about each chunk.
 *
 * @param directValidity for how long its presigned URLs are good, from the answer on; zero: not said
 */
public record PlannedSegment(int index, List<PlannedChunk> chunks, Duration directValidity) {
    public PlannedSegment {
        chunks = List.copyOf(chunks);
        if (directValidity.isNegative()) {
            throw new IllegalArgumentException("directValidity: " + directValidity + " (expected: >= 0)");
        }
    }
}
