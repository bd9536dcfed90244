package io.cloudmw.coordinator.catalog.change;

import io.cloudmw.core.error.CloudMwException;

/**
 * A function that computes the new value of a catalog record. It has no side effects, since a catalog may call it
 * again.
 */
@FunctionalInterface
public interface ValueUpdate<T> {
    /**
     * Returns the new value.
     *
     * @throws CloudMwException when the change is refused; then nothing changes
     */
    T of(T before) throws CloudMwException;
}
