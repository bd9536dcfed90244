package io.cloudmw.client.rpc.coordinator;

import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.placement.PlannedChunk;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * A planned segment of a manifest: its chunks, and the order in which helpers read each.
 *
 * @param directValidity the validity of its presigned URLs, from the answer on; zero: unknown
 * @param unsigned stores without presigned URLs although URLs were asked for, each with the reason and the remedy
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
