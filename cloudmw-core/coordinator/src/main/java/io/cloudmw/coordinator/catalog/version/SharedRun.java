package io.cloudmw.coordinator.catalog.version;

import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.chunk.ChunkId;
import java.util.ArrayList;
import java.util.List;

/**
 * A run of consecutive chunks that one version references and another version wrote.
 *
 * @param owner the version that wrote them
 * @param endIndex index after the last one
 */
public record SharedRun(VersionId owner, long firstIndex, long endIndex) {
    public SharedRun {
        if (firstIndex < 0 || endIndex <= firstIndex) {
            throw new IllegalArgumentException("run: " + firstIndex + " to " + endIndex);
        }
    }

    /** Returns the runs in a segment of {@code version} that other versions wrote. */
    public static List<SharedRun> of(VersionId version, List<Chunk> segment) {
        List<SharedRun> runs = new ArrayList<>();
        for (Chunk chunk : segment) {
            VersionId owner = chunk.id().version();
            SharedRun last = runs.isEmpty() ? null : runs.get(runs.size() - 1);
            if (owner.equals(version)) {
                continue;
            }
            if (last != null
                    && last.owner.equals(owner)
                    && last.endIndex == chunk.id().index()) {
                runs.set(runs.size() - 1, new SharedRun(owner, last.firstIndex, last.endIndex + 1));
            } else {
                runs.add(new SharedRun(owner, chunk.id().index(), chunk.id().index() + 1));
            }
        }
        return List.copyOf(runs);
    }

    /** Returns whether the run contains the chunk. */
    public boolean contains(ChunkId chunk) {
        return chunk.version().equals(owner) && chunk.index() >= firstIndex && chunk.index() < endIndex;
    }
}
