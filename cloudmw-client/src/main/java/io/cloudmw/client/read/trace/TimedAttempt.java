package io.cloudmw.client.read.trace;

import io.cloudmw.client.progress.Attempt;
import io.cloudmw.client.progress.AttemptState;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.mode.IssueReason;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.recording.RecordedAttempt;
import io.cloudmw.core.recording.RecordedAttempt.State;
import io.opentelemetry.api.trace.Span;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * An observed attempt: one try of one racer at one block. Times are nanoseconds since the read began. Confined to the
 * transfer.
 */
final class TimedAttempt {
    private final Identity identity;
    private final IssueReason reason;
    private final long issuedNanos;
    private ByteRange range;
    private StoreId store;
    private State state = State.QUEUED;
    private long beganNanos = RecordedAttempt.NEVER;
    private long endedNanos = RecordedAttempt.NEVER;
    private long fetchedBytes;
    private long wonBytes;
    private Optional<ErrorCode> error = Optional.empty();
    private @Nullable TimedAttempt winner;
    private Span span = Span.getInvalid();

    /**
     * The identity of an attempt within its read.
     *
     * @param chunk position of the chunk in the file
     * @param block number of the block, unique within the read
     * @param racer the racer's name
     * @param number counts the racer's attempts at the block from 0
     */
    record Identity(long chunk, int block, String racer, int number) {}

    /** @param range the block's bytes within the chunk */
    TimedAttempt(Identity identity, ByteRange range, StoreId store, IssueReason reason, long issuedNanos) {
        this.identity = identity;
        this.range = range;
        this.store = store;
        this.reason = reason;
        this.issuedNanos = issuedNanos;
    }

    /** The racer's next attempt at the same block. */
    TimedAttempt next(int nextNumber, StoreId nextStore, long nowNanos) {
        Identity next = new Identity(identity.chunk(), identity.block(), identity.racer(), nextNumber);
        return new TimedAttempt(next, range, nextStore, reason, nowNanos);
    }

    Identity identity() {
        return identity;
    }

    long chunk() {
        return identity.chunk();
    }

    StoreId store() {
        return store;
    }

    IssueReason reason() {
        return reason;
    }

    ByteRange range() {
        return range;
    }

    State state() {
        return state;
    }

    boolean isOver() {
        return endedNanos != RecordedAttempt.NEVER;
    }

    boolean isQueued() {
        return state == State.QUEUED;
    }

    long issuedNanos() {
        return issuedNanos;
    }

    long beganNanos() {
        return beganNanos;
    }

    long endedNanos() {
        return endedNanos;
    }

    long fetchedBytes() {
        return fetchedBytes;
    }

    long wonBytes() {
        return wonBytes;
    }

    /** The reason of a failure. */
    Optional<ErrorCode> error() {
        return error;
    }

    /** The attempt that brought the bytes instead, once this one is settled. */
    Optional<TimedAttempt> winner() {
        return Optional.ofNullable(winner);
    }

    void wonBy(TimedAttempt other) {
        winner = other;
    }

    /** The attempt's span; an invalid one when the read is not traced. */
    Span span() {
        return span;
    }

    void spannedBy(Span made) {
        span = made;
    }

    /** Takes a racer's report. */
    void reported(Attempt attempt, long nowNanos) {
        store = attempt.store();
        fetchedBytes = Math.max(fetchedBytes, attempt.bytes());
        error = attempt.error();
        boolean reads = attempt.state() == AttemptState.STARTED || attempt.bytes() > 0;
        if (reads && beganNanos == RecordedAttempt.NEVER) {
            beganNanos = nowNanos;
        }
        switch (attempt.state()) {
            case STARTED, PROGRESSED -> {
                if (!isOver()) {
                    state = State.RUNNING;
                }
            }
            case FINISHED -> end(State.FINISHED, nowNanos);
            case CANCELLED -> end(State.CANCELLED, nowNanos);
            case FAILED -> end(State.FAILED, nowNanos);
        }
    }

    /** Ends the attempt; a report that comes later corrects the state, but not the time. */
    void end(State how, long nowNanos) {
        state = how;
        if (!isOver()) {
            endedNanos = nowNanos;
        }
    }

    /** Ends the attempt without a report of its end. */
    void endUnreported(long nowNanos) {
        end(wonBytes > 0 ? State.FINISHED : State.CANCELLED, nowNanos);
    }

    void fails(ErrorCode why, long nowNanos) {
        error = Optional.of(why);
        end(State.FAILED, nowNanos);
    }

    /** Takes bytes that the reader took, perhaps before the racer's report of the attempt. */
    void won(long bytes, long nowNanos) {
        if (isQueued()) {
            state = State.RUNNING;
            beganNanos = nowNanos;
        }
        wonBytes += bytes;
        fetchedBytes = Math.max(fetchedBytes, wonBytes);
    }

    /** Keeps only the block's first {@code length} bytes. */
    void shorten(long length) {
        range = new ByteRange(range.offset(), Math.min(range.length(), length));
    }

    boolean overlaps(TimedAttempt other) {
        return range.offset() < other.range.end() && other.range.offset() < range.end();
    }

    RecordedAttempt record() {
        return new RecordedAttempt(
                identity.chunk(),
                identity.block(),
                range.offset(),
                range.length(),
                identity.racer(),
                store,
                identity.number(),
                reason,
                issuedNanos,
                beganNanos,
                endedNanos,
                state,
                fetchedBytes,
                wonBytes,
                error.map(ErrorCode::name).orElse(""));
    }
}
