package io.cloudmw.testkit;

import io.cloudmw.core.emulation.StoreLaw;
import java.util.Optional;

/**
 * The condition of a disk.
 *
 * @param reachable whether calls reach it
 * @param law how slowly it is read; empty: at full speed
 */
record DiskCondition(boolean reachable, Optional<StoreLaw> law) {
    static final DiskCondition HEALTHY = new DiskCondition(true, Optional.empty());
    static final DiskCondition UNREACHABLE = new DiskCondition(false, Optional.empty());

    static DiskCondition slow(StoreLaw law) {
        return new DiskCondition(true, Optional.of(law));
    }
}
