package io.cloudmw.coordinator.testing.memory;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.coordinator.lock.LockRecords;
import io.cloudmw.coordinator.lock.PathLocks;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.lock.LockAnswer;
import io.cloudmw.core.model.lock.LockClaim;
import io.cloudmw.core.model.lock.LockRequest;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;

/** The locks of a catalog, guarded by its lock. */
final class LockMap implements LockRecords {
    private final InMemoryCatalog catalog;

    @GuardedBy("catalog")
    private final Map<FilePath, PathLocks> files = new HashMap<>();

    @GuardedBy("catalog")
    private final Map<VolumeName, Long> fences = new HashMap<>();

    LockMap(InMemoryCatalog catalog) {
        this.catalog = catalog;
    }

    @Override
    public LockAnswer acquire(LockRequest request, long nowMillis) throws CloudMwException {
        synchronized (catalog) {
            catalog.requireVolume(request.file().volume());
            VolumeName volume = request.file().volume();
            PathLocks before = find(request.file());
            if (before.locks().isEmpty() && count(volume) >= MAX_FILES) {
                files.values().removeIf(locks -> locks.untilMillis() <= nowMillis);
                if (count(volume) >= MAX_FILES) {
                    throw LockRecords.tooMany(volume);
                }
            }
            long fence = fences.getOrDefault(volume, 0L) + 1;
            PathLocks.Grant grant = before.request(request, fence, nowMillis);
            put(grant.locks());
            grant.answer().claim().ifPresent(claim -> fences.merge(volume, claim.fence(), Math::max));
            return grant.answer();
        }
    }

    @GuardedBy("catalog")
    private long count(VolumeName volume) {
        return files.keySet().stream()
                .filter(file -> file.volume().equals(volume))
                .count();
    }

    @Override
    public void renew(FilePath file, LockClaim claim, Duration term, long nowMillis) throws CloudMwException {
        synchronized (catalog) {
            catalog.checkOpen();
            put(find(file).renew(claim, nowMillis + term.toMillis()));
        }
    }

    @Override
    public void release(FilePath file, UUID lockId) throws CloudMwException {
        synchronized (catalog) {
            catalog.checkOpen();
            put(find(file).without(lockId));
        }
    }

    @Override
    public PathLocks of(FilePath file) throws CloudMwException {
        synchronized (catalog) {
            catalog.checkOpen();
            return find(file);
        }
    }

    void removeAll(VolumeName volume) {
        synchronized (catalog) {
            files.keySet().removeIf(file -> file.volume().equals(volume));
        }
    }

    @GuardedBy("catalog")
    private PathLocks find(FilePath file) {
        return files.getOrDefault(file, PathLocks.none(file));
    }

    @GuardedBy("catalog")
    private void put(PathLocks locks) {
        if (locks.locks().isEmpty()) {
            files.remove(locks.file());
        } else {
            files.put(locks.file(), locks);
        }
    }
}
