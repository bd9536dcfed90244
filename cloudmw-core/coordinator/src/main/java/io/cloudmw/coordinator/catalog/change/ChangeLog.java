package io.cloudmw.coordinator.catalog.change;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.file.Change;
import java.util.function.Consumer;

/**
 * The log of changes to the names of each volume, in order and without gaps. {@link Catalog#commit},
 * {@link Catalog#remove}, {@link Catalog#rename}, {@link Catalog#setAttributes} and {@link Catalog#deleteVolume} each
 * add one {@link Change} in their own step, and none if they change nothing.
 *
 * <p>A position determines the names of a volume. A reader of the names at position n that applies the changes after n
 * has the names of today. Positions outlive a volume: a new volume of the same name continues them.
 *
 * <p>Only the last changes are kept, as {@link #prune} says. Safe for any thread; calls block on storage.
 */
public interface ChangeLog {
    /** The most changes of a volume that one {@link #prune} drops. */
    int PRUNE_BATCH = 1000;

    /** Returns the position of the last change of a volume; 0 when nothing has changed in it, or it never existed. */
    long position(VolumeName volume) throws CloudMwException;

    /**
     * Returns the changes after a position, as they are at this moment.
     *
     * @param after at least 0
     * @param limit 1..{@value Catalog#MAX_PAGE}: the most changes to return, the first ones
     */
    ChangePage after(VolumeName volume, long after, int limit) throws CloudMwException;

    /**
     * Drops changes made before {@code beforeMillis}, and all but the last {@code keep} of each volume.
     *
     * @param keep at least 0
     * @return how many were dropped; at most {@value #PRUNE_BATCH} of each volume
     */
    int prune(long beforeMillis, long keep) throws CloudMwException;

    /**
     * Sets the listener that is told of each durable change this process adds. The listener runs on the thread of the
     * change and must not block it. Changes of other processes are not reported. Replaces the previous listener.
     */
    void onChange(Consumer<VolumeName> listener);
}
