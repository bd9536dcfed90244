package io.cloudmw.client.rpc;

import io.cloudmw.core.config.HostPorts;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.RetryVerdict;
import io.cloudmw.core.retry.Backoff;
import io.cloudmw.core.retry.RetryCounter;
import io.cloudmw.core.rpc.RpcErrors;
import io.cloudmw.core.time.Ticker;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import io.netty.handler.codec.http2.Http2Exception;
import java.time.Duration;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Unary calls that survive a restart of the server. Each try has a deadline. Tries that reached no server, or an
 * overloaded one, are repeated with backoff until the total time is over. Safe for any thread.
 */
public final class RetryingCalls implements AutoCloseable {
    /** The delays between tries of a call, and of a watch. */
    static final Backoff BACKOFF = Backoff.between(Duration.ofMillis(50), Duration.ofSeconds(1));

    private static final long UNNOTICED_NANOS = Duration.ofSeconds(2).toNanos();
    private static final long LONGEST_TRY_NANOS = Duration.ofSeconds(10).toNanos();

    /** A shorter try may end before it learns why it fails. */
    private static final long SHORT_NANOS = Duration.ofSeconds(1).toNanos();

    /** With less time left than this, no further try is made. */
    private static final long LEAST_NANOS = Duration.ofMillis(50).toNanos();

    private final ManagedChannel channel;
    private final ClientCertificates certificates;
    private final String server;
    private final CoordinatorTimes times;
    private final boolean several;
    private final ScheduledExecutorService timer;
    private final Ticker ticker;
    private final Consumer<String> waiting;
    private final AtomicBoolean waitingReported = new AtomicBoolean();
    /** Calls without an answer yet; the callers bound their number. */
    private final Set<Call<?, ?>> underWay = ConcurrentHashMap.newKeySet();

    private volatile boolean reached;
    /** Whether the last failure was a refused connection. */
    private volatile boolean refused;

    private volatile boolean closed;

    /**
     * @param certificates of the channel, needed before the first call
     * @param servers the coordinators; with several, another one takes over when one is silent
     * @param waiting is told once per outage, after {@code UNNOTICED_NANOS} without an answer
     */
    public RetryingCalls(
            ManagedChannel channel,
            ClientCertificates certificates,
            HostPorts servers,
            CoordinatorTimes times,
            ScheduledExecutorService timer,
            Ticker ticker,
            Consumer<String> waiting) {
        this.channel = channel;
        this.certificates = certificates;
        this.server = "coordinator " + servers;
        this.several = servers.all().size() > 1;
        this.times = times;
        this.timer = timer;
        this.ticker = ticker;
        this.waiting = waiting;
    }

    /**
     * Starts a call. The future fails with a {@link CloudMwException}. Cancelling the future, or a derived one, cancels
     * the call.
     */
    public <Q, A> CompletableFuture<A> call(MethodDescriptor<Q, A> method, Q request) {
        Call<Q, A> call = new Call<>(method, request);
        underWay.add(call);
        var unused = call.result.whenComplete((answer, failure) -> underWay.remove(call));
        if (closed) {
            call.result.completeExceptionally(Watches.closedException());
        }
        call.attempt();
        reportUnlessAnswered(call.result);
        return call.result;
    }

    /** Fails all calls under way, also those that wait for their next try. Leaves the channel open. Idempotent. */
    @Override
    public void close() {
        closed = true;
        underWay.forEach(call -> call.result.completeExceptionally(Watches.closedException()));
    }

    private void reportUnlessAnswered(CompletableFuture<?> answered) {
        try {
            Future<?> notice = timer.schedule(this::reportWaiting, UNNOTICED_NANOS, TimeUnit.NANOSECONDS);
            var unused = answered.whenComplete((answer, failure) -> notice.cancel(false));
        } catch (RejectedExecutionException e) {
            answered.completeExceptionally(new CloudMwException(ErrorCode.CANCELLED, "the client was closed", e));
        }
    }

    private void reportWaiting() {
        if (waitingReported.compareAndSet(false, true)) {
            waiting.accept("waiting for " + server + (refused ? " (connection refused)" : "") + ", for at most "
                    + TimeUnit.NANOSECONDS.toSeconds(totalNanos()) + " s");
        }
    }

    /** Returns whether the server does not know the method, or does not speak HTTP/2. */
    private static boolean isNoCoordinator(CloudMwException failure) {
        return RpcErrors.isUnknownMethod(failure)
                || (failure.getCause() instanceof StatusRuntimeException answer
                        && answer.getStatus().getCause() instanceof Http2Exception);
    }

    private long totalNanos() {
        return times.nanos(reached, refused);
    }

    /** The time of one try. With several servers, it leaves as much time for another server. */
    private long tryNanos() {
        return Math.min(LONGEST_TRY_NANOS, several ? totalNanos() / 2 : totalNanos());
    }

    private final class Call<Q, A> {
        private final MethodDescriptor<Q, A> method;
        private final Q request;
        private final CompletableFuture<A> result = new CancellableFuture<>(this::cancel);
        private final long startedNanos = ticker.nanos();
        private final RetryCounter retries = new RetryCounter(BACKOFF);
        private volatile @Nullable ClientCall<Q, A> current;

        /** The last try was sent and timed out: its server may be stopped, while another address is not. */
        private volatile boolean silent;

        private volatile long tryNanos;

        private final ShownCertificate shown = new ShownCertificate(certificates);

        /** The failure of the last try that had enough time to learn its reason. */
        private volatile @Nullable CloudMwException lastReason;

        Call(MethodDescriptor<Q, A> method, Q request) {
            this.method = method;
            this.request = request;
        }

        private long remainingNanos() {
            return totalNanos() - (ticker.nanos() - startedNanos);
        }

        void attempt() {
            shown.begun();
            var unused = certificates.ready().whenComplete((ready, failure) -> {
                if (failure == null) {
                    send();
                } else {
                    failed(RpcErrors.fromStatus(failure, ErrorCode.COORDINATOR_UNAVAILABLE, server));
                }
            });
        }

        private void send() {
            if (result.isDone()) {
                return;
            }
            long deadline = Math.max(1, Math.min(tryNanos(), remainingNanos()));
            tryNanos = deadline;
            shown.sent();
            ClientCall<Q, A> call =
                    channel.newCall(method, CallOptions.DEFAULT.withDeadlineAfter(deadline, TimeUnit.NANOSECONDS));
            current = call;
            ClientCalls.asyncUnaryCall(call, request, new StreamObserver<A>() {
                private @Nullable A answer;

                @Override
                public void onNext(A value) {
                    answer = value;
                }

                @Override
                public void onError(Throwable failure) {
                    failed(RpcErrors.fromStatus(failure, ErrorCode.COORDINATOR_UNAVAILABLE, server));
                }

                @Override
                public void onCompleted() {
                    reached = true;
                    waitingReported.set(false);
                    A value = answer;
                    if (value == null) {
                        failed(new CloudMwException(
                                ErrorCode.PROTOCOL_VIOLATION, server + ": the answer has no message (expected: one)"));
                    } else {
                        result.complete(value);
                    }
                }
            });
        }

        private void cancel() {
            ClientCall<Q, A> call = current;
            if (call != null) {
                call.cancel("no longer wanted", null);
            }
        }

        private void failed(CloudMwException failure) {
            if (!reached && isNoCoordinator(failure)) {
                result.completeExceptionally(new CloudMwException(
                        ErrorCode.COORDINATOR_UNAVAILABLE,
                        RetryVerdict.NEVER,
                        server + ": the server there is not a coordinator of this release",
                        failure));
                return;
            }
            if (shown.mayPassOnNewConnection(failure)) {
                channel.enterIdle();
                retry();
                return;
            }
            boolean unreachable = failure.code() == ErrorCode.COORDINATOR_UNAVAILABLE
                    || failure.code() == ErrorCode.DEADLINE_EXCEEDED;
            boolean answered = RpcErrors.isAnswer(failure);
            if (answered) {
                waitingReported.set(false);
            }
            reached |= answered || !unreachable;
            refused = RpcErrors.isRefusedConnection(failure);
            silent = failure.code() == ErrorCode.DEADLINE_EXCEEDED && !answered;
            if (!unreachable && failure.code() != ErrorCode.OVERLOADED) {
                result.completeExceptionally(failure);
                return;
            }
            CloudMwException before = lastReason;
            CloudMwException last = silent && tryNanos < SHORT_NANOS && before != null ? before : failure;
            lastReason = last;
            if (remainingNanos() <= LEAST_NANOS) {
                giveUp(last);
                return;
            }
            try {
                Future<?> unused = timer.schedule(this::retry, delayNanos(failure), TimeUnit.NANOSECONDS);
            } catch (RejectedExecutionException e) {
                result.completeExceptionally(new CloudMwException(ErrorCode.CANCELLED, "the client was closed", e));
            }
        }

        private void giveUp(CloudMwException last) {
            boolean overloaded = last.code() == ErrorCode.OVERLOADED;
            Duration waited = Duration.ofNanos(ticker.nanos() - startedNanos);
            result.completeExceptionally(new CloudMwException(
                    overloaded ? ErrorCode.OVERLOADED : ErrorCode.COORDINATOR_UNAVAILABLE,
                    server + state(!overloaded, RpcErrors.isAnswer(last)) + " for " + seconds(waited) + why(last)
                            + (overloaded ? "" : plainTextHint()),
                    last));
        }

        /** A server under TLS closes connections in plain text without a word. */
        private String plainTextHint() {
            return certificates.tls().isEmpty() && !reached && !refused && !silent
                    ? " (this client speaks plain text: if the cluster is under TLS, leave out --insecure,"
                            + " tls.insecure=true and CLOUDMW_TLS_INSECURE=true)"
                    : "";
        }

        /** At least the retry-after of an overloaded server, as far as time is left. */
        private long delayNanos(CloudMwException failure) {
            long retryAfter = failure.retryAfter().map(Duration::toNanos).orElse(0L);
            long half = remainingNanos() / 2;
            return Math.max(
                    Math.min(retries.nextDelayNanos(ThreadLocalRandom.current()), half), Math.min(retryAfter, half));
        }

        private static String seconds(Duration time) {
            return String.format(Locale.ROOT, "%.1f s", time.toMillis() / 1000.0);
        }

        private static String state(boolean unreachable, boolean answered) {
            if (!unreachable) {
                return " was overloaded";
            }
            return answered ? " was not ready" : " could not be reached";
        }

        /** The message without the peer, with which it begins. */
        private String why(CloudMwException failure) {
            String message = String.valueOf(failure.getMessage());
            return message.startsWith(server) ? message.substring(server.length()) : ": " + message;
        }

        private void retry() {
            if (silent) {
                channel.enterIdle();
            }
            channel.resetConnectBackoff();
            attempt();
        }
    }
}
