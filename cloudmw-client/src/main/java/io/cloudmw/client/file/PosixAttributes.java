package io.cloudmw.client.file;

import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.file.FileVersion;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * The POSIX properties of an entry: times, mode, owner and group. Those that were set are kept as attributes of the
 * entry, under names that begin with {@value #PREFIX}, so that all file systems over a volume show the same. Nothing
 * checks modes and owners. A modification time that was set holds until the next version. Immutable.
 *
 * @param status the entry
 */
public record PosixAttributes(EntryStatus status) {
    /** The beginning of the names that file systems use for their own attributes. */
    public static final String PREFIX = "nio.";

    /** The attribute of a modification time that was set; its value is from {@link #timeValue}. */
    public static final String MODIFIED = PREFIX + "modified";

    /** The attribute of a creation time that was set, in milliseconds since 1970. */
    public static final String CREATED = PREFIX + "created";

    /** The attribute of the mode; its value is from {@link PosixFilePermissions#toString}. */
    public static final String MODE = PREFIX + "mode";

    /** The attribute of the owner's name. */
    public static final String OWNER = PREFIX + "owner";

    /** The attribute of the group's name. */
    public static final String GROUP = PREFIX + "group";

    /** The mode of a file whose mode was not set. */
    public static final String FILE_MODE = "rw-r--r--";

    /** The mode of a directory whose mode was not set. */
    public static final String DIRECTORY_MODE = "rwxr-xr-x";

    private static final String ENCODED = "base64:";

    private Optional<String> value(String name) {
        return Optional.ofNullable(status.attributes().values().get(name));
    }

    /** The value of {@link #MODIFIED} for a time, in milliseconds since 1970. */
    public static String timeValue(long millis, Optional<FileVersion> version) {
        return millis + version.map(FileVersion::id).map(id -> "@" + id).orElse("");
    }

    /** The time in a value, unless it was set for another version. */
    private static OptionalLong time(String value, Optional<VersionId> version) {
        int at = value.indexOf('@');
        String set = at < 0 ? "" : value.substring(at + 1);
        try {
            long millis = Long.parseLong(at < 0 ? value : value.substring(0, at));
            return set.isEmpty() || version.map(VersionId::toString).equals(Optional.of(set))
                    ? OptionalLong.of(millis)
                    : OptionalLong.empty();
        } catch (NumberFormatException e) {
            return OptionalLong.empty(); // set by somebody else
        }
    }

    private OptionalLong timeSet(String name, Optional<VersionId> version) {
        Optional<String> value = value(name);
        return value.isPresent() ? time(value.get(), version) : OptionalLong.empty();
    }

    /**
     * The modification time, in milliseconds since 1970: the time that was set, else the commit of the current version;
     * of a directory its creation time.
     */
    public long modifiedAtMillis() {
        OptionalLong set = timeSet(MODIFIED, status.version().map(FileVersion::id));
        return set.isPresent()
                ? set.getAsLong()
                : status.version().map(FileVersion::committedAtMillis).orElseGet(this::createdAtMillis);
    }

    /** The creation time, in milliseconds since 1970; 0: unknown. */
    public long createdAtMillis() {
        return timeSet(CREATED, Optional.empty()).orElse(status.createdAtMillis());
    }

    /** The owner's name, if it was set. */
    public Optional<String> owner() {
        return value(OWNER);
    }

    /** The group's name, if it was set. */
    public Optional<String> group() {
        return value(GROUP);
    }

    /** The mode; {@value #FILE_MODE} or {@value #DIRECTORY_MODE} if none was set. */
    public Set<PosixFilePermission> permissions() {
        String usual = status.isDirectory() ? DIRECTORY_MODE : FILE_MODE;
        try {
            return PosixFilePermissions.fromString(value(MODE).orElse(usual));
        } catch (IllegalArgumentException e) {
            return PosixFilePermissions.fromString(usual); // set by somebody else
        }
    }

    /** Returns whether an attribute belongs to users, not to file systems. */
    public static boolean isOfUsers(Map.Entry<String, String> attribute) {
        return !attribute.getKey().startsWith(PREFIX);
    }

    /** The value that keeps these bytes: text as it is, other bytes as base64. */
    public static String encoded(byte[] bytes) {
        try {
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
            if (!text.startsWith(ENCODED) && text.chars().noneMatch(c -> c < 0x20 || c == 0x7f)) {
                return text;
            }
        } catch (CharacterCodingException e) {
            // not text
        }
        return ENCODED + Base64.getEncoder().encodeToString(bytes);
    }

    /** The bytes that a value keeps. */
    public static byte[] decoded(String value) {
        return value.startsWith(ENCODED)
                ? Base64.getDecoder().decode(value.substring(ENCODED.length()))
                : value.getBytes(StandardCharsets.UTF_8);
    }
}
