package io.cloudmw.coordinator.catalog;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.file.Change;
import java.util.function.Consumer;

/**
 * What happened to the names of each volume, in order and without gaps: {@link Catalog#commit}, {@link Catalog#remove},
 * {@link Catalog#rename}, {@link Catalog#setAttributes} and {@link Catalog#deleteVolume} each add one {@link Change} in the
 * step in which they make it, and nothing if they change nothing. The state of a volume's names is a function of its position:
 * who has read something at position n and knows the changes after n knows what has become of it. Positions outlive a volume: one
 * that is made again under its name goes on counting.
 *
 * <p>Only the last changes are kept, as {@link #prune} says. Safe for any thread; calls block on storage.
 */
public interface ChangeLog {
    /** {@link #prune} takes away at most this many changes of a volume in one step. */
    int PRUNE_BATCH = 1000;

    /**
     * The position of the last change of a volume; 0 when nothing has changed in it, or it never was.
     */
    long position(VolumeName volume) throws CloudMwException;

    /**
     * The changes that follow a position, as they are at this moment.
     *
     * @param after at least 0
     * @param limit 1..{@value Catalog#MAX_PAGE}: at most so many, the first ones
     */
    Changes after(VolumeName volume, long after, int limit) throws CloudMwException;

    /**
     * Takes away what is old: changes made before {@code beforeMillis}, and all but the last {@code keep} of each volume.
     *
     * @param keep at least 0
     * @return how many; at most {@value #PRUNE_BATCH} of each volume
     */
    int prune(long beforeMillis, long keep) throws CloudMwException;

    /**
     * Who is told, as soon as it is durable, that this process added a change to a volume; on the thread that did, which it must not
     * hold up. What others added nobody is told. Replaces who was told before.
     */
    void onChange(Consumer<VolumeName> listener);
}
