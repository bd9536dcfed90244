package io.cloudmw.core.coordinator;

import io.cloudmw.core.placement.PlannedChunk;
import java.util.HexFormat;
import java.util.List;

/**
 * One segment of a read plan.
 *
 * @param sha256 hexadecimal, of the segment as it is kept
 */
public record PlannedSegment(List<PlannedChunk> chunks, String sha256) {
    public PlannedSegment {
        chunks = List.copyOf(chunks);
    }

    /** The digest's bytes. */
    public byte[] sha256Bytes() {
        return HexFormat.of().parseHex(sha256);
    }
}
