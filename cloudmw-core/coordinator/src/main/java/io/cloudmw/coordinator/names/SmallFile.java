package io.cloudmw.coordinator.names;

import io.cloudmw.coordinator.catalog.tree.CurrentFile;
import io.cloudmw.core.model.chunk.Chunk;
import java.util.List;

/**
 * A file with the chunks of its manifest; slices of a compacted pack are those of the new one.
 *
 * @param chunks empty: they were not requested, or the manifest has more or no segments
 */
public record SmallFile(CurrentFile file, List<Chunk> chunks) {
    public SmallFile {
        chunks = List.copyOf(chunks);
    }
}
