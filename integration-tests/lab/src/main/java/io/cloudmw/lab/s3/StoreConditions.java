package io.cloudmw.lab.s3;

import io.cloudmw.core.emulation.StorePace;
import java.util.List;

/**
 * The limits that slow the responses of one store: a byte goes on only when every pace allows it.
 *
 * @param count where responses that began under these conditions are counted, however late they end
 */
record StoreConditions(List<StorePace> paces, TrafficCounter count) {
    StoreConditions {
        paces = List.copyOf(paces);
    }

    /** As fast as it can, and counted by nobody. */
    static StoreConditions none() {
        return new StoreConditions(List.of(), new TrafficCounter());
    }
}
