package io.cloudmw.client.tree;

import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.file.Attributes;
import io.cloudmw.core.model.file.FileVersion;
import java.nio.file.attribute.FileTime;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/**
 * The time of a file's last change at its source. It is recorded in the attribute {@code mtime} together with the
 * version, because attributes outlive versions and another version has another time.
 */
final class RecordedTime {
    private static final String NAME = "mtime";

    private RecordedTime() {}

    static Map<String, String> of(FileTime time, VersionId version) {
        return Map.of(NAME, time.toInstant() + " " + version.value());
    }

    /** The recorded time, or else the time of the commit, which a downloaded copy gets too. */
    static FileTime of(FileVersion version, Attributes attributes) {
        return noted(version, attributes).orElseGet(() -> FileTime.fromMillis(version.committedAtMillis()));
    }

    private static Optional<FileTime> noted(FileVersion version, Attributes attributes) {
        String noted = attributes.values().getOrDefault(NAME, "");
        int space = noted.indexOf(' ');
        if (space < 0 || !noted.substring(space + 1).equals(version.id().value())) {
            return Optional.empty();
        }
        try {
            return Optional.of(FileTime.from(Instant.parse(noted.substring(0, space))));
        } catch (DateTimeException e) {
            return Optional.empty(); // another program's use of this attribute
        }
    }
}
