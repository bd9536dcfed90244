package io.cloudmw.core.status;

import java.util.List;

/**
 * The progress of upkeep after volume changes and losses of stores.
 *
 * @param volumes volumes that lack stores, or that stores leave; by name
 * @param lostFiles files without any copy, at most {@value #MAX_LOST_FILES} of them
 * @param lostFileCount how many there were in the last full pass
 */
public record ReshapeProgress(List<VolumeReshapeProgress> volumes, List<LostFile> lostFiles, long lostFileCount) {
    /** The most lost files in a list. */
    public static final int MAX_LOST_FILES = 1000;

    /** The progress when nothing is to be done. */
    public static final ReshapeProgress NONE = new ReshapeProgress(List.of(), List.of(), 0);

    public ReshapeProgress {
        volumes = List.copyOf(volumes);
        lostFiles = List.copyOf(lostFiles);
    }
}
