package io.cloudmw.coordinator.catalog;

import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.file.Attributes;

/**
 * What an entry keeps of a file, from its first version to its removal, whatever its path.
 *
 * @param version the current one
 * @param createdAtMillis when the first was committed
 */
public record TreeFile(VersionId version, long createdAtMillis, Attributes attributes) {
    TreeFile replacedBy(VersionId next) {
        return new TreeFile(next, createdAtMillis, attributes);
    }

    TreeFile with(Attributes changed) {
        return new TreeFile(version, createdAtMillis, changed);
    }
}
