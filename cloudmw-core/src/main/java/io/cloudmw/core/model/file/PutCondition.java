package io.cloudmw.core.model.file;

import io.cloudmw.core.model.VersionId;
import java.util.Optional;

/**
 * What a path must name, from the beginning of a put to its commit.
 *
 * @param version this one; empty: nothing
 */
public record PutCondition(Optional<VersionId> version) {
    /** The put makes a file, and replaces none. */
    public static final PutCondition ABSENT = new PutCondition(Optional.empty());

    /** The put replaces this version and no other. */
    public static PutCondition version(VersionId version) {
        return new PutCondition(Optional.of(version));
    }
}
