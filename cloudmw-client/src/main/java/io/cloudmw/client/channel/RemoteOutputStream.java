package io.cloudmw.client.channel;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.client.progress.PutReceipt;
import io.cloudmw.client.rpc.Calls;
import io.cloudmw.client.rpc.FileErrors;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.FilePath;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A stream that writes a new version of a file. Chunks are stored while the application writes; the version is visible,
 * whole, when {@link #close} returns. A write waits while the client stores more slowly than the application writes.
 * Safe for any thread.
 */
public final class RemoteOutputStream extends OutputStream {
    private static final int PIPE_BYTES = 1 << 20;

    private enum State {
        OPEN,
        CLOSED,
        ABORTED,
        /** A write has failed. It may have passed on a part of its bytes, so that the put must not be committed. */
        FAILED
    }

    private final FilePath file;
    private final boolean createNew;
    private final BytePipe pipe = new BytePipe(PIPE_BYTES);
    private final CompletableFuture<PutReceipt> put;

    @GuardedBy("this")
    private State state = State.OPEN;

    @GuardedBy("this")
    private @Nullable IOException failure;

    /** Starts a put of a stream. */
    interface PutStarter {
        CompletableFuture<PutReceipt> start(BytePipe source);
    }

    /** @param createNew whether the put fails when there is a file at the path */
    RemoteOutputStream(FilePath file, boolean createNew, PutStarter starter) {
        this.file = file;
        this.createNew = createNew;
        this.put = starter.start(pipe);
        var unused = put.whenComplete((receipt, failure) -> pipe.fail(
                failure == null ? new ClosedChannelException() : new IOException(file + ": the put has failed")));
    }

    @Override
    public void write(int value) throws IOException {
        write(new byte[] {(byte) value}, 0, 1);
    }

    @Override
    public void write(byte[] source, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, source.length);
        write(ByteBuffer.wrap(source, offset, length));
    }

    /** Writes all bytes of the buffer. A write that fails, or is interrupted, gives the put up. */
    void write(ByteBuffer bytes) throws IOException {
        synchronized (this) {
            if (state != State.OPEN) {
                throw new ClosedChannelException();
            }
        }
        try {
            pipe.write(bytes);
        } catch (IOException e) {
            IOException reason = put.isCompletedExceptionally() ? failureOfPut() : e;
            fail(reason);
            throw reason;
        }
    }

    private void fail(IOException reason) {
        synchronized (this) {
            if (state != State.OPEN) {
                return;
            }
            state = State.FAILED;
            failure = reason;
        }
        put.cancel(true);
        pipe.fail(new ClosedChannelException());
    }

    /**
     * Makes the version visible: waits until all chunks are stored and the version is committed. After a write that
     * failed it throws the failure again, and the path stays as it was. Idempotent.
     *
     * @throws java.nio.file.FileAlreadyExistsException when the stream was to create the file, and another one did
     */
    @Override
    public void close() throws IOException {
        synchronized (this) {
            State before = state;
            state = before == State.ABORTED ? State.ABORTED : State.CLOSED;
            if (before == State.FAILED) {
                throw new IOException(file + ": a write has failed, so the path stays as it was", failure);
            }
            if (before != State.OPEN) {
                return;
            }
        }
        pipe.end();
        PutReceipt unused = await();
    }

    /**
     * Gives the put up: the path stays as it was, and the coordinator collects the chunks that were stored. A write or
     * a close under way fails. No effect after {@link #close}.
     */
    public void abort() {
        synchronized (this) {
            if (state == State.ABORTED) {
                return;
            }
            state = State.ABORTED;
        }
        put.cancel(true);
        pipe.fail(new ClosedChannelException());
    }

    private IOException failureOfPut() {
        try {
            PutReceipt unused = await();
            return new ClosedChannelException();
        } catch (IOException e) {
            return e;
        }
    }

    private PutReceipt await() throws IOException {
        try {
            return Calls.await(put);
        } catch (CloudMwException e) {
            throw createNew && e.code() == ErrorCode.CONFLICT
                    ? FileErrors.exists(file.toString(), e)
                    : FileErrors.of(file.toString(), e);
        }
    }
}
