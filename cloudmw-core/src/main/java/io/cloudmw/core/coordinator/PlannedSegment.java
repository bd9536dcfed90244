package io.cloudmw.core.coordinator;

import io.cloudmw.core.placement.PlannedChunk;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;

/**
 * One segment of a read plan.
 *
 * @param sha256 hexadecimal, of the segment as it is kept
 * @param directValidity for how long presigned URLs are good; zero where there are none
 */
public record PlannedSegment(List<PlannedChunk> chunks, String sha256, Duration directValidity) {
    public PlannedSegment {
        chunks = List.copyOf(chunks);
    }

    /** The digest's bytes. */
    public byte[] sha256Bytes() {
        return HexFormat.of().parseHex(sha256);
    }
}
