package io.cloudmw.client.rpc.coordinator;

import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.lock.LockAnswer;
import io.cloudmw.core.model.lock.LockClaim;
import io.cloudmw.core.model.lock.LockRequest;
import io.cloudmw.core.wire.LockWire;
import io.cloudmw.proto.v1.LocksGrpc;
import io.cloudmw.proto.v1.ReleaseLockRequest;
import io.cloudmw.proto.v1.RenewLockRequest;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/** The calls about locks. Futures fail as those of {@link CoordinatorClient} do. Safe for any thread. */
public final class LockCalls {
    private final CoordinatorClient coordinator;

    LockCalls(CoordinatorClient coordinator) {
        this.coordinator = coordinator;
    }

    /** Requests a lock. */
    public CompletableFuture<LockAnswer> acquire(LockRequest request) {
        return coordinator.call(LocksGrpc.getAcquireLockMethod(), LockWire.message(request), LockWire::answer);
    }

    /** Renews a lock. Fails with {@code LOCK_LOST}. */
    public CompletableFuture<Void> renew(FilePath file, LockClaim claim, Duration term) {
        RenewLockRequest request = RenewLockRequest.newBuilder()
                .setVolume(file.volume().value())
                .setPath(file.path())
                .setClaim(LockWire.message(claim))
                .setTermMillis(term.toMillis())
                .build();
        return coordinator
                .call(LocksGrpc.getRenewLockMethod(), request, answer -> answer)
                .thenAccept(answer -> {});
    }

    /** Releases a lock, granted or not. */
    public CompletableFuture<Void> release(FilePath file, UUID lockId) {
        ReleaseLockRequest request = ReleaseLockRequest.newBuilder()
                .setVolume(file.volume().value())
                .setPath(file.path())
                .setLockId(lockId.toString())
                .build();
        return coordinator
                .call(LocksGrpc.getReleaseLockMethod(), request, answer -> answer)
                .thenAccept(answer -> {});
    }
}
