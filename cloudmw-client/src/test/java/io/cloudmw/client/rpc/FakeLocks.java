package io.cloudmw.client.rpc;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.lock.LockAnswer;
import io.cloudmw.core.model.lock.LockClaim;
import io.cloudmw.core.model.lock.LockRequest;
import io.cloudmw.core.rpc.UnaryCalls;
import io.cloudmw.core.wire.FromWire;
import io.cloudmw.core.wire.LockWire;
import io.cloudmw.proto.v1.AcquireLockRequest;
import io.cloudmw.proto.v1.AcquireLockResponse;
import io.cloudmw.proto.v1.LocksGrpc;
import io.cloudmw.proto.v1.ReleaseLockRequest;
import io.cloudmw.proto.v1.ReleaseLockResponse;
import io.cloudmw.proto.v1.RenewLockRequest;
import io.cloudmw.proto.v1.RenewLockResponse;
import io.grpc.stub.StreamObserver;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** A service of exclusive locks on whole files, which last until they are released or taken away. */
public final class FakeLocks extends LocksGrpc.LocksImplBase {
    private final UnaryCalls calls = new UnaryCalls(Runnable::run);
    private final Map<FilePath, LockClaim> held = new ConcurrentHashMap<>();
    private final AtomicLong fences = new AtomicLong();
    private final AtomicInteger renewals = new AtomicInteger();
    private final AtomicInteger unanswered = new AtomicInteger();

    /** The locks that are held. */
    public Map<FilePath, LockClaim> held() {
        return held;
    }

    /** The number of renewals so far. */
    public int renewals() {
        return renewals.get();
    }

    /** Leaves the next renewals unanswered. */
    public void leaveRenewalsUnanswered(int count) {
        unanswered.set(count);
    }

    void requireHeld(FilePath file, List<LockClaim> claims) throws CloudMwException {
        for (LockClaim claim : claims) {
            if (!claim.equals(held.get(file))) {
                throw new CloudMwException(ErrorCode.LOCK_LOST, file + ": another holds it");
            }
        }
    }

    @Override
    public void acquireLock(AcquireLockRequest message, StreamObserver<AcquireLockResponse> observer) {
        calls.answer(observer, () -> {
            LockRequest request = LockWire.request(message);
            LockClaim claim = new LockClaim(request.lockId(), fences.incrementAndGet());
            LockClaim before = held.putIfAbsent(request.file(), claim);
            return LockWire.message(before == null ? LockAnswer.granted(claim) : LockAnswer.refused("a lock"));
        });
    }

    @Override
    public void renewLock(RenewLockRequest request, StreamObserver<RenewLockResponse> observer) {
        renewals.incrementAndGet();
        if (unanswered.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
            return;
        }
        calls.answer(observer, () -> {
            requireHeld(
                    FromWire.file(request.getVolume(), request.getPath()), List.of(LockWire.claim(request.getClaim())));
            return RenewLockResponse.getDefaultInstance();
        });
    }

    @Override
    public void releaseLock(ReleaseLockRequest request, StreamObserver<ReleaseLockResponse> observer) {
        calls.answer(observer, () -> {
            FilePath file = FromWire.file(request.getVolume(), request.getPath());
            held.computeIfPresent(
                    file, (path, claim) -> claim.lockId().toString().equals(request.getLockId()) ? null : claim);
            return ReleaseLockResponse.getDefaultInstance();
        });
    }
}
