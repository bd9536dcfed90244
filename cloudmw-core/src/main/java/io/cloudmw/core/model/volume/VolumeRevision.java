package io.cloudmw.core.model.volume;

import io.cloudmw.core.model.StoreId;
import java.util.List;

/**
 * How often a volume was changed, and what a change has left to be done.
 *
 * @param generation grows by one with each change; 1 for a volume that was never changed
 * @param leaving stores that the volume gives up: they take no new chunks, and their copies go to others
 */
public record VolumeRevision(long generation, List<StoreId> leaving) {
    /** The revision of a volume that was never changed. */
    public static final VolumeRevision FIRST = new VolumeRevision(1, List.of());

    public VolumeRevision {
        leaving = List.copyOf(leaving);
        if (generation < 1) {
            throw new IllegalArgumentException("generation: " + generation + " (expected: >= 1)");
        }
    }

    /** The revision after this one. */
    public VolumeRevision next(List<StoreId> nowLeaving) {
        return new VolumeRevision(generation + 1, nowLeaving);
    }
}
