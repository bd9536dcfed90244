package io.cloudmw.client.transfer;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.Reasons;
import io.cloudmw.core.model.ByteRange;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;

/** Hands the bytes of a range to a channel in their order, each exactly once. The channel stays open. */
final class StreamSink implements LeafSink {
    private final WritableByteChannel channel;
    private final ByteRange wanted;
    private long next;

    StreamSink(WritableByteChannel channel, ByteRange wanted) {
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

    /** Synchronized: a relay that was given up may still be in here with a leaf its successor brings again. */
    @Override
    public synchronized void write(long offset, ByteBuffer leaf) throws CloudMwException {
        long from = Math.max(offset, next);
        long to = Math.min(offset + leaf.remaining(), wanted.end());
        if (from >= to) {
            return;
        }
        if (from != next) {
            throw new IllegalStateException("offset: " + from + " (expected: " + next + ")");
        }
        ByteBuffer bytes = leaf.slice((int) (leaf.position() + from - offset), (int) (to - from));
        try {
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
        } catch (CloudMwException e) {
            throw e; // it says itself which destination it is
        } catch (IOException e) {
            throw new CloudMwException(ErrorCode.LOCAL_IO, "destination: cannot write to it: " + Reasons.of(e), e);
        }
        next = to;
    }

    @Override
    public void commit() {}

    @Override
    public void abort() {}
}
