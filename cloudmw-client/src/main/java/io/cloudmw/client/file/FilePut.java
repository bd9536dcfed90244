package io.cloudmw.client.file;

import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.file.Attributes;
import io.cloudmw.core.model.file.PutCondition;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/**
 * A file of a put of many files. Immutable.
 *
 * @param source a regular file on this machine; it must not change until its future is done
 * @param target the path of the new version
 * @param version the id of the new version, which must be unique
 * @param condition the version that the path must name; empty: any, or none
 * @param created attributes given to the file if the put creates it; a file that exists keeps its own
 * @param set attributes that the file has afterwards in any case
 */
public record FilePut(
        Path source,
        FilePath target,
        VersionId version,
        Optional<PutCondition> condition,
        Attributes created,
        Map<String, String> set) {
    public FilePut {
        set = Map.copyOf(set);
    }

    /** A put without a condition and without attributes. */
    public static FilePut of(Path source, FilePath target) {
        return new FilePut(source, target, VersionId.random(), Optional.empty(), Attributes.NONE, Map.of());
    }
}
