package io.cloudmw.client.tree;

import io.cloudmw.client.rpc.FileStatus;
import io.cloudmw.core.model.VersionId;
import java.nio.file.attribute.FileTime;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/**
 * The time of a file's last change where it came from, noted as its attribute {@code mtime} together with the version it is
 * of: attributes outlive versions, and another version has another time.
 */
final class RecordedTime {
    private static final String NAME = "mtime";

    private RecordedTime() {}

    static Map<String, String> of(FileTime time, VersionId version) {
        return Map.of(NAME, time.toInstant() + " " + version.value());
    }

    /** When nobody noted one, the time of the commit: a copy that is read gets it too. */
    static FileTime of(FileStatus file) {
        return noted(file).orElseGet(() -> FileTime.fromMillis(file.version().committedAtMillis()));
    }

    private static Optional<FileTime> noted(FileStatus file) {
        String noted = file.attributes().values().getOrDefault(NAME, "");
        int space = noted.indexOf(' ');
        if (space < 0 || !noted.substring(space + 1).equals(file.version().id().value())) {
            return Optional.empty();
        }
        try {
            return Optional.of(FileTime.from(Instant.parse(noted.substring(0, space))));
        } catch (DateTimeException e) {
            return Optional.empty(); // somebody else's idea of this attribute
        }
    }
}
