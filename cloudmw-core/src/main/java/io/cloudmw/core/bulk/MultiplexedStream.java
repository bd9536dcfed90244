package io.cloudmw.core.bulk;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.bulk.frame.BulkViolation;
import io.cloudmw.core.bulk.frame.FrameLimits;
import io.cloudmw.core.bulk.frame.FrameType;
import io.cloudmw.core.bulk.frame.QueuedFrame;
import io.cloudmw.core.bulk.frame.SendQueue;
import io.cloudmw.core.bulk.frame.ViolationException;
import io.cloudmw.core.bulk.message.BulkWire;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A stream of a multiplexed connection. State that callers from any thread touch is in its queue or guarded by its own
 * lock, under which no foreign code is called. Everything else is confined to the event loop. Lock order: the
 * stream's, then its queue's.
 *
 * <p>A stream that was reset here stays known to its connection, <em>buried</em>, until the peer's answer: the
 * connection skips the frames that the peer sent before it knew.
 */
final class MultiplexedStream implements BulkStream {
    private final Multiplexer connection;
    private final boolean openedHere;
    private final SendQueue queue;
    private final Object lock = new Object();

    @GuardedBy("lock")
    private long ownCredit;

    @GuardedBy("lock")
    private long ungranted;

    @GuardedBy("lock")
    private boolean granting;

    private int id;
    private @Nullable BulkStreamListener listener;
    private boolean endedHere;
    private boolean endedThere;
    private boolean resetSent;
    private boolean forgotten;

    private MultiplexedStream(Multiplexer connection, boolean openedHere, int id) {
        this.connection = connection;
        this.openedHere = openedHere;
        this.id = id;
        this.queue = new SendQueue(connection.options().streamQueueBytes());
    }

    static MultiplexedStream outgoing(Multiplexer connection, byte[] request, BulkStreamListener listener) {
        MultiplexedStream stream = new MultiplexedStream(connection, true, 0);
        stream.listener = listener;
        stream.queue.add(new QueuedFrame.Open(request.clone()));
        return stream;
    }

    static MultiplexedStream incoming(Multiplexer connection, int id) {
        return new MultiplexedStream(connection, false, id);
    }

    @Override
    public BulkConnection connection() {
        return connection;
    }

    @Override
    public void grant(long bytes) {
        if (bytes <= 0) {
            throw new IllegalArgumentException("bytes: " + bytes + " (expected: > 0)");
        }
        if (isOver()) {
            return;
        }
        synchronized (lock) {
            if (bytes > FrameLimits.MAX_CREDIT_BYTES - ownCredit) {
                throw new IllegalArgumentException("bytes: " + bytes + " (outstanding: " + ownCredit + ")");
            }
            ownCredit += bytes;
            ungranted += bytes;
            if (granting) {
                return;
            }
            granting = true;
        }
        connection.grants(this);
    }

    @Override
    public long credit() {
        return queue.credit();
    }

    @Override
    public CompletableFuture<Void> send(ByteBuf payload, int crc32c) {
        int length = payload.readableBytes();
        QueuedFrame.Bytes frame = new QueuedFrame.Bytes(payload, length, crc32c, new CompletableFuture<>());
        boolean queued = false;
        try {
            queued = submit(frame);
        } finally {
            if (!queued) {
                payload.release();
            }
        }
        return frame.sent();
    }

    @Override
    public CompletableFuture<Void> send(FileChannel file, long position, int length, int crc32c) {
        if (position < 0) {
            throw new IllegalArgumentException("position: " + position + " (expected: >= 0)");
        }
        QueuedFrame.FileRange frame =
                new QueuedFrame.FileRange(file, position, length, crc32c, new CompletableFuture<>());
        submit(frame);
        return frame.sent();
    }

    private boolean submit(QueuedFrame.Data frame) {
        int length = frame.length();
        if (length < 1 || length > connection.options().maxFrameBytes()) {
            throw new IllegalArgumentException("length: " + length + " (expected: 1.."
                    + connection.options().maxFrameBytes() + ")");
        }
        SendQueue.Added added = queue.add(frame);
        CloudMwException cause = queue.cause();
        if (added == SendQueue.Added.REFUSED && cause != null) {
            frame.sent().completeExceptionally(cause);
        }
        wake(added);
        return added != SendQueue.Added.REFUSED;
    }

    private void wake(SendQueue.Added added) {
        if (added == SendQueue.Added.QUEUED_FIRST) {
            connection.ready(this);
        }
    }

    @Override
    public void end(byte[] trailer) {
        Multiplexer.requireControl("trailer", trailer);
        wake(queue.add(new QueuedFrame.End(trailer.clone())));
    }

    @Override
    public void reset(CloudMwException cause) {
        List<QueuedFrame> dropped = queue.close(cause);
        if (dropped != null && !connection.later(() -> resetOnLoop(cause, dropped))) {
            drop(dropped, cause);
        }
    }

    private void resetOnLoop(CloudMwException cause, List<QueuedFrame> dropped) {
        drop(dropped, cause);
        bury(cause);
    }

    private static void drop(List<QueuedFrame> frames, CloudMwException cause) {
        for (QueuedFrame frame : frames) {
            if (frame instanceof QueuedFrame.Data data) {
                data.drop();
                data.sent().completeExceptionally(cause);
            }
        }
    }

    /** Tells the peer that the stream is over and waits for its answer. */
    private void bury(CloudMwException cause) {
        listener = null;
        if (forgotten) {
            return;
        }
        if (id == 0 || (endedHere && endedThere)) {
            forget();
        } else {
            resetSent = true;
            connection.outbound().control(FrameType.RESET, id, BulkWire.reset(cause));
        }
    }

    private void forget() {
        if (!forgotten) {
            forgotten = true;
            connection.forget(this);
        }
    }

    // The connection calls the following methods on the event loop.

    int id() {
        return id;
    }

    boolean openedHere() {
        return openedHere;
    }

    boolean isOver() {
        return queue.cause() != null;
    }

    /** Starts the stream after the handler has taken it: frames queued meanwhile are sent. */
    void accepted(BulkStreamListener current) {
        if (!isOver()) {
            listener = current;
            connection.outbound().ready(this);
        }
    }

    /** Sends the next frame in its queue; returns whether there are more. */
    boolean writeNext(OutboundScheduler outbound) {
        QueuedFrame next = queue.poll();
        if (next == null) {
            return false;
        }
        if (next instanceof QueuedFrame.Open open) {
            id = connection.opening(this);
            outbound.small(FrameType.OPEN, id, open.request());
            sendCredit();
        } else if (next instanceof QueuedFrame.End end) {
            endedHere = true;
            outbound.small(FrameType.END, id, end.trailer());
            if (endedThere) {
                forget();
            }
        } else if (next instanceof QueuedFrame.Data data) {
            outbound.data(this, id, data);
        }
        return true;
    }

    /** Returns room to the queue: the kernel took {@code bytes} of data, or never will. */
    void drained(int bytes) {
        if (queue.drain(bytes)) {
            tellGranted();
        }
    }

    /** Fails the stream: the file behind a frame cannot be read. */
    void unreadable(QueuedFrame.Data frame, IOException failure) {
        CloudMwException cause = new CloudMwException(
                ErrorCode.STORE_UNAVAILABLE, "read of a replica: " + failure.getMessage(), failure);
        frame.sent().completeExceptionally(cause);
        fail(cause);
    }

    /** Sends the credit that was not yet sent. */
    void sendCredit() {
        long bytes;
        synchronized (lock) {
            if (id == 0) {
                return;
            }
            granting = false;
            bytes = isOver() || endedThere ? 0 : ungranted;
            ungranted = 0;
        }
        if (bytes > 0) {
            connection.outbound().credit(id, bytes);
        }
    }

    /** Returns whether the stream still wants the payload of a data frame. */
    boolean admitData(int length) throws ViolationException {
        if (endedThere) {
            throw new ViolationException(BulkViolation.AFTER_END, "DATA on stream " + id);
        }
        synchronized (lock) {
            if (length > ownCredit) {
                throw new ViolationException(
                        BulkViolation.CREDIT_EXCEEDED,
                        length + " bytes on stream " + id + " (granted: " + ownCredit + ")");
            }
            ownCredit -= length;
        }
        return !isOver();
    }

    void admitEnd() throws ViolationException {
        if (endedThere) {
            throw new ViolationException(BulkViolation.AFTER_END, "END on stream " + id);
        }
    }

    void data(ByteBuf payload, int crc32c) {
        BulkStreamListener current = listener;
        if (current == null || isOver()) {
            payload.release();
            return;
        }
        guarded(() -> current.data(payload, crc32c));
    }

    void damaged(int length) {
        fail(
                new CloudMwException(
                        ErrorCode.REPLICA_CORRUPT, "a frame of " + length + " bytes does not match its CRC32C"),
                BulkStreamListener::damaged);
    }

    void granted(long bytes) throws ViolationException {
        if (queue.grant(bytes)) {
            tellGranted();
        }
    }

    void ended(byte[] trailer) {
        endedThere = true;
        BulkStreamListener current = listener;
        if (isOver()) {
            // Buried: the peer has ended the stream before and does not answer.
            if (endedHere) {
                forget();
            }
            return;
        }
        if (endedHere) {
            forget();
        }
        if (current != null) {
            guarded(() -> current.ended(trailer));
        }
    }

    /** Handles the peer's reset, and answers it unless it is an answer itself. */
    void resetByPeer(CloudMwException cause) {
        BulkStreamListener current = listener;
        List<QueuedFrame> dropped = queue.close(cause);
        if (!resetSent) {
            connection.outbound().control(FrameType.RESET, id, new byte[0]);
        }
        forget();
        tellFailed(current, dropped, cause, BulkStreamListener::failed);
    }

    /** Ends the stream here with {@code cause}, and tells the peer and the listener. */
    void fail(CloudMwException cause) {
        fail(cause, BulkStreamListener::failed);
    }

    private void fail(CloudMwException cause, BiConsumer<BulkStreamListener, CloudMwException> how) {
        BulkStreamListener current = listener;
        List<QueuedFrame> dropped = queue.close(cause);
        if (dropped != null) {
            bury(cause);
        }
        tellFailed(current, dropped, cause, how);
    }

    /** Fails the stream with its connection. */
    void broken(CloudMwException cause) {
        BulkStreamListener current = listener;
        forgotten = true;
        tellFailed(current, queue.close(cause), cause, BulkStreamListener::failed);
    }

    private void tellFailed(
            @Nullable BulkStreamListener current,
            @Nullable List<QueuedFrame> dropped,
            CloudMwException cause,
            BiConsumer<BulkStreamListener, CloudMwException> how) {
        listener = null;
        if (dropped == null) {
            return;
        }
        drop(dropped, cause);
        if (current != null) {
            connection.guarded(() -> how.accept(current, cause));
        }
    }

    private void tellGranted() {
        BulkStreamListener current = listener;
        if (current != null) {
            guarded(current::granted);
        }
    }

    private void guarded(Runnable call) {
        RuntimeException thrown = connection.guarded(call);
        if (thrown != null) {
            fail(new CloudMwException(ErrorCode.INTERNAL, "listener: " + thrown, thrown));
        }
    }
}
