package io.cloudmw.core.upkeep;

import java.util.List;

/**
 * How far upkeep is with what changes of volumes, and stores that were lost, require.
 *
 * @param volumes those that need stores, or that stores leave; by name
 * @param lostFiles files of which nothing is left to copy from, at most {@value #MAX_LOST_FILES} of them
 * @param lostFileCount how many there were when all files were last looked at
 */
public record ReshapeProgress(List<VolumeFare> volumes, List<LostFile> lostFiles, long lostFileCount) {
    /** A list names no more files. */
    public static final int MAX_LOST_FILES = 1000;

    /** Nothing is to be done. */
    public static final ReshapeProgress NONE = new ReshapeProgress(List.of(), List.of(), 0);

    public ReshapeProgress {
        volumes = List.copyOf(volumes);
        lostFiles = List.copyOf(lostFiles);
    }
}
