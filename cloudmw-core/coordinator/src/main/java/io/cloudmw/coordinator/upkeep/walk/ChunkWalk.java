package io.cloudmw.coordinator.upkeep.walk;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.volume.Volume;
import io.cloudmw.core.placement.CurrentReplicas;
import java.util.List;
import java.util.Optional;

/** A walk over chunks of current versions, a few at a time. Used by one thread. */
public interface ChunkWalk {
    /**
     * Consecutive chunks of one file.
     *
     * @param volume as it is now
     */
    record Stretch(FilePath file, Volume volume, List<CurrentReplicas> chunks) {}

    /** Returns the next chunks; empty at the end. Takes time and memory in proportion to a manifest segment. */
    Optional<Stretch> next() throws CloudMwException;
}
