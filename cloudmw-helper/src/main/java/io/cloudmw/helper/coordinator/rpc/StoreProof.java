package io.cloudmw.helper.coordinator.rpc;

import io.cloudmw.core.access.ProbeReport;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.Store;
import java.util.Map;

/** Proves that a store can be used before it is made known. */
@FunctionalInterface
public interface StoreProof {
    /**
     * Tries the store.
     *
     * @return what each process that was asked found, by process
     * @throws CloudMwException when it cannot be used: what is wrong, seen from where, and what to do
     */
    Map<String, ProbeReport> of(Store store) throws CloudMwException;
}
