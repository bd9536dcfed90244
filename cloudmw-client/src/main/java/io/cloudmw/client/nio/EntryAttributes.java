package io.cloudmw.client.nio;

import io.cloudmw.client.file.EntryStatus;
import io.cloudmw.client.file.PosixAttributes;
import io.cloudmw.core.model.file.FileVersion;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.UserPrincipal;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The attributes of an entry in the JDK's terms, from its {@link PosixAttributes}. Immutable.
 *
 * @param path the entry's absolute path, the key of a directory
 */
record EntryAttributes(String path, EntryStatus status) implements PosixFileAttributes {
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

    private PosixAttributes posix() {
        return new PosixAttributes(status);
    }

    @Override
    public FileTime lastModifiedTime() {
        return FileTime.fromMillis(posix().modifiedAtMillis());
    }

    /** Reads are not recorded: the modification time. */
    @Override
    public FileTime lastAccessTime() {
        return lastModifiedTime();
    }

    @Override
    public FileTime creationTime() {
        return FileTime.fromMillis(posix().createdAtMillis());
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
        return new Principal(posix().owner().orElseGet(EntryAttributes::thisUser));
    }

    @Override
    public GroupPrincipal group() {
        return new Principal(posix().group().orElseGet(EntryAttributes::thisUser));
    }

    private static String thisUser() {
        return System.getProperty("user.name", "unknown");
    }

    @Override
    public Set<PosixFilePermission> permissions() {
        return posix().permissions();
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
