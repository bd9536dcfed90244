package io.cloudmw.coordinator.catalog.version;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.chunk.ReplicaRecord;
import io.cloudmw.core.placement.CurrentReplicas;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The present locations of chunk copies: the manifest's stores, overlaid with the records of single replicas. */
public final class ReplicaOverlay {
    private ReplicaOverlay() {}

    /**
     * Returns the copies of each chunk of one segment, in the chunks' order. Queries the catalog once for each group of
     * chunks that one version wrote, with neighbouring indexes.
     */
    public static List<CurrentReplicas> of(UpkeepRecords catalog, List<Chunk> chunks) throws CloudMwException {
        Map<ChunkId, List<ReplicaRecord>> records = new HashMap<>();
        List<SharedRun> runs =
                SharedRun.of(chunks.stream().map(chunk -> chunk.id().stored()).toList());
        for (List<SharedRun> group : SharedRun.grouped(runs)) {
            SharedRun first = group.get(0);
            long end = group.get(group.size() - 1).endIndex();
            for (ReplicaRecord record : catalog.records(first.owner(), first.firstIndex(), end)) {
                records.computeIfAbsent(record.chunk(), ignored -> new ArrayList<>())
                        .add(record);
            }
        }
        return chunks.stream()
                .map(chunk -> CurrentReplicas.of(
                        chunk, records.getOrDefault(chunk.id().stored(), List.of())))
                .toList();
    }
}
