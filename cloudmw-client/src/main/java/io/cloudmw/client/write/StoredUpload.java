package io.cloudmw.client.write;

import io.cloudmw.client.rpc.coordinator.PutParameters;
import io.cloudmw.core.manifest.ManifestPlan;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.chunk.ReplicaReport;
import java.util.List;
import java.util.NavigableMap;

/**
 * The chunks and segments that an interrupted put had stored.
 *
 * @param volumeCreatedAtMillis when the put's volume was created
 * @param plan the plan by which the file was cut
 * @param segments the SHA-256 of the segments that the coordinator has, from the first
 * @param chunks stored chunks of other segments, by index
 * @param owed replicas of any chunk that are not durable yet
 * @param replicas durable replicas
 * @param bytes bytes of the chunks stored
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
    /**
     * Returns whether the upload can be resumed: it is still open, in the same volume, and the file is cut in the same
     * way.
     */
    boolean canContinue(PutParameters answer, ManifestPlan planned) {
        return answer.open() && answer.volumeCreatedAtMillis() == volumeCreatedAtMillis && plan.equals(planned);
    }

    boolean isStored(long chunkIndex) {
        return chunkIndex < (long) segments.size() * plan.chunksPerSegment() || chunks.containsKey(chunkIndex);
    }
}
