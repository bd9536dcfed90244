package io.cloudmw.client.nio;

import io.cloudmw.client.file.EntryStatus;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.file.FileVersion;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * The attributes of an entry in the JDK's terms. Modes, owners and times that were set are kept as attributes of the
 * file, under names that begin with {@value #PREFIX}; nothing checks modes and owners. A modification time that was set
 * holds until the next version. Immutable.
 *
 * @param path the entry's absolute path, the key of a directory
 */
record EntryAttributes(String path, EntryStatus status) implements PosixFileAttributes {
    /** The beginning of the names that this package uses. */
    static final String PREFIX = "nio.";

    static final String MODIFIED = PREFIX + "modified";
    static final String CREATED = PREFIX + "created";
    static final String MODE = PREFIX + "mode";
    static final String OWNER = PREFIX + "owner";
    static final String GROUP = PREFIX + "group";

    private static final String FILE_MODE = "rw-r--r--";
    private static final String DIRECTORY_MODE = "rwxr-xr-x";

    /** A user or a group, known by name alone. */
    record Principal(String name) implements GroupPrincipal {
        @Override
        public String getName() {
            return name;
        }

        @Override
        public String toString() {
            return name;
        }
    }

    private Optional<String> value(String name) {
        return Optional.ofNullable(status.attributes().values().get(name));
    }

    /** The value of an attribute that keeps a time which was set. */
    static String timeValue(FileTime time, Optional<FileVersion> version) {
        return time.toMillis()
                + version.map(FileVersion::id).map(id -> "@" + id).orElse("");
    }

    /** The time in a value, unless it was set for another version. */
    private static Optional<FileTime> time(String value, Optional<VersionId> version) {
        int at = value.indexOf('@');
        String set = at < 0 ? "" : value.substring(at + 1);
        try {
            long millis = Long.parseLong(at < 0 ? value : value.substring(0, at));
            return set.isEmpty() || version.map(VersionId::toString).equals(Optional.of(set))
                    ? Optional.of(FileTime.fromMillis(millis))
                    : Optional.empty();
        } catch (NumberFormatException e) {
            return Optional.empty(); // set by somebody else
        }
    }

    @Override
    public FileTime lastModifiedTime() {
        Optional<VersionId> version = status.version().map(FileVersion::id);
        return value(MODIFIED)
                .flatMap(value -> time(value, version))
                .orElseGet(() -> status.version()
                        .map(known -> FileTime.fromMillis(known.committedAtMillis()))
                        .orElseGet(this::creationTime));
    }

    /** Reads are not recorded: the modification time. */
    @Override
    public FileTime lastAccessTime() {
        return lastModifiedTime();
    }

    @Override
    public FileTime creationTime() {
        return value(CREATED)
                .flatMap(value -> time(value, Optional.empty()))
                .orElseGet(() -> FileTime.fromMillis(status.createdAtMillis()));
    }

    @Override
    public boolean isRegularFile() {
        return !status.isDirectory();
    }

    @Override
    public boolean isDirectory() {
        return status.isDirectory();
    }

    @Override
    public boolean isSymbolicLink() {
        return false;
    }

    @Override
    public boolean isOther() {
        return false;
    }

    @Override
    public long size() {
        return status.version().map(FileVersion::sizeBytes).orElse(0L);
    }

    /** The version of a file, which changes with its content; the path of a directory. */
    @Override
    public Object fileKey() {
        return status.version().<Object>map(FileVersion::id).orElse(path);
    }

    @Override
    public UserPrincipal owner() {
        return new Principal(value(OWNER).orElseGet(EntryAttributes::thisUser));
    }

    @Override
    public GroupPrincipal group() {
        return new Principal(value(GROUP).orElseGet(EntryAttributes::thisUser));
    }

    private static String thisUser() {
        return System.getProperty("user.name", "unknown");
    }

    @Override
    public Set<PosixFilePermission> permissions() {
        String usual = isDirectory() ? DIRECTORY_MODE : FILE_MODE;
        try {
            return PosixFilePermissions.fromString(value(MODE).orElse(usual));
        } catch (IllegalArgumentException e) {
            return PosixFilePermissions.fromString(usual); // set by somebody else
        }
    }

    /** All attributes of a view, by name. */
    Map<String, Object> values(boolean posix) {
        Map<String, Object> values = new TreeMap<>(Map.of(
                "lastModifiedTime", lastModifiedTime(),
                "lastAccessTime", lastAccessTime(),
                "creationTime", creationTime(),
                "size", size(),
                "isRegularFile", isRegularFile(),
                "isDirectory", isDirectory(),
                "isSymbolicLink", false,
                "isOther", false,
                "fileKey", fileKey()));
        if (posix) {
            values.putAll(Map.of("owner", owner(), "group", group(), "permissions", permissions()));
        }
        return values;
    }
}
