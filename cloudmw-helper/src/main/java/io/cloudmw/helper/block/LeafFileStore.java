package io.cloudmw.helper.block;

import io.cloudmw.core.store.LeafRange;
import java.util.Optional;

/**
 * A store that keeps each leaf in a file of its own, and knows which files it has verified already. Safe for any
 * thread.
 */
public interface LeafFileStore {
    /**
     * The files of these leaves, which the caller closes. Empty when a leaf is not known to be the wanted one, or when
     * too many files are open already; the caller reads the leaves then.
     */
    Optional<LeafFiles> leafFiles(LeafRange wanted);
}
