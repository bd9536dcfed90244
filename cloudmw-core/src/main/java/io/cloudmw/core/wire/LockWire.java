package io.cloudmw.core.wire;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.lock.LockAnswer;
import io.cloudmw.core.model.lock.LockClaim;
import io.cloudmw.core.model.lock.LockRequest;
import io.cloudmw.proto.v1.AcquireLockRequest;
import io.cloudmw.proto.v1.AcquireLockResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** The messages of locks. Malformed ones fail with {@code INVALID_ARGUMENT}. */
public final class LockWire {
    private LockWire() {}

    public static io.cloudmw.proto.v1.LockClaim message(LockClaim claim) {
        return io.cloudmw.proto.v1.LockClaim.newBuilder()
                .setLockId(claim.lockId().toString())
                .setFence(claim.fence())
                .build();
    }

    public static LockClaim claim(io.cloudmw.proto.v1.LockClaim message) throws CloudMwException {
        return FromWire.valid(() -> new LockClaim(UUID.fromString(message.getLockId()), message.getFence()));
    }

    public static List<LockClaim> claims(List<io.cloudmw.proto.v1.LockClaim> messages) throws CloudMwException {
        List<LockClaim> claims = new ArrayList<>();
        for (io.cloudmw.proto.v1.LockClaim message : messages) {
            claims.add(claim(message));
        }
        return claims;
    }

    /** Reads the id of a lock. */
    public static UUID lockId(String text) throws CloudMwException {
        return FromWire.valid(() -> UUID.fromString(text));
    }

    public static AcquireLockRequest message(LockRequest request) {
        return AcquireLockRequest.newBuilder()
                .setVolume(request.file().volume().value())
                .setPath(request.file().path())
                .setLockId(request.lockId().toString())
                .setHolder(request.holder())
                .setRange(ToWire.range(request.range()))
                .setShared(request.shared())
                .setTermMillis(request.term().toMillis())
                .build();
    }

    public static LockRequest request(AcquireLockRequest message) throws CloudMwException {
        FilePath file = FromWire.file(message.getVolume(), message.getPath());
        ByteRange range = FromWire.range(message.getRange());
        return FromWire.valid(() -> new LockRequest(
                UUID.fromString(message.getLockId()),
                message.getHolder(),
                file,
                range,
                message.getShared(),
                Duration.ofMillis(message.getTermMillis())));
    }

    public static AcquireLockResponse message(LockAnswer answer) {
        AcquireLockResponse.Builder message = AcquireLockResponse.newBuilder().setBlocker(answer.blocker());
        answer.claim().ifPresent(claim -> message.setClaim(message(claim)));
        return message.build();
    }

    public static LockAnswer answer(AcquireLockResponse message) throws CloudMwException {
        Optional<LockClaim> claim = message.hasClaim() ? Optional.of(claim(message.getClaim())) : Optional.empty();
        return new LockAnswer(claim, message.getBlocker());
    }

    /** Reads the term of a renewal. */
    public static Duration term(long millis) throws CloudMwException {
        return FromWire.valid(() -> {
            Duration term = Duration.ofMillis(millis);
            LockRequest.requireTerm(term);
            return term;
        });
    }
}
