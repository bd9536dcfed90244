package io.cloudmw.coordinator.catalog;

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

/** Where the copies of a manifest's chunks are now. */
public final class Overlay {
    private Overlay() {}

    /** Indexes of chunks, half-open. */
    private record Span(long first, long end) {
        Span and(Span other) {
            return new Span(Math.min(first, other.first), Math.max(end, other.end));
        }
    }

    /** The copies of each of these chunks of one segment, in their order; asks once for each version that wrote some. */
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
