package io.cloudmw.client.nio;

import io.cloudmw.client.file.EntryStatus;
import io.cloudmw.client.file.PosixAttributes;
import java.io.IOException;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The view of an entry's times, mode, owner and group; also as the views {@code basic} and {@code owner}. The volume's
 * root has fixed attributes.
 */
final class EntryAttributeView implements PosixFileAttributeView {
    private final VolumePath path;
    private final String name;

    /** @param name {@code basic}, {@code owner} or {@code posix} */
    EntryAttributeView(VolumePath path, String name) {
        this.path = path;
        this.name = name;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public EntryAttributes readAttributes() throws IOException {
        return path.getFileSystem().attributes(path);
    }

    private void set(Map<String, String> values) throws IOException {
        path.getFileSystem().setAttributes(path, values, Set.of());
    }

    /** Sets times; the access time is not kept. */
    @Override
    public void setTimes(
            @Nullable FileTime lastModifiedTime, @Nullable FileTime lastAccessTime, @Nullable FileTime createTime)
            throws IOException {
        Map<String, String> values = new TreeMap<>();
        if (lastModifiedTime != null) {
            EntryStatus status = readAttributes().status();
            values.put(
                    PosixAttributes.MODIFIED, PosixAttributes.timeValue(lastModifiedTime.toMillis(), status.version()));
        }
        if (createTime != null) {
            values.put(PosixAttributes.CREATED, String.valueOf(createTime.toMillis()));
        }
        if (!values.isEmpty()) {
            set(values);
        }
    }

    @Override
    public UserPrincipal getOwner() throws IOException {
        return readAttributes().owner();
    }

    @Override
    public void setOwner(UserPrincipal owner) throws IOException {
        set(Map.of(PosixAttributes.OWNER, owner.getName()));
    }

    @Override
    public void setGroup(GroupPrincipal group) throws IOException {
        set(Map.of(PosixAttributes.GROUP, group.getName()));
    }

    @Override
    public void setPermissions(Set<PosixFilePermission> permissions) throws IOException {
        set(Map.of(PosixAttributes.MODE, PosixFilePermissions.toString(permissions)));
    }

    /**
     * Sets one attribute by its name.
     *
     * @throws IllegalArgumentException when there is none with this name
     */
    @SuppressWarnings("unchecked") // as Files.setAttribute has it: another type is a ClassCastException
    void set(String attribute, Object value) throws IOException {
        switch (attribute) {
            case "lastModifiedTime" -> setTimes((FileTime) value, null, null);
            case "lastAccessTime" -> setTimes(null, (FileTime) value, null);
            case "creationTime" -> setTimes(null, null, (FileTime) value);
            case "owner" -> setOwner((UserPrincipal) value);
            case "group" -> setGroup((GroupPrincipal) value);
            case "permissions" -> setPermissions((Set<PosixFilePermission>) value);
            default -> throw new IllegalArgumentException("attribute: " + name + ":" + attribute + " (cannot be set)");
        }
    }
}
