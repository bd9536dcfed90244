package io.cloudmw.client.rpc;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.Change;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.retry.RetryCounter;
import io.cloudmw.core.thread.SerialExecutor;
import io.cloudmw.core.wire.ChangeWire;
import io.cloudmw.core.wire.WireErrors;
import io.cloudmw.proto.v1.ChangeFeedGrpc;
import io.cloudmw.proto.v1.WatchEvent;
import io.cloudmw.proto.v1.WatchRequest;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.ClientResponseObserver;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A watch of the names of a volume, until it is closed. One call after the other: each goes on after the position that was told
 * last, so nothing is told twice and nothing left out, whichever coordinator answers. The next message is asked for when the
 * listener is done with the one before. Safe for any thread.
 */
public final class Watch implements AutoCloseable {
    /** Watches of one client that may be open at once. */
    public static final int MAX_OPEN = 128;

    private final Watches owner;
    private final VolumeName volume;
    private final String path;
    private final WatchListener listener;
    /** What is not final or volatile is its tasks' only. */
    private final SerialExecutor serial;

    private final CompletableFuture<Long> started = new CompletableFuture<>();
    private final CompletableFuture<Void> done = new CompletableFuture<>();
    private volatile OptionalLong position;
    private volatile @Nullable ClientCall<WatchRequest, WatchEvent> current;
    private final RetryCounter retries = new RetryCounter(RetryingCalls.BACKOFF);
    private boolean broken;
    private long brokenSinceNanos;

    Watch(Watches owner, VolumeName volume, String path, OptionalLong after, WatchListener listener, Executor threads) {
        this.owner = owner;
        this.volume = volume;
        this.path = path;
        this.position = after;
        this.listener = listener;
        this.serial = new SerialExecutor(threads, this::defect);
    }

    void start() {
        serial.execute(this::connect);
    }

    /**
     * The position from which it watches, once a coordinator has said so: whatever happens from then on is told. Fails as
     * {@link #done} does.
     */
    public CompletableFuture<Long> started() {
        return started.copy();
    }

    /** Up to where everything was told, or does not touch the path; empty before it has started. */
    public OptionalLong position() {
        return position;
    }

    /**
     * Done when it was closed or the volume was deleted; fails with a {@link CloudMwException} when it could not go on, or its
     * client was closed. Its listener is not called any more then, unless it is being called.
     */
    public CompletableFuture<Void> done() {
        return done.copy();
    }

    /** Ends it, also at the coordinator. Idempotent; does not wait for the listener. */
    @Override
    public void close() {
        end(null);
    }

    /** @param reason null: there is none, it was closed */
    void end(@Nullable CloudMwException reason) {
        started.completeExceptionally(
                reason != null ? reason : new CloudMwException(ErrorCode.CANCELLED, "the watch was closed"));
        if (reason == null) {
            done.complete(null);
        } else {
            done.completeExceptionally(reason);
        }
        cancelCall();
    }

    /** Runs this once its listener is not being called any more. */
    void afterListener(Runnable task) {
        serial.execute(task);
    }

    private void cancelCall() {
        ClientCall<WatchRequest, WatchEvent> call = current;
        if (call != null) {
            call.cancel("no longer wanted", null);
        }
    }

    private void connect() {
        if (done.isDone()) {
            return;
        }
        WatchRequest.Builder request =
                WatchRequest.newBuilder().setVolume(volume.value()).setPath(path);
        position.ifPresent(request::setAfter);
        ClientCall<WatchRequest, WatchEvent> call =
                owner.channel().newCall(ChangeFeedGrpc.getWatchMethod(), CallOptions.DEFAULT);
        ClientCalls.asyncServerStreamingCall(call, request.build(), new Events());
        current = call;
        if (done.isDone()) {
            cancelCall();
        }
    }

    /** What one call brings. */
    private final class Events implements ClientResponseObserver<WatchRequest, WatchEvent> {
        private @Nullable ClientCallStreamObserver<WatchRequest> call;

        @Override
        public void beforeStart(ClientCallStreamObserver<WatchRequest> started) {
            started.disableAutoRequestWithInitial(1);
            call = started;
        }

        @Override
        public void onNext(WatchEvent event) {
            ClientCallStreamObserver<WatchRequest> from = call;
            serial.execute(() -> {
                take(event);
                if (from != null) {
                    from.request(1);
                }
            });
        }

        @Override
        public void onError(Throwable failure) {
            serial.execute(
                    () -> interrupted(WireErrors.fromStatus(failure, ErrorCode.COORDINATOR_UNAVAILABLE, owner.peer())));
        }

        @Override
        public void onCompleted() {
            serial.execute(Watch.this::close);
        }
    }

    private void take(WatchEvent event) {
        if (done.isDone()) {
            return;
        }
        retries.reset();
        broken = false;
        try {
            if (event.getLost()) {
                position = OptionalLong.of(event.getPosition());
                listener.lost(event.getPosition());
                return;
            }
            requireAscending(event.getPosition() + 1);
            if (!started.isDone() && event.getChangesCount() == 0) {
                position = OptionalLong.of(event.getPosition());
                started.complete(event.getPosition());
            }
            for (io.cloudmw.proto.v1.Change message : event.getChangesList()) {
                tell(ChangeWire.change(message));
            }
            position = OptionalLong.of(event.getPosition());
        } catch (CloudMwException e) {
            end(e);
        }
    }

    private void tell(Change change) throws CloudMwException {
        requireAscending(change.position());
        if (done.isDone()) {
            return;
        }
        position = OptionalLong.of(change.position());
        listener.changed(change);
    }

    private void requireAscending(long next) throws CloudMwException {
        if (position.isPresent() && next <= position.getAsLong()) {
            throw new CloudMwException(
                    ErrorCode.PROTOCOL_VIOLATION,
                    owner.peer() + ": change " + next + " (expected: > " + position.getAsLong() + ")");
        }
    }

    private void interrupted(CloudMwException failure) {
        if (done.isDone()) {
            return;
        }
        long nowNanos = owner.ticker().nanos();
        brokenSinceNanos = broken ? brokenSinceNanos : nowNanos;
        broken = true;
        // Cancelled by a server that does not finish its calls: this side cancels only what is done.
        boolean passing = failure.code() == ErrorCode.COORDINATOR_UNAVAILABLE
                || failure.code() == ErrorCode.CANCELLED
                || failure.code() == ErrorCode.DEADLINE_EXCEEDED
                || failure.code() == ErrorCode.OVERLOADED;
        if (!passing || nowNanos - brokenSinceNanos > limitNanos()) {
            end(failure);
            return;
        }
        try {
            Future<?> unused = owner.timer()
                    .schedule(
                            () -> serial.execute(this::again),
                            retries.nextDelayNanos(ThreadLocalRandom.current()),
                            TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            end(Watches.closedException());
        }
    }

    private long limitNanos() {
        return owner.times().nanos(started.isDone());
    }

    private void again() {
        owner.channel().resetConnectBackoff();
        connect();
    }

    private void defect(Throwable thrown) {
        end(new CloudMwException(ErrorCode.INTERNAL, "watch of " + volume + ":" + path + ": " + thrown, thrown));
    }
}
