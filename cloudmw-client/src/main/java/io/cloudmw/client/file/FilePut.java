package io.cloudmw.client.file;

import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.file.Attributes;
import io.cloudmw.core.model.file.PutCondition;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A file of a put of many files. Immutable.
 *
 * @param source a regular file on this machine; it must not change until its future is done
 * @param target the path of the new version
 * @param version the id of the new version, which must be unique
 * @param condition the version that the path must name; empty: any, or none
 * @param created attributes given to the file if the put creates it; a file that exists keeps its own
 * @param set attributes that the file has afterwards in any case
 * @param sizeBytes the length of the source if it was just measured: a source of another length fails; empty: the put
 *     measures it
 */
public record FilePut(
        Path source,
        FilePath target,
        VersionId version,
        Optional<PutCondition> condition,
        Attributes created,
        Map<String, String> set,
        OptionalLong sizeBytes) {
    public FilePut {
        set = Map.copyOf(set);
        if (sizeBytes.orElse(0) < 0) {
            throw new IllegalArgumentException("sizeBytes: " + sizeBytes.getAsLong() + " (expected: >= 0)");
        }
    }

    /** A put whose source is measured by the put. */
    public FilePut(
            Path source,
            FilePath target,
            VersionId version,
            Optional<PutCondition> condition,
            Attributes created,
            Map<String, String> set) {
        this(source, target, version, condition, created, set, OptionalLong.empty());
    }

    /** A put without a condition and without attributes. */
    public static FilePut of(Path source, FilePath target) {
        return new FilePut(source, target, VersionId.random(), Optional.empty(), Attributes.NONE, Map.of());
    }
}
