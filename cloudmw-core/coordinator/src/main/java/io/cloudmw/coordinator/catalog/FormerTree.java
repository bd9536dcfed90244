package io.cloudmw.coordinator.catalog;

/**
 * A tree as it was: nothing in it can be changed.
 *
 * @param <X> what may go wrong with the store besides
 */
public abstract class FormerTree<X extends Exception> implements TreeStore<X> {
    @Override
    public final boolean isEmpty(long directory) {
        throw unchangeable();
    }

    /** A directory stays where it was, so a token for another than the path's is for none. */
    @Override
    public final boolean exists(long directory) {
        return false;
    }

    @Override
    public final long addDirectory(long parent, String name) {
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
        return new IllegalStateException("a tree that was");
    }
}
