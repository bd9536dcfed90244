package io.cloudmw.coordinator.catalog.tree;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.VolumeName;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The storage of a {@link Tree}: entries by directory number and name, so that entries do not contain their path. Every
 * call reads or changes one entry and is part of the caller's transaction. Used by one thread at a time.
 *
 * @param <X> a further exception
 */
public interface TreeStore<X extends Exception> {
    /** Returns the number of a volume's directory {@code /}; empty when there is no such volume. */
    OptionalLong root(VolumeName volume) throws X, CloudMwException;

    Optional<TreeEntry> child(long directory, String name) throws X, CloudMwException;

    boolean isEmpty(long directory) throws X, CloudMwException;

    /** Returns whether a directory with this number exists. */
    boolean exists(long directory) throws X, CloudMwException;

    /** Creates an empty directory under a free name and returns its number, which is never reused. */
    long addDirectory(long parent, String name) throws X, CloudMwException;

    /** Makes a directory stay when it is empty, or changes its properties. */
    void keepDirectory(TreeEntry directory, KeptDirectory kept) throws X, CloudMwException;

    /** Stores a file under a name that is free or names a file already. */
    void putFile(long parent, String name, TreeFile file) throws X, CloudMwException;

    /** Removes an entry; a directory must be empty. */
    void remove(TreeEntry entry) throws X, CloudMwException;

    /** Moves an entry, with everything below it, to a free name. */
    TreeEntry move(TreeEntry entry, long parent, String name) throws X, CloudMwException;

    /** Returns the last value given to {@link #raise}; 0 for a new directory. */
    int reach(long directory) throws X, CloudMwException;

    /** Records the length of the longest path in a directory, in bytes after the directory's own path. */
    void raise(long directory, int reachBytes) throws X, CloudMwException;
}
