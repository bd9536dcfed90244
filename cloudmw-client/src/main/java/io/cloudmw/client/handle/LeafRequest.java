package io.cloudmw.client.handle;

import io.cloudmw.core.bulk.BulkConnection;
import io.cloudmw.core.bulk.BulkStream;
import io.cloudmw.core.bulk.BulkStreamListener;
import io.cloudmw.core.chunk.Sha256;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.netty.buffer.ByteBuf;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** A read of one leaf from a helper: one request and one frame, which is verified here. */
final class LeafRequest implements BulkStreamListener {
    /** Longer leaves are not hashed on the event loop, where other streams would wait. */
    private static final int HASHED_AT_ONCE_BYTES = 64 << 10;

    private static final byte[] NO_TRAILER = {};

    private final PlannedLeaf place;
    private final int length;
    private final Executor workers;
    private final CompletableFuture<byte[]> answer = new CompletableFuture<>();
    private volatile @Nullable BulkStream stream;
    /** Confined to the event loop. */
    private boolean taken;

    LeafRequest(PlannedLeaf place, Executor workers) {
        this.place = place;
        this.length = place.length();
        this.workers = workers;
    }

    /** Requests the leaf from a helper and verifies the answer. */
    CompletableFuture<byte[]> ask(CompletableFuture<BulkConnection> connecting, byte[] request) {
        var unused = connecting.whenComplete((connection, failure) -> {
            if (failure != null) {
                answer.completeExceptionally(failure);
            } else if (connection != null && !answer.isDone()) {
                BulkStream opened = connection.open(request, this);
                stream = opened;
                opened.grant(length);
                connection.expect();
            }
        });
        return answer;
    }

    /** Cancels the read; no effect once the leaf has arrived. */
    void cancel() {
        if (!answer.isDone()) {
            fail(ErrorCode.CANCELLED, "no longer wanted");
        }
    }

    @Override
    public void data(ByteBuf payload, int crc32c) {
        byte[] bytes = new byte[payload.readableBytes()];
        payload.readBytes(bytes);
        payload.release();
        if (taken || bytes.length != length || crc32c != place.crc32c()) {
            fail(ErrorCode.REPLICA_CORRUPT, "the helper sent another leaf");
            return;
        }
        taken = true;
        if (length <= HASHED_AT_ONCE_BYTES) {
            verify(bytes);
        } else {
            workers.execute(() -> verify(bytes));
        }
    }

    private void verify(byte[] bytes) {
        if (place.chunk().leaves().matches(place.leaf(), Sha256.begin().digest(bytes))) {
            answer.complete(bytes);
            end();
        } else {
            fail(ErrorCode.REPLICA_CORRUPT, "SHA-256 does not match");
        }
    }

    /** Ends the stream only now: after both ends are closed, damage could no longer be reported. */
    private void end() {
        BulkStream open = stream;
        if (open != null) {
            open.end(NO_TRAILER);
        }
    }

    @Override
    public void ended(byte[] trailer) {
        if (!taken) {
            fail(ErrorCode.PROTOCOL_VIOLATION, "the stream ended before the leaf came");
        }
    }

    @Override
    public void granted() {
        // Nothing is sent.
    }

    @Override
    public void failed(CloudMwException cause) {
        answer.completeExceptionally(cause);
    }

    /** Reports the damage to the helper, which evicts the leaf or checks its replica. */
    @Override
    public void damaged(CloudMwException cause) {
        fail(ErrorCode.REPLICA_CORRUPT, String.valueOf(cause.getMessage()));
    }

    private void fail(ErrorCode code, String why) {
        String what = place + ": " + why;
        if (answer.completeExceptionally(new CloudMwException(code, what))) {
            BulkStream open = stream;
            if (open != null) {
                open.reset(code, what);
            }
        }
    }
}
