package io.cloudmw.core.status;

import io.cloudmw.core.access.ProbeReport;
import io.cloudmw.core.model.fleet.Store;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A store that was added, with the checks of its access.
 *
 * @param checks by process ({@code coordinator}, {@code helper ID}); empty when no check was requested, or the store
 *     was known before; the coordinator's alone when no helper could be asked
 */
public record AddedStore(Store store, Map<String, ProbeReport> checks) {
    public AddedStore {
        checks = Collections.unmodifiableMap(new LinkedHashMap<>(checks));
    }
}
