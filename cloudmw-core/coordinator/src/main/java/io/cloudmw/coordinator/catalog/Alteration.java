package io.cloudmw.coordinator.catalog;

import io.cloudmw.core.error.CloudMwException;

/** A change of a value that a catalog keeps: a function without side effects, which a catalog may call again. */
@FunctionalInterface
public interface Alteration<T> {
    /**
     * Says what is kept instead.
     *
     * @throws CloudMwException when the change is refused: then nothing changes
     */
    T of(T before) throws CloudMwException;
}
