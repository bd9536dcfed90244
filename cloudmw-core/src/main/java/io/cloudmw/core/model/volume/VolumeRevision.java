package io.cloudmw.core.model.volume;

import io.cloudmw.core.model.StoreId;
import java.util.List;

/**
 * The revision of a volume: the count of its changes, and what is still to be done for the last.
 *
 * @param generation grows by one with each change; 1 for a volume that was never changed
 * @param leaving stores that leave the volume: they take no new chunks, and their replicas move to others
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
