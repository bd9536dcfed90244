package io.cloudmw.coordinator.rpc;

import io.cloudmw.coordinator.lock.LockRecords;
import io.cloudmw.core.model.lock.LockRequest;
import io.cloudmw.core.rpc.UnaryCalls;
import io.cloudmw.core.time.WallClock;
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

/** The gRPC service for locks on files. Safe for any thread. */
public final class LocksService extends LocksGrpc.LocksImplBase {
    private final LockRecords locks;
    private final WallClock clock;
    private final UnaryCalls calls;

    /** Creates the service; the executor of {@code calls} bounds the calls worked on at once. */
    public LocksService(LockRecords locks, WallClock clock, UnaryCalls calls) {
        this.locks = locks;
        this.clock = clock;
        this.calls = calls;
    }

    @Override
    public void acquireLock(AcquireLockRequest request, StreamObserver<AcquireLockResponse> observer) {
        calls.answer(observer, () -> {
            LockRequest wanted = LockWire.request(request);
            return LockWire.message(locks.acquire(wanted, clock.millis()));
        });
    }

    @Override
    public void renewLock(RenewLockRequest request, StreamObserver<RenewLockResponse> observer) {
        calls.answer(observer, () -> {
            locks.renew(
                    FromWire.file(request.getVolume(), request.getPath()),
                    LockWire.claim(request.getClaim()),
                    LockWire.term(request.getTermMillis()),
                    clock.millis());
            return RenewLockResponse.getDefaultInstance();
        });
    }

    @Override
    public void releaseLock(ReleaseLockRequest request, StreamObserver<ReleaseLockResponse> observer) {
        calls.answer(observer, () -> {
            locks.release(FromWire.file(request.getVolume(), request.getPath()), LockWire.lockId(request.getLockId()));
            return ReleaseLockResponse.getDefaultInstance();
        });
    }
}
