package io.cloudmw.helper.block;

import io.cloudmw.core.store.LeafRange;
import java.util.Optional;

/** A store whose leaves lie in files of their own, and that knows which of them it need not look at again. Safe for any thread. */
public interface LeafFileStore {
    /**
     * The files of these leaves, for the caller to close; empty when one of them is not known to be as it is wanted, or too many
     * files are open already: then they are to be read.
     */
    Optional<LeafFiles> leafFiles(LeafRange wanted);
}
