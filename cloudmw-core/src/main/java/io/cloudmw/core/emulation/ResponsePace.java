package io.cloudmw.core.emulation;

import java.util.concurrent.TimeUnit;

/**
 * The arrival times of the bytes of one response, in the time of {@link StorePace#elapsedNanos}. Confined to its
 * reader.
 */
public final class ResponsePace {
    /** A reader that is late by at most this catches up, because timers are never exact. */
    private static final long CATCH_UP_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private static final long PIECE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final int MIN_PIECE_BYTES = 1024;

    private final StorePace store;
    private final ResponseTiming answer;
    private final long firstByteNanos;
    private long stallAtByte;
    private long sent;
    private long freeAtNanos;

    ResponsePace(StorePace store, long nowNanos, ResponseTiming answer) {
        this.store = store;
        this.answer = answer;
        firstByteNanos = nowNanos + answer.firstByteNanos();
        freeAtNanos = firstByteNanos;
    }

    /** Sets the length of the response before its first byte, for the place of a stall. */
    public void length(long bytes) {
        stallAtByte = (long) (bytes * answer.stallAt());
    }

    /** The time at which the response begins: its head, if it has one. */
    public long firstByteNanos() {
        return firstByteNanos;
    }

    /** The bytes to take at once, so that a response flows and concurrent responses take turns. */
    public int pieceBytes() {
        long bytes = (long) (store.bytesPerSecond() * (PIECE_NANOS / 1e9));
        return (int) Math.max(MIN_PIECE_BYTES, Math.min(bytes, Integer.MAX_VALUE));
    }

    /** Takes the next {@code bytes} of the response; returns when the last of them arrives. */
    public long arrivalNanos(long bytes) {
        long from = Math.max(store.elapsedNanos() - CATCH_UP_NANOS, freeAtNanos);
        if (sent <= stallAtByte && stallAtByte < sent + bytes) {
            from += answer.stallNanos();
        }
        sent += bytes;
        freeAtNanos = store.send(from, bytes);
        return freeAtNanos;
    }
}
