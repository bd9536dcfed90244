package io.cloudmw.coordinator.catalog.change;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.time.WallClock;
import java.util.OptionalLong;

/**
 * The time from which on files without a condition are not committed, since their client has given the commit up. A late
 * commit would otherwise replace what was acknowledged after the client's failure. Catalogs compare it after they have
 * read the path's entry and before they write it. Immutable.
 *
 * @param untilMillis in civil time; empty: there is no such time
 */
public record CommitDeadline(OptionalLong untilMillis, WallClock clock) {
    /** No deadline. */
    public static final CommitDeadline NONE = new CommitDeadline(OptionalLong.empty(), () -> 0);

    /**
     * Requires that the time has not come.
     *
     * @throws CloudMwException {@code DEADLINE_EXCEEDED} when it has: the file is not committed
     */
    public void require(FilePath file) throws CloudMwException {
        if (untilMillis.isPresent()) {
            long late = clock.millis() - untilMillis.getAsLong();
            if (late >= 0) {
                throw new CloudMwException(
                        ErrorCode.DEADLINE_EXCEEDED,
                        file + ": the commit comes " + late
                                + " ms after its client has given it up: put the file again");
            }
        }
    }
}
