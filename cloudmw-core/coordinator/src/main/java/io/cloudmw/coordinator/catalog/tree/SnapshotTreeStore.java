package io.cloudmw.coordinator.catalog.tree;

/**
 * A read-only store of a tree, as a snapshot preserves it.
 *
 * @param <X> a further exception of the store
 */
public abstract class SnapshotTreeStore<X extends Exception> implements TreeStore<X> {
    @Override
    public final boolean isEmpty(long directory) {
        throw unchangeable();
    }

    /** A directory of a snapshot never moves, so a token of another directory is invalid. */
    @Override
    public final boolean exists(long directory) {
        return false;
    }

    @Override
    public final long addDirectory(long parent, String name) {
        throw unchangeable();
    }

    @Override
    public final void keepDirectory(TreeEntry directory, KeptDirectory kept) {
        throw unchangeable();
    }

    @Override
    public final void putFile(long parent, String name, TreeFile file) {
        throw unchangeable();
    }

    @Override
    public final void remove(TreeEntry entry) {
        throw unchangeable();
    }

    @Override
    public final TreeEntry move(TreeEntry entry, long parent, String name) {
        throw unchangeable();
    }

    @Override
    public final int reach(long directory) {
        throw unchangeable();
    }

    @Override
    public final void raise(long directory, int reachBytes) {
        throw unchangeable();
    }

    private static IllegalStateException unchangeable() {
        return new IllegalStateException("a snapshot cannot be changed");
    }
}
