package io.cloudmw.coordinator.catalog.tree;

import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.file.Attributes;

/**
 * The properties of a file in the tree, which it keeps across renames until it is removed.
 *
 * @param version the current version
 * @param createdAtMillis the commit time of the first version
 */
public record TreeFile(VersionId version, long createdAtMillis, Attributes attributes) {
    TreeFile replacedBy(VersionId next) {
        return new TreeFile(next, createdAtMillis, attributes);
    }

    TreeFile with(Attributes changed) {
        return new TreeFile(version, createdAtMillis, changed);
    }
}
