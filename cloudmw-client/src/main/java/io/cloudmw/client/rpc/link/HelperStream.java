package io.cloudmw.client.rpc.link;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.Reasons;
import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.rpc.RpcErrors;
import io.grpc.ManagedChannel;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A stream of commands to one helper and of its events. Commands are sent in order, also those given before the helper
 * was reached. The caller bounds the commands that wait. Safe for any thread.
 *
 * @param <C> commands
 * @param <E> events
 */
abstract class HelperStream<C, E> {
    private static final Duration READY_TIMEOUT = Duration.ofSeconds(5);

    private final HelperLinks links;
    private final HelperAddress helper;
    private final CompletableFuture<HelperLink> acquired;

    @GuardedBy("this")
    private final Queue<C> waiting = new ArrayDeque<>();

    @GuardedBy("this")
    private @Nullable ClientCallStreamObserver<C> commands;

    /** Started, perhaps not yet writable. */
    @GuardedBy("this")
    private @Nullable ClientCallStreamObserver<C> call;

    @GuardedBy("this")
    private @Nullable HelperLink link;

    @GuardedBy("this")
    private boolean over;

    /** Unregisters this stream from the connection, which outlives the stream and must not hold on to it. */
    @GuardedBy("this")
    private Runnable forgetLink = () -> {};

    private volatile boolean ready;

    HelperStream(HelperLinks links, HelperAddress helper) {
        this.links = links;
        this.helper = helper;
        acquired = links.acquire(helper);
    }

    /** Starts the call. */
    abstract StreamObserver<C> call(ManagedChannel channel, ClientResponseObserver<C, E> answers);

    /** The first command. */
    abstract C begin(HelperLink reached);

    /**
     * Handles an event.
     *
     * @throws IllegalArgumentException when the event is invalid
     */
    abstract void received(E event) throws CloudMwException;

    /** Handles the end of the stream, unless {@link #close} ended it. Called once. */
    abstract void lost(CloudMwException why);

    /** Opens the stream; {@link #lost} is called, soon, when that is not possible. */
    final void open() {
        var unused = acquired.whenComplete(this::linked);
    }

    /** Records that the helper answered the first command. A helper that does not answer is soon lost. */
    final void markReady() {
        ready = true;
    }

    private void linked(@Nullable HelperLink reached, @Nullable Throwable failure) {
        if (reached == null) {
            gone(RpcErrors.fromStatus(unwrap(failure), ErrorCode.HELPER_UNAVAILABLE, helperName()));
            return;
        }
        synchronized (this) {
            if (!over) {
                link = reached;
            }
        }
        if (isOver()) {
            links.release(reached);
            return;
        }
        Runnable forget = reached.bulk()
                .onClosed(() -> gone(
                        new CloudMwException(ErrorCode.HELPER_UNAVAILABLE, helperName() + ": bulk connection closed")));
        synchronized (this) {
            forgetLink = forget;
        }
        if (isOver()) {
            forget.run();
            return;
        }
        StreamObserver<C> unusedCall = call(reached.channel(), new Answers());
        cancelIfOver();
        try {
            Future<?> unused =
                    links.timer().schedule(this::checkReady, READY_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            gone(new CloudMwException(ErrorCode.CANCELLED, "the client was closed", e));
        }
    }

    /** Cancels a stream that was closed before it had a call. Otherwise nobody would end it at the helper. */
    private synchronized void cancelIfOver() {
        if (over && call != null) {
            call.cancel("stream over", null);
        }
    }

    private static Throwable unwrap(@Nullable Throwable failure) {
        return failure == null ? new IllegalStateException("no link and no failure") : Reasons.unwrapped(failure);
    }

    private void checkReady() {
        if (!ready) {
            gone(new CloudMwException(
                    ErrorCode.HELPER_UNAVAILABLE,
                    helperName() + ": not ready within " + READY_TIMEOUT.toMillis() + " ms"));
        }
    }

    /** The helper's name in messages. */
    final String helperName() {
        return "helper " + helper.id();
    }

    private synchronized boolean isOver() {
        return over;
    }

    final synchronized void send(C command) {
        if (over) {
            return;
        }
        if (commands == null) {
            waiting.add(command);
        } else {
            commands.onNext(command);
        }
    }

    /**
     * Finishes the stream: the helper sends its remaining events and ends; then {@link #lost} is called.
     *
     * @param last commands that are sent before
     * @return false when the helper was never reached: no event follows
     */
    final boolean finish(List<C> last) {
        synchronized (this) {
            if (commands != null && !over) {
                last.forEach(commands::onNext);
                commands.onCompleted();
                return true;
            }
        }
        close();
        return false;
    }

    /** Ends the stream at once; no event follows. Idempotent. */
    public final void close() {
        HelperLink held;
        synchronized (this) {
            if (over) {
                return;
            }
            over = true;
            forgetLink.run();
            held = link;
            link = null;
            waiting.clear();
            if (call != null) {
                call.cancel("stream over", null);
            }
        }
        if (held != null) {
            links.release(held);
        }
    }

    private void gone(CloudMwException why) {
        if (!isOver()) {
            close();
            lost(why);
        }
    }

    private final class Answers implements ClientResponseObserver<C, E> {
        @Override
        public void beforeStart(ClientCallStreamObserver<C> requests) {
            requests.setOnReadyHandler(() -> opened(requests));
            synchronized (HelperStream.this) {
                call = requests;
            }
        }

        /** Called by gRPC when the stream can first be written to. */
        private void opened(ClientCallStreamObserver<C> requests) {
            synchronized (HelperStream.this) {
                HelperLink held = link;
                if (over || commands != null || held == null) {
                    return;
                }
                commands = requests;
                requests.onNext(begin(held));
                for (C command = waiting.poll(); command != null; command = waiting.poll()) {
                    requests.onNext(command);
                }
            }
        }

        @Override
        public void onNext(E event) {
            if (isOver()) {
                return;
            }
            try {
                received(event);
            } catch (CloudMwException | IllegalArgumentException e) {
                gone(new CloudMwException(ErrorCode.PROTOCOL_VIOLATION, helperName() + ": " + e.getMessage(), e));
            }
        }

        @Override
        public void onError(Throwable failure) {
            gone(RpcErrors.fromStatus(failure, ErrorCode.HELPER_UNAVAILABLE, helperName()));
        }

        @Override
        public void onCompleted() {
            gone(new CloudMwException(
                    ErrorCode.HELPER_UNAVAILABLE,
                    helperName() + ": ended the stream before the transfer was over; another helper is asked"));
        }
    }

    static ErrorCode code(String name) {
        return RpcErrors.code(name).orElse(ErrorCode.INTERNAL);
    }
}
