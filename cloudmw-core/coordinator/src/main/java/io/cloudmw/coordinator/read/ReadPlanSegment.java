package io.cloudmw.coordinator.read;

import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.placement.PlannedChunk;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

/**
 * A segment of a read plan.
 *
 * @param sha256 hexadecimal digest of the segment as it is kept
 * @param directValidity how long presigned URLs are valid; zero where there are none
 * @param unsigned stores whose copies lack the requested presigned URLs, with the reason and the remedy
 */
public record ReadPlanSegment(
        List<PlannedChunk> chunks, String sha256, Duration directValidity, Map<StoreId, String> unsigned) {
    public ReadPlanSegment {
        chunks = List.copyOf(chunks);
        unsigned = Map.copyOf(unsigned);
    }

    /** Returns the bytes of the digest. */
    public byte[] sha256Bytes() {
        return HexFormat.of().parseHex(sha256);
    }
}
