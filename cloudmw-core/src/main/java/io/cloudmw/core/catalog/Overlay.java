package io.cloudmw.core.catalog;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.Chunk;
import io.cloudmw.core.model.ChunkId;
import io.cloudmw.core.model.ReplicaRecord;
import io.cloudmw.core.placement.Copies;
import java.util.ArrayList;
import java.util.List;

/** Where the copies of a manifest's chunks are now. */
public final class Overlay {
    private Overlay() {}

    /** The copies of each of these chunks, in their order; asks once for each run of chunks that follow each other. */
    public static List<Copies> of(UpkeepRecords catalog, List<Chunk> chunks) throws CloudMwException {
        List<Copies> copies = new ArrayList<>(chunks.size());
        int first = 0;
        for (int end = 1; end <= chunks.size(); end++) {
            if (end == chunks.size()
                    || !follows(chunks.get(end - 1).id(), chunks.get(end).id())) {
                List<Chunk> run = chunks.subList(first, end);
                ChunkId from = run.get(0).id();
                List<ReplicaRecord> records = catalog.records(from.version(), from.index(), from.index() + run.size());
                run.forEach(chunk -> copies.add(Copies.of(chunk, records)));
                first = end;
            }
        }
        return copies;
    }

    private static boolean follows(ChunkId before, ChunkId chunk) {
        return chunk.version().equals(before.version()) && chunk.index() == before.index() + 1;
    }
}
