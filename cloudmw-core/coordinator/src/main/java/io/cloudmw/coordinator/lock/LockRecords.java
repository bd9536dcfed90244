package io.cloudmw.coordinator.lock;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.lock.LockAnswer;
import io.cloudmw.core.model.lock.LockClaim;
import io.cloudmw.core.model.lock.LockRequest;
import java.time.Duration;
import java.util.UUID;

/**
 * The locks on files. A lock belongs to a path, whether or not there is a file, and does not follow renames. It is a
 * lease: clocks only tell when another client may get the range. The <em>fence</em> protects the file: a commit that
 * names a lock is refused in its own transaction once the lock is gone.
 *
 * <p>Atomic, durable and safe for any thread like the catalog; calls block.
 */
public interface LockRecords {
    /** The largest number of files with locks in a volume. */
    int MAX_FILES = 10_000;

    /**
     * Requests a lock, as {@link PathLocks#request} says. When the volume has too many files with locks, those whose
     * terms are all over are dropped first.
     *
     * @throws CloudMwException {@code VOLUME_NOT_FOUND}; {@code OVERLOADED} when the file, or the volume, has too many
     */
    LockAnswer acquire(LockRequest request, long nowMillis) throws CloudMwException;

    /**
     * Changes the end of a lock.
     *
     * @throws CloudMwException {@code LOCK_LOST} when it is gone
     */
    void renew(FilePath file, LockClaim claim, Duration term, long nowMillis) throws CloudMwException;

    /** Releases a lock; does nothing when it is gone. */
    void release(FilePath file, UUID lockId) throws CloudMwException;

    /** Returns the locks on a file; the terms of some may be over. */
    PathLocks of(FilePath file) throws CloudMwException;

    /** Returns the error for a volume with too many locks, with the same text in every catalog. */
    static CloudMwException tooMany(VolumeName volume) {
        return new CloudMwException(
                ErrorCode.OVERLOADED,
                "volume " + volume + ": " + MAX_FILES + " files have locks (release some of them)");
    }
}
