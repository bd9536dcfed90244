package io.cloudmw.core.status.collect;

/**
 * The copies that a round of garbage collection found in stores.
 *
 * @param listed copies in stores
 * @param unnamed of those, unreferenced copies
 * @param waiting of those, copies that are not deleted yet because their mark is too young
 * @param unknown listed copies of versions unknown to the catalog, which stay: they may belong to another cluster
 */
public record CollectFindings(CopyTotal listed, CopyTotal unnamed, CopyTotal waiting, long unknown) {
    /** No findings. */
    public static final CollectFindings NONE = new CollectFindings(CopyTotal.NONE, CopyTotal.NONE, CopyTotal.NONE, 0);

    /** The sum of both. */
    public CollectFindings plus(CollectFindings more) {
        return new CollectFindings(
                listed.plus(more.listed),
                unnamed.plus(more.unnamed),
                waiting.plus(more.waiting),
                unknown + more.unknown);
    }
}
