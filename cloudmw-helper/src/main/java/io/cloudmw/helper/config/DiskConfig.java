package io.cloudmw.helper.config;

import io.cloudmw.core.emulation.StoreLaw;
import io.cloudmw.core.model.StoreId;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The configuration of a disk attached to a helper.
 *
 * @param failureDomain stores with the same label may fail together
 * @param reserveBytes bytes of the file system that puts leave free
 * @param throttle slows the disk down, for demonstrations; empty for full speed
 * @param replaces whether the disk replaces one whose copies are lost
 */
public record DiskConfig(
        StoreId id, Path path, String failureDomain, long reserveBytes, Optional<StoreLaw> throttle, boolean replaces) {
    /** The same disk, as the replacement of one whose copies are lost. */
    DiskConfig replacing() {
        return new DiskConfig(id, path, failureDomain, reserveBytes, throttle, true);
    }
}
