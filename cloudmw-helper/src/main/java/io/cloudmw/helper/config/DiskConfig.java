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
 */
public record DiskConfig(StoreId id, Path path, String failureDomain, long reserveBytes, Optional<StoreLaw> throttle) {}
