package io.cloudmw.lab.s3;

import io.cloudmw.core.emulation.StorePace;
import java.util.List;

/**
 * What slows the responses of one store for the time being: every pace must have let a byte pass before it goes on.
 *
 * @param count where responses that began under these conditions are counted, however late they end
 */
record Conditions(List<StorePace> paces, Count count) {
    Conditions {
        paces = List.copyOf(paces);
    }

    /** As fast as it can, and counted by nobody. */
    static Conditions none() {
        return new Conditions(List.of(), new Count());
    }
}
