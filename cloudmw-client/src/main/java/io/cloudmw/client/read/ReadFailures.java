package io.cloudmw.client.read;

import io.cloudmw.client.read.ledger.ReadLedger;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.time.Ticker;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The failures of one read, and the decision what a chunk that no racer could deliver means for the read. Confined to
 * the transfer's serial executor, except where a method says otherwise.
 */
final class ReadFailures {
    /** The consequence of an undeliverable chunk. */
    enum Consequence {
        /** Every helper was overloaded, nothing was offered, and the same plan may be tried again. */
        REFUSED,
        /** Some replicas could not be reached, and another plan may reach them. */
        UNREACHABLE,
        FAILED
    }

    /** A chunk that could not be delivered: the exception to fail with, and its consequence. */
    record Undeliverable(Consequence consequence, CloudMwException cause) {}

    /** Failures that may be over soon, or that another plan may avoid. */
    private static final Set<ErrorCode> PASSING = EnumSet.of(
            ErrorCode.HELPER_UNAVAILABLE,
            ErrorCode.STORE_UNAVAILABLE,
            ErrorCode.DEADLINE_EXCEEDED,
            ErrorCode.OVERLOADED,
            ErrorCode.CANCELLED); // by a helper that closes; the reader's own cancellation does not come this way

    private static final String FLEET_HINT = " (it was to be read directly; path fleet reads through helpers)";

    private final FilePath file;
    private final boolean direct;
    private final ReadLedger ledger;
    private final Ticker ticker;
    private @Nullable CloudMwException last;
    /** The time at which the overloaded helpers should have room; empty: none named a time. */
    private OptionalLong roomAtNanos = OptionalLong.empty();

    /** True once a racer has offered a block. */
    private volatile boolean offered;

    /** @param direct whether no helper may be asked */
    ReadFailures(FilePath file, boolean direct, ReadLedger ledger, Ticker ticker) {
        this.file = file;
        this.direct = direct;
        this.ledger = ledger;
        this.ticker = ticker;
    }

    /** Records that a racer offered a block. Any thread. */
    void blockOffered() {
        offered = true;
    }

    /** Records the latest failure, for the message of the last one. */
    void add(CloudMwException why) {
        last = why;
    }

    /** Records that a helper was overloaded and should have room after this time. */
    void roomAfter(Duration pause) {
        long again = ticker.nanos() + pause.toNanos();
        roomAtNanos = OptionalLong.of(roomAtNanos.isPresent() ? Math.max(roomAtNanos.getAsLong(), again) : again);
    }

    /**
     * Decides what an undeliverable chunk means for the read.
     *
     * @param chunk empty when the chunk is not open
     */
    Undeliverable undeliverable(long chunkIndex, Optional<Chunk> chunk, ErrorCode failed) {
        // Without helpers none is unavailable: no store was left to ask.
        ErrorCode code = direct && failed == ErrorCode.HELPER_UNAVAILABLE && last != null ? last.code() : failed;
        boolean refused = last != null && last.code() == ErrorCode.OVERLOADED && !offered;
        String why = last == null ? code.name() : String.valueOf(last.getMessage());
        CloudMwException cause = new CloudMwException(
                refused ? ErrorCode.OVERLOADED : code,
                file + ": chunk " + chunkIndex + " could not be read from any replica; last failure: " + why
                        + (direct ? FLEET_HINT : " (cloudmw status shows the helpers and stores that are away)"),
                last);
        if (refused || code == ErrorCode.OVERLOADED) {
            cause = withRetryAfter(cause);
        }
        if (refused) {
            return new Undeliverable(Consequence.REFUSED, cause);
        }
        return new Undeliverable(isUnreachable(chunk, code) ? Consequence.UNREACHABLE : Consequence.FAILED, cause);
    }

    /** The failure of a read that may ask no helper, where the client can read no store by itself. */
    CloudMwException notDirect(CloudMwException why) {
        return new CloudMwException(
                why.code(), file + ": the client can read no store by itself: " + why.getMessage() + FLEET_HINT, why);
    }

    /** Adds the time left until the helpers should have room. A time named early in a long read may have passed. */
    private CloudMwException withRetryAfter(CloudMwException refusal) {
        long left = roomAtNanos.isEmpty() ? 0 : roomAtNanos.getAsLong() - ticker.nanos();
        return left > 0 ? refusal.retriedAfter(Duration.ofNanos(left)) : refusal;
    }

    /** A bad replica stays bad; but where only some replicas proved bad, the others are merely out of reach. */
    private boolean isUnreachable(Optional<Chunk> chunk, ErrorCode code) {
        return PASSING.contains(code)
                || (code.isOfReplica()
                        && chunk.isPresent()
                        && ledger.faults(chunk.get().id())
                                < chunk.get().replicas().size());
    }
}
