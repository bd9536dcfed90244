package io.cloudmw.core.catalog;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.VolumeName;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/**
 * The arithmetic of a directory listing over sorted paths. Directories are implicit, so a listing walks the paths below
 * the directory and, having met a child directory, jumps over everything in it: {@code '0'} follows {@code '/'}.
 *
 * @param prefix of every path below the directory; ends in a slash
 * @param from the first path to look at
 */
public record Listing(String prefix, String from) {
    private static final VolumeName ANY = new VolumeName("any");

    /**
     * Where a page begins.
     *
     * @throws CloudMwException {@code INVALID_ARGUMENT} when the directory or the token is malformed
     */
    public static Listing of(String directory, String pageToken) throws CloudMwException {
        String prefix = "/";
        if (!directory.equals("/")) {
            try {
                prefix = new FilePath(ANY, directory).path() + "/";
            } catch (IllegalArgumentException e) {
                throw new CloudMwException(ErrorCode.INVALID_ARGUMENT, "directory: " + e.getMessage(), e);
            }
        }
        String from = pageToken.isEmpty() ? prefix : decode(pageToken);
        if (!from.startsWith(prefix)) {
            throw new CloudMwException(ErrorCode.INVALID_ARGUMENT, "page token: not of this directory");
        }
        return new Listing(prefix, from);
    }

    /** The first path that is no longer below the directory. */
    public String end() {
        return afterDirectory(prefix);
    }

    /** The child of the directory that {@code path} is, or lies in. */
    public String childName(String path) {
        int slash = path.indexOf('/', prefix.length());
        return path.substring(prefix.length(), slash < 0 ? path.length() : slash);
    }

    /** Whether {@code path} lies in a child directory rather than being a file of this one. */
    public boolean isBelowChild(String path) {
        return path.indexOf('/', prefix.length()) >= 0;
    }

    /** Where to go on after the child that {@code path} is, or lies in. */
    public Listing after(String path) {
        String next = isBelowChild(path)
                ? afterDirectory(prefix + childName(path) + "/")
                // Paths hold no control characters: nothing lies between a path and this.
                : path + '\u0001';
        return new Listing(prefix, next);
    }

    /** Hand it to {@link #of} for the next page. */
    public String token() {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(from.getBytes(StandardCharsets.UTF_8));
    }

    private static String afterDirectory(String slashed) {
        return slashed.substring(0, slashed.length() - 1) + '0';
    }

    private static String decode(String token) throws CloudMwException {
        try {
            return new String(Base64.getUrlDecoder().decode(token), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw new CloudMwException(ErrorCode.INVALID_ARGUMENT, "page token: malformed", e);
        }
    }
}
