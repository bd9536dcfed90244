package io.cloudmw.core.bulk.frame;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.error.CloudMwException;
import java.util.ArrayDeque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The queue of one stream's frames, in order, with the number of bytes it may send: the peer's credit and the room
 * left here. It also decides, once, that a stream is over. Safe for any thread; no foreign code is called under its
 * lock.
 */
public final class SendQueue {
    /** The result of adding a frame. */
    public enum Added {
        /** The stream is over; the frame was not added. */
        REFUSED,
        /** The stream is in turn already. */
        QUEUED,
        /** The stream must be put in turn. */
        QUEUED_FIRST
    }

    private final int capacityBytes;

    @GuardedBy("this")
    private final ArrayDeque<QueuedFrame> frames = new ArrayDeque<>();

    /** The outbound side has the stream in turn, or a task is about to put it there. */
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

    /** Makes an open queue, whose frames are held back until the first {@link #poll}. */
    public SendQueue(int capacityBytes) {
        this.capacityBytes = capacityBytes;
        this.inTurn = true;
    }

    /** The bytes that may be added now. */
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

    /** Adds the last frame, under the same conditions as data. */
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

    /** The next frame; null when there is none and the stream is no longer in turn. */
    public synchronized @Nullable QueuedFrame poll() {
        QueuedFrame next = frames.poll();
        inTurn = next != null;
        return next;
    }

    /**
     * Adds credit from the peer.
     *
     * @return whether a listener must be told
     */
    public synchronized boolean grant(long bytes) throws ViolationException {
        if (bytes <= 0 || bytes > FrameLimits.MAX_CREDIT_BYTES - credit) {
            throw new ViolationException(BulkViolation.CREDIT_OVERFLOW, bytes + " bytes (credit: " + credit + ")");
        }
        credit += bytes;
        return over == null && !ending;
    }

    /**
     * Returns room to the queue: the kernel took so much data, or never will.
     *
     * @return whether a sender found too little room before and must be told
     */
    public synchronized boolean drain(int bytes) {
        queuedBytes -= bytes;
        boolean tell = wasShort && over == null && !ending;
        wasShort = false;
        return tell;
    }

    /** The cause of the stream's end; null while it is open. */
    public synchronized @Nullable CloudMwException cause() {
        return over;
    }

    /** Closes the queue; returns the dropped frames, or null when it was closed already. */
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
