package io.cloudmw.hadoop.volume;

import io.cloudmw.client.CloudMw;
import io.cloudmw.client.file.EntryStatus;
import io.cloudmw.client.file.PosixAttributes;
import io.cloudmw.core.model.file.Attributes;
import java.io.IOException;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathIOException;
import org.apache.hadoop.fs.XAttrSetFlag;
import org.apache.hadoop.fs.permission.FsPermission;

/**
 * The properties of entries that users set: times, modes, owners, extended attributes. All paths are qualified. Safe for
 * any thread; calls block.
 */
public final class EntryProperties {
    private static final String USER = "user.";

    private final CloudMw client;
    private final VolumeNames names;

    /** @param client not closed with this */
    public EntryProperties(CloudMw client, VolumeNames names) {
        this.client = client;
        this.names = names;
    }

    private void set(Path path, Map<String, String> values, Set<String> remove) throws IOException {
        try {
            Attributes unused =
                    HadoopErrors.await(path, client.files().setAttributes(names.entry(path), values, remove));
        } catch (IllegalArgumentException e) {
            throw new PathIOException(path.toString(), e);
        }
    }

    /** Sets the modification time, in milliseconds since 1970. It holds until the content changes. */
    public void setModified(Path path, long millis) throws IOException {
        EntryStatus status = names.require(path, names.changeable(path));
        set(path, Map.of(PosixAttributes.MODIFIED, PosixAttributes.timeValue(millis, status.version())), Set.of());
    }

    /** Sets the mode. The sticky bit is not kept. */
    public void setPermission(Path path, FsPermission permission) throws IOException {
        set(path, Map.of(PosixAttributes.MODE, text(permission)), Set.of());
    }

    /** Returns whether a file, or a directory, has this mode when none was set. */
    public static boolean isDefault(FsPermission permission, boolean directory) {
        return text(permission).equals(directory ? PosixAttributes.DIRECTORY_MODE : PosixAttributes.FILE_MODE);
    }

    /** The attributes of a new file with this mode. */
    public static Attributes initial(FsPermission permission) {
        return isDefault(permission, false)
                ? Attributes.NONE
                : Attributes.of(Map.of(PosixAttributes.MODE, text(permission)));
    }

    private static String text(FsPermission permission) {
        PosixFilePermission[] bits = PosixFilePermission.values(); // from the owner's read to the others' execute
        Set<PosixFilePermission> set = EnumSet.noneOf(PosixFilePermission.class);
        for (int i = 0; i < bits.length; i++) {
            if ((permission.toShort() & (0400 >> i)) != 0) {
                set.add(bits[i]);
            }
        }
        return PosixFilePermissions.toString(set);
    }

    /** Sets those of the owner and the group that are given. */
    public void setOwner(Path path, Map<String, String> given) throws IOException {
        set(path, given, Set.of());
    }

    // ---- extended attributes

    private static String attribute(String name) {
        if (!name.startsWith(USER) || name.length() == USER.length()) {
            throw new UnsupportedOperationException("attribute: " + name + " (expected: user.NAME)");
        }
        String attribute = name.substring(USER.length());
        if (attribute.startsWith(PosixAttributes.PREFIX)) {
            throw new UnsupportedOperationException("attribute: " + name + ": this name is used by the file system");
        }
        return attribute;
    }

    /** The extended attributes of a path by name, {@code user.NAME}. */
    public Map<String, byte[]> attributes(Path path) throws IOException {
        Map<String, byte[]> found = new TreeMap<>();
        names.require(path, names.changeable(path)).attributes().values().entrySet().stream()
                .filter(PosixAttributes::isOfUsers)
                .forEach(each -> found.put(USER + each.getKey(), PosixAttributes.decoded(each.getValue())));
        return found;
    }

    /**
     * The value of an extended attribute.
     *
     * @throws PathIOException when there is none of this name
     */
    public byte[] attribute(Path path, String name) throws IOException {
        String unused = attribute(name);
        byte[] value = attributes(path).get(name);
        if (value == null) {
            throw noAttribute(path, name);
        }
        return value;
    }

    private static PathIOException noAttribute(Path path, String name) {
        return new PathIOException(path.toString(), "has no attribute " + name);
    }

    /** Sets an extended attribute. The flags say whether it may exist already, and whether it may be missing. */
    public void setAttribute(Path path, String name, byte[] value, EnumSet<XAttrSetFlag> flags) throws IOException {
        String attribute = attribute(name);
        if (!flags.containsAll(EnumSet.allOf(XAttrSetFlag.class))) {
            XAttrSetFlag.validate(name, attributes(path).containsKey(name), flags);
        }
        set(path, Map.of(attribute, PosixAttributes.encoded(value)), Set.of());
    }

    /** Removes an extended attribute. */
    public void removeAttribute(Path path, String name) throws IOException {
        String attribute = attribute(name);
        if (!attributes(path).containsKey(name)) {
            throw noAttribute(path, name);
        }
        set(path, Map.of(), Set.of(attribute));
    }
}
