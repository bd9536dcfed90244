package io.cloudmw.coordinator.catalog;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.VolumeName;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Where a {@link Tree} is kept: names in directories, which have numbers of their own, so that what lies below a directory
 * does not know its path. Every call reads or changes one entry and is part of the caller's transaction; used by one thread
 * at a time.
 *
 * @param <X> what else may go wrong
 */
public interface TreeStore<X extends Exception> {
    /** The directory {@code /} of a volume; empty when there is no such volume. */
    OptionalLong root(VolumeName volume) throws X, CloudMwException;

    Optional<TreeEntry> child(long directory, String name) throws X, CloudMwException;

    boolean isEmpty(long directory) throws X, CloudMwException;

    /** Whether there is a directory of this number, wherever it is. */
    boolean exists(long directory) throws X, CloudMwException;

    /** Makes an empty directory under a name that is free; gives its number, which no other ever had. */
    long addDirectory(long parent, String name) throws X, CloudMwException;

    /** Lets a name stand for a file; whether it is free or a file's already. */
    void putFile(long parent, String name, TreeFile file) throws X, CloudMwException;

    /** Frees a name; a directory, which is empty, ceases to exist. */
    void remove(TreeEntry entry) throws X, CloudMwException;

    /** Gives an entry, with all that lies below it, another name, which is free. */
    TreeEntry move(TreeEntry entry, long parent, String name) throws X, CloudMwException;

    /** As {@link #raise} was told last; 0 for a new directory. */
    int reach(long directory) throws X, CloudMwException;

    /** Notes how long paths in a directory may be: bytes that follow the directory's own path. */
    void raise(long directory, int reachBytes) throws X, CloudMwException;
}
