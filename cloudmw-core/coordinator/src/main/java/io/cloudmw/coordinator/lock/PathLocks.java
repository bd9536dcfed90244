package io.cloudmw.coordinator.lock;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.lock.LockAnswer;
import io.cloudmw.core.model.lock.LockClaim;
import io.cloudmw.core.model.lock.LockRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * The locks on one file, with the rule by which all catalogs grant them. A lock whose term is over stays until the next
 * lock on the file is requested; until then its holder may renew it and commit under it, as nobody else held the file
 * meanwhile. Immutable.
 *
 * @param locks in the order of their grants
 */
public record PathLocks(FilePath file, List<HeldRange> locks) {
    /** The largest number of locks on a file. */
    public static final int MAX_LOCKS = 128;

    public PathLocks {
        locks = List.copyOf(locks);
    }

    /** The locks on a file that has none. */
    public static PathLocks none(FilePath file) {
        return new PathLocks(file, List.of());
    }

    /**
     * The result of a request.
     *
     * @param locks the locks afterwards, without those whose term is over
     */
    public record Grant(PathLocks locks, LockAnswer answer) {}

    /**
     * Answers a request.
     *
     * @param fence the number of the new lock
     * @throws CloudMwException {@code OVERLOADED} when the file has {@value #MAX_LOCKS} locks
     */
    public Grant request(LockRequest request, long fence, long nowMillis) throws CloudMwException {
        long until = nowMillis + request.term().toMillis();
        Optional<HeldRange> before = locks.stream()
                .filter(lock -> lock.claim().lockId().equals(request.lockId()))
                .findFirst();
        if (before.isPresent()) {
            LockClaim claim = before.get().claim();
            return new Grant(renewed(claim, until), LockAnswer.granted(claim));
        }
        List<HeldRange> live = new ArrayList<>(
                locks.stream().filter(lock -> lock.untilMillis() > nowMillis).toList());
        Optional<HeldRange> blocker =
                live.stream().filter(lock -> lock.excludes(request)).findFirst();
        if (blocker.isPresent()) {
            return new Grant(
                    new PathLocks(file, live), LockAnswer.refused(blocker.get().toString()));
        }
        if (live.size() >= MAX_LOCKS) {
            throw new CloudMwException(
                    ErrorCode.OVERLOADED, file + ": " + live.size() + " locks (expected: < " + MAX_LOCKS + ")");
        }
        LockClaim claim = new LockClaim(request.lockId(), fence);
        live.add(new HeldRange(claim, request.holder(), request.range(), request.shared(), until));
        return new Grant(new PathLocks(file, live), LockAnswer.granted(claim));
    }

    /**
     * Changes the end of a lock.
     *
     * @throws CloudMwException {@code LOCK_LOST} when it is gone
     */
    public PathLocks renew(LockClaim claim, long untilMillis) throws CloudMwException {
        requireHeld(claim);
        return renewed(claim, untilMillis);
    }

    /** Renewals may take effect in another order than they were sent: the end never moves back. */
    private PathLocks renewed(LockClaim claim, long untilMillis) {
        return new PathLocks(
                file,
                locks.stream()
                        .map(lock -> lock.claim().equals(claim)
                                ? lock.until(Math.max(lock.untilMillis(), untilMillis))
                                : lock)
                        .toList());
    }

    /** The locks without this one. */
    public PathLocks without(UUID lockId) {
        return new PathLocks(
                file,
                locks.stream()
                        .filter(lock -> !lock.claim().lockId().equals(lockId))
                        .toList());
    }

    /**
     * Fences a write.
     *
     * @throws CloudMwException {@code LOCK_LOST} when one of the locks is gone
     */
    public void requireHeld(List<LockClaim> claims) throws CloudMwException {
        for (LockClaim claim : claims) {
            requireHeld(claim);
        }
    }

    private void requireHeld(LockClaim claim) throws CloudMwException {
        if (locks.stream().noneMatch(lock -> lock.claim().equals(claim))) {
            String now = locks.isEmpty() ? "nobody holds one now" : "now there is " + locks.get(locks.size() - 1);
            throw new CloudMwException(
                    ErrorCode.LOCK_LOST,
                    file + ": the lock with fence " + claim.fence() + " was released, or its term was over; " + now
                            + " (lock the file again, and read it anew)");
        }
    }

    /** When the last of the locks ends, in civil time; 0: there are none. */
    public long untilMillis() {
        return locks.stream().mapToLong(HeldRange::untilMillis).max().orElse(0);
    }
}
