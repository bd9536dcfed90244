package io.cloudmw.core.grant;

import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.VolumeName;

/**
 * The files to which a grant applies.
 *
 * @param prefix a directory's path, such as {@code /logs}, for everything in it; {@code /}: the whole volume
 */
public record GrantScope(VolumeName volume, String prefix) {
    public GrantScope {
        boolean isRoot = prefix.equals("/");
        if (!prefix.startsWith("/") || prefix.length() > FilePath.MAX_BYTES || (prefix.endsWith("/") && !isRoot)) {
            throw new IllegalArgumentException("path of a grant: \"" + prefix.replaceAll("\\p{C}", "?")
                    + "\" (expected: / or a directory such as /logs, at most " + FilePath.MAX_BYTES + " characters)");
        }
    }

    /** The whole volume. */
    public static GrantScope of(VolumeName volume) {
        return new GrantScope(volume, "/");
    }

    /** Returns whether a path of a volume is in this scope: the directory itself is, a longer name beside it is not. */
    public boolean contains(VolumeName other, String path) {
        if (!volume.equals(other)) {
            return false;
        }
        return prefix.equals("/")
                || path.equals(prefix)
                || (path.startsWith(prefix) && path.charAt(prefix.length()) == '/');
    }

    /** A text such as {@code data:/logs}. */
    public String describe() {
        return volume + ":" + prefix;
    }
}
