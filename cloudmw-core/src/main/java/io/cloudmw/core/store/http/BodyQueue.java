package io.cloudmw.core.store.http;

import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The queue of a response's body: it holds a few pieces ahead of the reader, no more. A single thread takes, any thread may
 * cancel. It exists because the JDK's own input stream cannot time out.
 */
final class BodyQueue implements BodySubscriber<BodyQueue> {
    /** The items requested ahead; the client gives at most 16 KiB each. */
    private static final int AHEAD = 8;

    /** An item of the queue: bytes, the end, a failure, or a cancellation. */
    record Piece(
            Kind kind, List<ByteBuffer> bytes, @Nullable Throwable failure) {
        enum Kind {
            BYTES,
            END,
            FAILED,
            CANCELLED
        }

        static Piece of(Kind kind) {
            return new Piece(kind, List.of(), null);
        }
    }

    private final BlockingQueue<Piece> pieces = new LinkedBlockingQueue<>();
    private volatile Flow.@Nullable Subscription subscription;
    private volatile boolean cancelled;

    @Override
    public CompletionStage<BodyQueue> getBody() {
        return CompletableFuture.completedStage(this);
    }

    @Override
    public void onSubscribe(Flow.Subscription given) {
        subscription = given;
        if (cancelled) {
            given.cancel();
        } else {
            given.request(AHEAD);
        }
    }

    @Override
    public void onNext(List<ByteBuffer> bytes) {
        pieces.add(new Piece(Piece.Kind.BYTES, bytes, null));
    }

    @Override
    public void onError(Throwable failure) {
        pieces.add(new Piece(Piece.Kind.FAILED, List.of(), failure));
    }

    @Override
    public void onComplete() {
        pieces.add(Piece.of(Piece.Kind.END));
    }

    /** The next piece; null when none arrived in {@code timeoutNanos}. */
    @Nullable
    Piece take(long timeoutNanos) throws InterruptedException {
        Piece piece = pieces.poll(timeoutNanos, TimeUnit.NANOSECONDS);
        Flow.Subscription source = subscription;
        if (source != null && piece != null && piece.kind() == Piece.Kind.BYTES) {
            source.request(1);
        }
        return piece;
    }

    /** Drops the connection and wakes a thread that waits for a piece. */
    void cancel() {
        cancelled = true;
        Flow.Subscription source = subscription;
        if (source != null) {
            source.cancel();
        }
        pieces.add(Piece.of(Piece.Kind.CANCELLED));
    }
}
