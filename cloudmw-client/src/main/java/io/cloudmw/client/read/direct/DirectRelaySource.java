package io.cloudmw.client.read.direct;

import io.cloudmw.client.context.Failures;
import io.cloudmw.client.read.relay.RelayReceiver;
import io.cloudmw.client.read.relay.RelaySource;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.Reasons;
import io.cloudmw.core.thread.SerialExecutor;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.io.IOException;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * The source of a relay that an in-process attempt feeds: the same leaves and credit as a helper's, without the
 * network.
 */
final class DirectRelaySource implements RelaySource {
    private final DirectAttempt attempt;
    private final ByteBufAllocator allocator;
    private final SerialExecutor lane;
    private volatile @Nullable RelayReceiver relay;
    private volatile boolean done;
    private long credit;
    private long sent;

    DirectRelaySource(DirectAttempt attempt, ByteBufAllocator allocator, Executor threads) {
        this.attempt = attempt;
        this.allocator = allocator;
        this.lane = new SerialExecutor(threads, this::broken);
    }

    /** Sets the receiver, before the first grant. */
    void bind(RelayReceiver target) {
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
        RelayReceiver target = relay;
        if (target != null) {
            target.failed(Failures.of(defect));
        }
    }

    private void send() {
        RelayReceiver target = relay;
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
