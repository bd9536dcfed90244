package io.cloudmw.coordinator.catalog.version;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.chunk.ReplicaRecord;
import io.cloudmw.core.placement.CurrentReplicas;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The present locations of chunk copies: the manifest's stores, overlaid with the records of single replicas. */
public final class ReplicaOverlay {
    private ReplicaOverlay() {}

    /** A half-open range of chunk indexes. */
    private record Span(long first, long end) {
        Span and(Span other) {
            return new Span(Math.min(first, other.first), Math.max(end, other.end));
        }
    }

    /**
     * Returns the copies of each chunk of one segment, in the chunks' order. Queries the catalog once for each version
     * that wrote some of the chunks.
     */
    public static List<CurrentReplicas> of(UpkeepRecords catalog, List<Chunk> chunks) throws CloudMwException {
        Map<VersionId, Span> spans = new LinkedHashMap<>();
        for (Chunk chunk : chunks) {
            long index = chunk.id().index();
            spans.merge(chunk.id().version(), new Span(index, index + 1), Span::and);
        }
        Map<ChunkId, List<ReplicaRecord>> records = new HashMap<>();
        for (Map.Entry<VersionId, Span> span : spans.entrySet()) {
            for (ReplicaRecord record : catalog.records(
                    span.getKey(), span.getValue().first(), span.getValue().end())) {
                records.computeIfAbsent(record.chunk(), ignored -> new ArrayList<>())
                        .add(record);
            }
        }
        return chunks.stream()
                .map(chunk -> CurrentReplicas.of(chunk, records.getOrDefault(chunk.id(), List.of())))
                .toList();
    }
}
