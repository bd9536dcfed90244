package io.cloudmw.core.signing;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.model.fleet.Store;
import java.time.Duration;
import java.util.Collection;

/** The call that lets a helper sign URLs with its credentials of a bucket. Safe for any thread; calls block. */
@FunctionalInterface
public interface HelperUrlSigner {
    /**
     * Asks one helper.
     *
     * @param store with the reference to its credentials
     * @param validity the wanted validity of the URLs; the helper may grant less
     * @param timeout for the answer
     * @throws CloudMwException {@code HELPER_UNAVAILABLE} when the helper does not answer in time; {@code
     *     STORE_DENIED} when it has no credentials of the store
     */
    SignedUrls sign(HelperAddress helper, Store store, Collection<ChunkId> chunks, Duration validity, Duration timeout)
            throws CloudMwException;

    /** The signer of coordinators that ask no helper. */
    static HelperUrlSigner none() {
        return (helper, store, chunks, validity, timeout) -> {
            throw new CloudMwException(ErrorCode.HELPER_UNAVAILABLE, "helper " + helper.id() + " is not asked to sign");
        };
    }
}
