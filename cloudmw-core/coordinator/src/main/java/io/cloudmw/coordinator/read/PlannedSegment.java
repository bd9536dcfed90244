package io.cloudmw.coordinator.read;

import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.placement.PlannedChunk;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

/**
 * One segment of a read plan.
 *
 * @param sha256 hexadecimal, of the segment as it is kept
 * @param directValidity for how long presigned URLs are good; zero where there are none
 * @param unsigned stores whose copies have no presigned URLs although they were asked for, with why, and what to do
 */
public record PlannedSegment(
        List<PlannedChunk> chunks, String sha256, Duration directValidity, Map<StoreId, String> unsigned) {
    public PlannedSegment {
        chunks = List.copyOf(chunks);
        unsigned = Map.copyOf(unsigned);
    }

    /** The digest's bytes. */
    public byte[] sha256Bytes() {
        return HexFormat.of().parseHex(sha256);
    }
}
