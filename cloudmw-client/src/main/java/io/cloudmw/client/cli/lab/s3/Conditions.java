package io.cloudmw.client.cli.lab.s3;

import io.cloudmw.core.emulation.StorePace;
import java.util.List;

/**
 * What slows the responses of one store for the time being: every pace must have let a byte pass before it goes on.
 * None: as fast as it can, and not counted.
 */
record Conditions(List<StorePace> paces, boolean counted) {
    static final Conditions NONE = new Conditions(List.of(), false);

    Conditions {
        paces = List.copyOf(paces);
    }
}
