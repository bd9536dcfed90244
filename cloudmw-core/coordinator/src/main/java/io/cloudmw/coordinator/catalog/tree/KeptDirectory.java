package io.cloudmw.coordinator.catalog.tree;

import io.cloudmw.core.model.file.Attributes;

/**
 * The properties of a directory that stays when it is empty. It has them across renames until it is removed.
 *
 * @param createdAtMillis when it was created, or was made to stay
 */
public record KeptDirectory(long createdAtMillis, Attributes attributes) {
    KeptDirectory with(Attributes changed) {
        return new KeptDirectory(createdAtMillis, changed);
    }
}
