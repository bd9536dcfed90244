package io.cloudmw.client.transfer;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.Reasons;
import io.cloudmw.core.thread.SerialExecutor;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.io.IOException;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** A relay from an attempt of this very process: the same leaves, the same credit, no network. */
final class LocalInflow implements Inflow {
    private final LocalAttempt attempt;
    private final ByteBufAllocator allocator;
    private final SerialExecutor lane;
    private volatile @Nullable Relay relay;
    private volatile boolean done;
    private long credit;
    private long sent;

    LocalInflow(LocalAttempt attempt, ByteBufAllocator allocator, Executor threads) {
        this.attempt = attempt;
        this.allocator = allocator;
        this.lane = new SerialExecutor(threads, this::broken);
    }

    /** Before the first grant. */
    void bind(Relay target) {
        relay = target;
    }

    @Override
    public void grant(long bytes) {
        lane.execute(() -> {
            credit += bytes;
            send();
        });
    }

    private void broken(Throwable defect) {
        done = true;
        Relay target = relay;
        if (target != null) {
            target.failed(Failures.of(defect));
        }
    }

    private void send() {
        Relay target = relay;
        if (target == null) {
            throw new IllegalStateException("not bound");
        }
        long length = attempt.block().range().length();
        int leafSize = attempt.chunk().leafSizeBytes();
        while (!done && sent < length) {
            int bytes = (int) Math.min(leafSize, length - sent);
            if (credit < bytes) {
                return;
            }
            ByteBuf leaf = allocator.directBuffer(bytes, bytes);
            try {
                attempt.read(sent, leaf.nioBuffer(0, bytes));
            } catch (IOException e) {
                leaf.release();
                done = true;
                target.failed(new CloudMwException(
                        ErrorCode.LOCAL_IO, "temporary file: cannot read it: " + Reasons.of(e), e));
                return;
            }
            sent += bytes;
            credit -= bytes;
            target.data(leaf.writerIndex(bytes), 0);
        }
    }

    @Override
    public void finished() {
        done = true;
    }

    @Override
    public void refuse(ErrorCode code, String message) {
        done = true;
    }
}
