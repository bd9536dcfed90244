package io.cloudmw.core.model.file;

import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.VersionId;
import java.util.Optional;

/**
 * A change of the names in a volume, made in one step. A renamed directory is one change, whatever lies below it.
 *
 * @param position 1 for the volume's first change and one more for each that follows
 * @param atMillis the time at the coordinator that made it
 * @param path the path of the file or directory after the change; {@code /}: the volume itself
 * @param from its path before; empty: it was not moved
 * @param version the file's current version, or the one that was removed; empty: a directory, or the volume itself
 */
public record Change(
        long position, long atMillis, Kind kind, String path, Optional<String> from, Optional<VersionId> version) {

    /** The kinds of changes. */
    public enum Kind {
        /** The path has a new file, or its file a new version. */
        PUT,
        /** The path has lost its file. */
        REMOVED,
        /** A file or a directory has another path; it may have replaced a file or an empty directory. */
        RENAMED,
        /** A file has other attributes and the same version, or a directory has other attributes. */
        ATTRIBUTES,
        /** The path has a directory that stays when it is empty. */
        DIRECTORY_CREATED,
        /** The path has lost its empty directory. */
        DIRECTORY_REMOVED,
        /** The volume is gone, with all its files. No change follows unless a volume of this name is created again. */
        VOLUME_DELETED
    }

    public Change {
        if (position < 1) {
            throw new IllegalArgumentException("position: " + position + " (expected: >= 1)");
        }
        if ((kind == Kind.RENAMED) != from.isPresent()) {
            throw new IllegalArgumentException(kind + ": from " + from + " (expected: only of what was renamed)");
        }
        boolean ofDirectory = kind == Kind.DIRECTORY_CREATED || kind == Kind.DIRECTORY_REMOVED;
        if (version.isEmpty() && (kind == Kind.PUT || kind == Kind.REMOVED)) {
            throw new IllegalArgumentException(kind + ": without a version");
        }
        if (version.isPresent() && ofDirectory) {
            throw new IllegalArgumentException(kind + ": with a version");
        }
    }

    /** A new version of a file. */
    public static Change put(FilePath file, VersionId version, long atMillis) {
        return unnumbered(Kind.PUT, file, Optional.empty(), Optional.of(version), atMillis);
    }

    /** The removal of a file. */
    public static Change removed(FilePath file, VersionId version, long atMillis) {
        return unnumbered(Kind.REMOVED, file, Optional.empty(), Optional.of(version), atMillis);
    }

    /** A change of the attributes of a file. */
    public static Change attributes(FilePath file, VersionId version, long atMillis) {
        return attributes(file, Optional.of(version), atMillis);
    }

    /** A change of the attributes of a file with this version, or of a directory. */
    public static Change attributes(FilePath path, Optional<VersionId> version, long atMillis) {
        return unnumbered(Kind.ATTRIBUTES, path, Optional.empty(), version, atMillis);
    }

    /** The creation of a directory that stays when it is empty. */
    public static Change directoryCreated(FilePath directory, long atMillis) {
        return unnumbered(Kind.DIRECTORY_CREATED, directory, Optional.empty(), Optional.empty(), atMillis);
    }

    /** The removal of an empty directory. */
    public static Change directoryRemoved(FilePath directory, long atMillis) {
        return unnumbered(Kind.DIRECTORY_REMOVED, directory, Optional.empty(), Optional.empty(), atMillis);
    }

    /** The change that renames a file with this version, or a directory. */
    public static Change renamed(Rename rename, Optional<VersionId> version, long atMillis) {
        return unnumbered(Kind.RENAMED, rename.to(), Optional.of(rename.from().path()), version, atMillis);
    }

    /** The deletion of the volume. */
    public static Change volumeDeleted(long atMillis) {
        return new Change(1, atMillis, Kind.VOLUME_DELETED, "/", Optional.empty(), Optional.empty());
    }

    private static Change unnumbered(
            Kind kind, FilePath file, Optional<String> from, Optional<VersionId> version, long atMillis) {
        return new Change(1, atMillis, kind, file.path(), from, version);
    }

    /** The same change at another position: a catalog assigns it when it keeps the change. */
    public Change at(long numbered) {
        return new Change(numbered, atMillis, kind, path, from, version);
    }

    /**
     * Returns whether the change affects a path or anything below it. It does when it happened there, moved something
     * there or away, or moved a directory above.
     *
     * @param watched {@code /} or {@code /a/b}
     */
    public boolean touches(String watched) {
        return kind == Kind.VOLUME_DELETED
                || touches(path, watched)
                || from.filter(before -> touches(before, watched)).isPresent();
    }

    private boolean touches(String changed, String watched) {
        boolean directory = version.isEmpty() && kind == Kind.RENAMED;
        return isAtOrBelow(changed, watched) || (directory && isAtOrBelow(watched, changed));
    }

    private static boolean isAtOrBelow(String path, String other) {
        return other.equals("/") || path.equals(other) || path.startsWith(other + "/");
    }
}
