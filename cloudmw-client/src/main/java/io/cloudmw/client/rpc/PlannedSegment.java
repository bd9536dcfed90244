package io.cloudmw.client.rpc;

import io.cloudmw.core.placement.PlannedChunk;
import java.util.List;

/** One segment of a manifest, with what to do about each chunk. */
public record PlannedSegment(int index, List<PlannedChunk> chunks) {
    public PlannedSegment {
        chunks = List.copyOf(chunks);
    }
}
