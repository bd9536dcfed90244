package io.cloudmw.client.rpc.coordinator;

import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.placement.PlannedChunk;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * One segment of a manifest, with what to do about each chunk.
 *
 * @param directValidity for how long its presigned URLs are good, from the answer on; zero: not said
 * @param unsigned stores whose copies have no presigned URLs although they were asked for, with why, and what to do
 */
public record SegmentPlan(
        int index, List<PlannedChunk> chunks, Duration directValidity, Map<StoreId, String> unsigned) {
    public SegmentPlan {
        chunks = List.copyOf(chunks);
        unsigned = Map.copyOf(unsigned);
        if (directValidity.isNegative()) {
            throw new IllegalArgumentException("directValidity: " + directValidity + " (expected: >= 0)");
        }
    }
}
