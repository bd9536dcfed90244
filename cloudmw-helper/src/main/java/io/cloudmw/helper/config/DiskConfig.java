package io.cloudmw.helper.config;

import io.cloudmw.core.emulation.StoreLaw;
import io.cloudmw.core.model.StoreId;
import java.nio.file.Path;
import java.util.Optional;

/**
 * A disk attached to a helper.
 *
 * @param failureDomain stores that share it may fail together
 * @param reserveBytes puts leave this much of its file system free
 * @param throttle how slow it is to be, for demonstrations; empty: as fast as it can
 * @param replaces whether it is in the place of a disk whose copies are lost
 */
public record DiskConfig(
        StoreId id, Path path, String failureDomain, long reserveBytes, Optional<StoreLaw> throttle, boolean replaces) {
    /** The same disk, in the place of one whose copies are lost. */
    DiskConfig replacing() {
        return new DiskConfig(id, path, failureDomain, reserveBytes, throttle, true);
    }
}
