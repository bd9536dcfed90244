package io.cloudmw.hadoop.volume;

import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.VolumeName;
import java.util.Optional;

/**
 * A place in a cluster that a path names. Immutable.
 *
 * @param volume empty: the directory of all volumes
 * @param snapshot the snapshot; empty: the current files
 * @param path {@code "/"} or {@code "/a/b"} within the volume
 * @param snapshots whether the place is the directory of the volume's snapshots
 */
public record NamedPath(Optional<VolumeName> volume, Optional<String> snapshot, String path, boolean snapshots) {
    /** The directory of all volumes. */
    static final NamedPath VOLUMES = new NamedPath(Optional.empty(), Optional.empty(), "/", false);

    /** The directory of all volumes, which no call changes. */
    public boolean isClusterRoot() {
        return volume.isEmpty();
    }

    /** The directory of all files of a volume. */
    public boolean isVolumeRoot() {
        return volume.isPresent() && snapshot.isEmpty() && !snapshots && path.equals("/");
    }

    /** Returns whether the place has no name in a volume's tree of current files, so that it cannot be changed. */
    public boolean isFixed() {
        return volume.isEmpty() || snapshot.isPresent() || snapshots;
    }

    /**
     * The entry in the terms of the client.
     *
     * @throws IllegalArgumentException for the root of a volume, and for names that no file can have
     */
    public FilePath file() {
        return new FilePath(
                volume.orElseThrow(() -> new IllegalArgumentException("path: / (expected: in a volume)")), path);
    }

    /** The directory above an entry of a volume. */
    public NamedPath parent() {
        int slash = path.lastIndexOf('/');
        return new NamedPath(volume, snapshot, slash <= 0 ? "/" : path.substring(0, slash), false);
    }

    /** Returns whether this place is in the other directory, at any depth. */
    public boolean isBelow(NamedPath directory) {
        return volume.equals(directory.volume)
                && path.startsWith(directory.path.equals("/") ? "/" : directory.path + "/")
                && !path.equals(directory.path);
    }
}
