package io.cloudmw.client.sink;

import io.cloudmw.client.context.Failures;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.Reasons;
import io.cloudmw.core.model.ByteRange;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import org.jspecify.annotations.Nullable;

/**
 * A sink that writes the bytes of a range to a channel in order, each exactly once. The channel stays open. After a
 * failed write the channel gets nothing more: every later write, and the commit, fail as the first failure did. That
 * first write may come from a refused relay, whose failures are ignored; its successor brings the same leaf.
 */
public final class StreamSink implements LeafSink {
    private final WritableByteChannel channel;
    private final ByteRange wanted;
    private long next;
    private @Nullable CloudMwException failure;

    public StreamSink(WritableByteChannel channel, ByteRange wanted) {
        this.channel = channel;
        this.wanted = wanted;
        next = wanted.offset();
    }

    @Override
    public boolean inOrder() {
        return true;
    }

    @Override
    public boolean mayBlock() {
        return true;
    }

    @Override
    public void open() {}

    /** Synchronized: a refused relay may still be writing a leaf that its successor brings again. */
    @Override
    public synchronized void write(long offset, ByteBuffer leaf) throws CloudMwException {
        throwIfFailed();
        long from = Math.max(offset, next);
        long to = Math.min(offset + leaf.remaining(), wanted.end());
        if (from >= to) {
            return;
        }
        if (from != next) {
            throw new IllegalStateException("offset: " + from + " (expected: " + next + ")");
        }
        handOn(leaf.slice((int) (leaf.position() + from - offset), (int) (to - from)));
    }

    private void handOn(ByteBuffer bytes) throws CloudMwException {
        long from = next;
        try {
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
        } catch (IOException | RuntimeException | Error e) {
            failure = failureOf(e);
            throw failure;
        } finally {
            next = from + bytes.position(); // also what a channel took that then failed
        }
    }

    /** A channel may throw anything, and a {@link CloudMwException} says itself which destination it is. */
    private static CloudMwException failureOf(Throwable thrown) {
        if (thrown instanceof CloudMwException || !(thrown instanceof IOException)) {
            return Failures.of(thrown);
        }
        return new CloudMwException(
                ErrorCode.LOCAL_IO, "destination: cannot write to it: " + Reasons.of(thrown), thrown);
    }

    private void throwIfFailed() throws CloudMwException {
        CloudMwException first = failure;
        if (first != null) {
            throw new CloudMwException(first.code(), first.verdict(), String.valueOf(first.getMessage()), first);
        }
    }

    @Override
    public synchronized void commit() throws CloudMwException {
        throwIfFailed();
    }

    @Override
    public void abort() {}
}
