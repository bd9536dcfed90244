package io.cloudmw.lab.s3;

import io.cloudmw.core.emulation.StorePace;
import java.util.List;

/**
 * The limits that slow the responses of one store: a byte is due only when every pace allows it.
 *
 * @param count counts responses that began under these conditions, however late they end
 */
record StoreConditions(List<StorePace> paces, TrafficCounter count) {
    StoreConditions {
        paces = List.copyOf(paces);
    }

    /** Returns conditions without a limit, whose traffic no run counts. */
    static StoreConditions none() {
        return new StoreConditions(List.of(), new TrafficCounter());
    }
}
