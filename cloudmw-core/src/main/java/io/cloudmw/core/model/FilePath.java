package io.cloudmw.core.model;

import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * A file in a volume, written {@code volume:/a/b}. The path is absolute, has no empty, {@code .} or {@code ..}
 * segment, no control character, and at most {@value #MAX_BYTES} bytes of UTF-8.
 */
public record FilePath(VolumeName volume, String path) implements Comparable<FilePath> {
    /** The largest length of a path, in bytes of UTF-8. */
    public static final int MAX_BYTES = 1024;

    public FilePath {
        if (path.chars().anyMatch(FilePath::isControl)) {
            throw new IllegalArgumentException(
                    "path: \"" + printable(path) + "\" contains a control character (expected: none)");
        }
        if (path.equals("/")) {
            throw new IllegalArgumentException("path: \"/\" is a directory (expected: a file's path, like /a/b)");
        }
        if (!path.startsWith("/")) {
            throw new IllegalArgumentException("path: \"" + path + "\" (expected: absolute, like /a/b)");
        }
        for (String segment : List.of(path.substring(1).split("/", -1))) {
            if (segment.isEmpty() || segment.equals(".") || segment.equals("..")) {
                throw new IllegalArgumentException("path: \"" + path + "\" (expected: no empty, '.' or '..' segment)");
            }
        }
        int bytes = path.getBytes(StandardCharsets.UTF_8).length;
        if (bytes > MAX_BYTES) {
            throw new IllegalArgumentException("path: " + bytes + " bytes (expected: <= " + MAX_BYTES + ")");
        }
    }

    /**
     * Reads {@code volume:/path}.
     *
     * @throws IllegalArgumentException when it is not of that form
     */
    public static FilePath parse(String text) {
        int colon = text.indexOf(':');
        if (colon < 0) {
            throw new IllegalArgumentException("file: \"" + text + "\" (expected: volume:/path)");
        }
        return new FilePath(new VolumeName(text.substring(0, colon)), text.substring(colon + 1));
    }

    private static boolean isControl(int c) {
        return c < 0x20 || c == 0x7f;
    }

    /** The path in one line, with control characters written as {@code %XX}. */
    private static String printable(String path) {
        StringBuilder text = new StringBuilder();
        path.codePoints().forEach(c -> text.append(isControl(c) ? String.format("%%%02X", c) : Character.toString(c)));
        return text.toString();
    }

    /** The last segment. */
    public String name() {
        return path.substring(path.lastIndexOf('/') + 1);
    }

    @Override
    public int compareTo(FilePath other) {
        int byVolume = volume.compareTo(other.volume);
        return byVolume != 0 ? byVolume : path.compareTo(other.path);
    }

    /** The path by which messages name a pack of small files; no directory has it. */
    public static FilePath ofPack(VolumeName volume, VersionId pack) {
        return new FilePath(volume, "/.pack-" + pack);
    }

    @Override
    public String toString() {
        return volume + ":" + path;
    }
}
