package io.cloudmw.core.bulk.frame;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.error.CloudMwException;
import java.util.ArrayDeque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one stream has to send, in order, and how much it may: the peer's credit and the room that is left here. Also
 * where it is decided, once, that a stream is over. Safe for any thread; nothing is called under its lock.
 */
public final class SendQueue {
    /** What became of a frame. */
    public enum Added {
        /** Nothing: the stream is over. */
        REFUSED,
        /** The stream is in turn already. */
        QUEUED,
        /** The stream must be put in turn. */
        QUEUED_FIRST
    }

    private final int capacityBytes;

    @GuardedBy("this")
    private final ArrayDeque<QueuedFrame> frames = new ArrayDeque<>();

    /** The outbound side has the stream in turn, or a task that will put it there is on its way. */
    @GuardedBy("this")
    private boolean inTurn;

    @GuardedBy("this")
    private boolean ending;

    @GuardedBy("this")
    private @Nullable CloudMwException over;

    @GuardedBy("this")
    private long credit;

    @GuardedBy("this")
    private long queuedBytes;

    @GuardedBy("this")
    private boolean wasShort;

    /** Held back until {@link #poll} was called for the first time. */
    public SendQueue(int capacityBytes) {
        this.capacityBytes = capacityBytes;
        this.inTurn = true;
    }

    /** Bytes that may be added now. */
    public synchronized long credit() {
        return over != null || ending ? 0 : available();
    }

    @GuardedBy("this")
    private long available() {
        long room = capacityBytes - queuedBytes;
        wasShort |= room < credit;
        return Math.min(room, credit);
    }

    /** Adds the frame that comes before all others. */
    public synchronized void add(QueuedFrame.Open open) {
        frames.add(open);
    }

    /**
     * Adds data.
     *
     * @throws IllegalStateException beyond the credit, or after the end
     */
    public synchronized Added add(QueuedFrame.Data frame) {
        if (over != null) {
            return Added.REFUSED;
        }
        if (ending) {
            throw new IllegalStateException("send after end");
        }
        if (frame.length() > available()) {
            throw new IllegalStateException("length: " + frame.length() + " (credit: " + available() + ")");
        }
        credit -= frame.length();
        queuedBytes += frame.length();
        frames.add(frame);
        return turn();
    }

    /** Adds the last frame; as for data. */
    public synchronized Added add(QueuedFrame.End end) {
        if (over != null) {
            return Added.REFUSED;
        }
        if (ending) {
            throw new IllegalStateException("end after end");
        }
        ending = true;
        frames.add(end);
        return turn();
    }

    @GuardedBy("this")
    private Added turn() {
        Added added = inTurn ? Added.QUEUED : Added.QUEUED_FIRST;
        inTurn = true;
        return added;
    }

    /** The next frame; null when there is none, and the stream is no longer in turn. */
    public synchronized @Nullable QueuedFrame poll() {
        QueuedFrame next = frames.poll();
        inTurn = next != null;
        return next;
    }

    /**
     * The peer takes so much more.
     *
     * @return whether there is somebody to tell
     */
    public synchronized boolean grant(long bytes) throws ViolationException {
        if (bytes <= 0 || bytes > BulkFrames.MAX_CREDIT_BYTES - credit) {
            throw new ViolationException(BulkViolation.CREDIT_OVERFLOW, bytes + " bytes (credit: " + credit + ")");
        }
        credit += bytes;
        return over == null && !ending;
    }

    /**
     * The kernel took so much data, or never will.
     *
     * @return whether somebody found too little room before and must be told
     */
    public synchronized boolean drain(int bytes) {
        queuedBytes -= bytes;
        boolean tell = wasShort && over == null && !ending;
        wasShort = false;
        return tell;
    }

    /** Why the stream is over; null while it is not. */
    public synchronized @Nullable CloudMwException cause() {
        return over;
    }

    /** Ends it; what is dropped thereby, or null when it was over already. */
    public synchronized @Nullable List<QueuedFrame> close(CloudMwException cause) {
        if (over != null) {
            return null;
        }
        over = cause;
        List<QueuedFrame> dropped = List.copyOf(frames);
        frames.clear();
        return dropped;
    }
}
