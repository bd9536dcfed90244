package io.cloudmw.client.rpc;

import io.cloudmw.core.access.ProbeReport;
import io.cloudmw.core.model.Store;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A store that was made known, and how the processes that were asked found it.
 *
 * @param checks by process ({@code coordinator}, {@code helper ID}); empty when no proof was asked for, or the store was known
 *     before; the coordinator alone when no helper could be asked
 */
public record AddedStore(Store store, Map<String, ProbeReport> checks) {
    public AddedStore {
        checks = Collections.unmodifiableMap(new LinkedHashMap<>(checks));
    }
}
