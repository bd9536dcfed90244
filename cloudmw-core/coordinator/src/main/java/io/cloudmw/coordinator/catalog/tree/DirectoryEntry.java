package io.cloudmw.coordinator.catalog.tree;

import io.cloudmw.core.chunk.Sha256;
import io.cloudmw.core.model.file.Attributes;
import io.cloudmw.core.model.file.FileVersion;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * An immediate child of a directory.
 *
 * @param name its last path segment
 * @param version the file's current version; empty: a directory
 * @param attributesDigest a 64-bit digest of the entry's attributes; 0: no attributes
 * @param createdAtMillis when the file's first version was committed, or the directory was made to stay; 0: unknown, or a
 *     directory that does not stay
 */
public record DirectoryEntry(String name, Optional<FileVersion> version, long attributesDigest, long createdAtMillis) {
    /** Creates a file or a directory without attributes, of an unknown age. */
    public DirectoryEntry(String name, Optional<FileVersion> version) {
        this(name, version, 0, 0);
    }

    /** Creates a file or a directory with attributes. */
    public DirectoryEntry(String name, Optional<FileVersion> version, Attributes attributes, long createdAtMillis) {
        this(name, version, digest(attributes), createdAtMillis);
    }

    public boolean isDirectory() {
        return version.isEmpty();
    }

    /** Returns a digest of the attributes; neither names nor values contain the character 0. */
    private static long digest(Attributes attributes) {
        if (attributes.values().isEmpty()) {
            return 0;
        }
        StringBuilder text = new StringBuilder();
        attributes
                .values()
                .forEach((name, value) ->
                        text.append(name).append('\0').append(value).append('\0'));
        byte[] digest = Sha256.begin().digest(text.toString().getBytes(StandardCharsets.UTF_8));
        return ByteBuffer.wrap(digest).getLong();
    }
}
