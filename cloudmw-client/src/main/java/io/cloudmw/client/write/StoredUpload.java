package io.cloudmw.client.write;

import io.cloudmw.client.rpc.coordinator.PutParameters;
import io.cloudmw.core.manifest.ManifestPlan;
import io.cloudmw.core.model.Chunk;
import io.cloudmw.core.model.ReplicaReport;
import io.cloudmw.core.model.VersionId;
import java.util.List;
import java.util.NavigableMap;

/**
 * The chunks and segments that an interrupted put had stored.
 *
 * @param volumeCreatedAtMillis when the volume was made that it was put into
 * @param plan how it cut its file
 * @param segments the SHA-256 of the segments that the coordinator has, from the first
 * @param chunks those stored that are of no such segment, by index
 * @param owed copies that were promised, of any chunk
 * @param replicas copies that were durable
 * @param bytes of the chunks stored
 */
record StoredUpload(
        VersionId version,
        long volumeCreatedAtMillis,
        ManifestPlan plan,
        List<byte[]> segments,
        NavigableMap<Long, Chunk> chunks,
        List<ReplicaReport> owed,
        long replicas,
        long bytes) {
    /** Whether it can go on: it is still open, in the same volume, and the file is cut as it was. */
    boolean goesOn(PutParameters answer, ManifestPlan planned) {
        return answer.open() && answer.volumeCreatedAtMillis() == volumeCreatedAtMillis && plan.equals(planned);
    }

    boolean isStored(long chunkIndex) {
        return chunkIndex < (long) segments.size() * plan.chunksPerSegment() || chunks.containsKey(chunkIndex);
    }
}
