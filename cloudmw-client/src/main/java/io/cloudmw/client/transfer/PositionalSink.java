package io.cloudmw.client.transfer;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.ByteRange;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Hands the bytes of a range to a target, in any order. */
final class PositionalSink implements LeafSink {
    private final PositionalTarget target;
    private final ByteRange wanted;

    PositionalSink(PositionalTarget target, ByteRange wanted) {
        this.target = target;
        this.wanted = wanted;
    }

    @Override
    public boolean inOrder() {
        return false;
    }

    @Override
    public boolean mayBlock() {
        return true;
    }

    @Override
    public void open() {}

    @Override
    public void write(long offset, ByteBuffer leaf) throws CloudMwException {
        long from = Math.max(offset, wanted.offset());
        long to = Math.min(offset + leaf.remaining(), wanted.end());
        if (from >= to) {
            return;
        }
        try {
            target.write(from, leaf.slice((int) (leaf.position() + from - offset), (int) (to - from)));
        } catch (IOException e) {
            throw new CloudMwException(ErrorCode.LOCAL_IO, "destination: cannot write to it: " + FileSink.reason(e), e);
        }
    }

    @Override
    public void commit() {}

    @Override
    public void abort() {}
}
