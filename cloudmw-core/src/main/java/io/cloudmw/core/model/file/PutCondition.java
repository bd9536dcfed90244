package io.cloudmw.core.model.file;

import io.cloudmw.core.model.VersionId;
import java.util.Optional;

/**
 * A condition on the version at a path, which must hold from the beginning of a put to its commit.
 *
 * @param version the version it must have; empty: there must be no file
 */
public record PutCondition(Optional<VersionId> version) {
    /** The put creates a file and replaces none. */
    public static final PutCondition ABSENT = new PutCondition(Optional.empty());

    /** The put replaces this version and no other. */
    public static PutCondition version(VersionId version) {
        return new PutCondition(Optional.of(version));
    }
}
