package io.cloudmw.client.rpc;

import io.cloudmw.client.file.Watch;
import io.cloudmw.client.file.WatchListener;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.file.Change;
import io.cloudmw.core.retry.RetryCounter;
import io.cloudmw.core.rpc.RpcErrors;
import io.cloudmw.core.thread.SerialExecutor;
import io.cloudmw.core.wire.ChangeWire;
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
 * The calls of a watch. When its call breaks, the next one continues after the last
 * reported position, at any coordinator. So no change is repeated and none is missing. The next message is requested
 * when the listener has handled the one before. Safe for any thread.
 */
final class WatchCall implements Watch {
    private final Watches owner;
    private final VolumeName volume;
    private final String path;
    private final WatchListener listener;
    /** Runs the watch's tasks, which alone use the fields that are neither final nor volatile. */
    private final SerialExecutor serial;

    private final CompletableFuture<Long> started = new CompletableFuture<>();
    private final CompletableFuture<Void> done = new CompletableFuture<>();
    private volatile OptionalLong position;
    private volatile @Nullable ClientCall<WatchRequest, WatchEvent> current;
    private final ShownCertificate shown;

    private final RetryCounter retries = new RetryCounter(RetryingCalls.BACKOFF);
    private boolean broken;
    private long brokenSinceNanos;

    WatchCall(
            Watches owner,
            VolumeName volume,
            String path,
            OptionalLong after,
            WatchListener listener,
            Executor threads) {
        this.owner = owner;
        this.shown = new ShownCertificate(owner.certificates());
        this.volume = volume;
        this.path = path;
        this.position = after;
        this.listener = listener;
        this.serial = new SerialExecutor(threads, this::defect);
    }

    void start() {
        serial.execute(this::connect);
    }

    @Override
    public CompletableFuture<Long> started() {
        return started.copy();
    }

    @Override
    public OptionalLong position() {
        return position;
    }

    @Override
    public CompletableFuture<Void> done() {
        return done.copy();
    }

    @Override
    public void close() {
        end(null);
    }

    /** @param reason null: the watch was closed */
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

    /** Runs a task once no call of the listener is under way. */
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
        shown.begun();
        var unused = owner.certificates().ready().whenComplete((ready, failure) -> {
            if (failure == null) {
                call();
            } else {
                failed(failure);
            }
        });
    }

    private void failed(Throwable failure) {
        serial.execute(
                () -> interrupted(RpcErrors.fromStatus(failure, ErrorCode.COORDINATOR_UNAVAILABLE, owner.server())));
    }

    private void call() {
        if (done.isDone()) {
            return;
        }
        shown.sent();
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

    /** The answers of one call. */
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
            failed(failure);
        }

        @Override
        public void onCompleted() {
            serial.execute(WatchCall.this::close);
        }
    }

    private void take(WatchEvent event) {
        if (done.isDone()) {
            return;
        }
        retries.reset();
        broken = false;
        shown.answered();
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
                    owner.server() + ": change " + next + " (expected: > " + position.getAsLong() + ")");
        }
    }

    private void interrupted(CloudMwException failure) {
        if (done.isDone()) {
            return;
        }
        if (shown.mayPassOnNewConnection(failure)) {
            owner.channel().enterIdle();
            reconnect();
            return;
        }
        long nowNanos = owner.ticker().nanos();
        brokenSinceNanos = broken ? brokenSinceNanos : nowNanos;
        broken = true;
        // A server cancels calls when it stops without finishing them; this side cancels only watches that are done.
        boolean passing = failure.code() == ErrorCode.COORDINATOR_UNAVAILABLE
                || failure.code() == ErrorCode.CANCELLED
                || failure.code() == ErrorCode.DEADLINE_EXCEEDED
                || failure.code() == ErrorCode.OVERLOADED;
        if (!passing || nowNanos - brokenSinceNanos > limitNanos(failure)) {
            end(failure);
            return;
        }
        try {
            Future<?> unused = owner.timer()
                    .schedule(
                            () -> serial.execute(this::reconnect),
                            retries.nextDelayNanos(ThreadLocalRandom.current()),
                            TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            end(Watches.closedException());
        }
    }

    private long limitNanos(CloudMwException failure) {
        return owner.times().nanos(started.isDone(), RpcErrors.isRefusedConnection(failure));
    }

    private void reconnect() {
        owner.channel().resetConnectBackoff();
        connect();
    }

    private void defect(Throwable thrown) {
        end(new CloudMwException(ErrorCode.INTERNAL, "watch of " + volume + ":" + path + ": " + thrown, thrown));
    }
}
