package io.cloudmw.core.upkeep.collect;

/**
 * Copies that a round of garbage collection found in stores.
 *
 * @param listed copies that lie in stores
 * @param unnamed of those, copies that nothing names
 * @param waiting of those, copies that are not deleted yet because it is not known for long enough
 * @param unknown of the listed ones, copies of versions of which the catalog knows nothing, and which stay: another
 *     cluster's, perhaps
 */
public record CollectFindings(CopyTotal listed, CopyTotal unnamed, CopyTotal waiting, long unknown) {
    public static final CollectFindings NONE = new CollectFindings(CopyTotal.NONE, CopyTotal.NONE, CopyTotal.NONE, 0);

    public CollectFindings plus(CollectFindings more) {
        return new CollectFindings(
                listed.plus(more.listed),
                unnamed.plus(more.unnamed),
                waiting.plus(more.waiting),
                unknown + more.unknown);
    }
}
