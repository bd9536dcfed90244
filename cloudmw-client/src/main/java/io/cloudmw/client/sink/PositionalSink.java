package io.cloudmw.client.sink;

import io.cloudmw.client.file.PositionalTarget;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.Reasons;
import io.cloudmw.core.model.ByteRange;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * A sink that writes the bytes of a range to a target, in any order. A refused relay may still be writing bytes that
 * its successor brought as well, so the commit waits for it: afterwards the target is the caller's alone.
 */
public final class PositionalSink implements LeafSink {
    private final PositionalTarget target;
    private final ByteRange wanted;
    private final ReadWriteLock writes = new ReentrantReadWriteLock();
    private volatile boolean over;

    public PositionalSink(PositionalTarget target, ByteRange wanted) {
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
        writes.readLock().lock();
        try {
            if (!over) {
                target.write(from, leaf.slice((int) (leaf.position() + from - offset), (int) (to - from)));
            }
        } catch (CloudMwException e) {
            throw e; // the message names the destination itself
        } catch (IOException e) {
            throw new CloudMwException(ErrorCode.LOCAL_IO, "destination: cannot write to it: " + Reasons.of(e), e);
        } finally {
            writes.readLock().unlock();
        }
    }

    @Override
    public void commit() {
        writes.writeLock().lock();
        try {
            over = true;
        } finally {
            writes.writeLock().unlock();
        }
    }

    /** Does not wait for a target that blocks. */
    @Override
    public void abort() {
        over = true;
    }
}
