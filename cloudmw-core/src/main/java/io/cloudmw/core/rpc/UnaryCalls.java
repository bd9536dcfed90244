package io.cloudmw.core.rpc;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/**
 * The frame around every unary method of a service whose work blocks: it runs on a bounded executor, gives one answer or
 * one error, and failures are mapped in one place; a defect is the cause of its status, for the server to log. Belongs on a server with a direct executor, so that nothing else
 * waits in that executor's queue. Safe for any thread.
 */
public final class UnaryCalls {
    private final Executor executor;

    /** What is rejected by {@code executor} is answered with {@code OVERLOADED}; it stays the caller's to close. */
    public UnaryCalls(Executor executor) {
        this.executor = executor;
    }

    /** Runs {@code work} and answers with what it gives or with how it failed; not at all if the caller has gone. */
    public <A> void answer(StreamObserver<A> observer, Work<A> work) {
        if (observer instanceof ServerCallStreamObserver<A> call) {
            // Without a handler, answering a caller that has gone would throw.
            call.setOnCancelHandler(() -> {});
        }
        try {
            executor.execute(() -> run(observer, work));
        } catch (RejectedExecutionException | OutOfMemoryError e) {
            observer.onError(RpcErrors.toStatus(
                    new CloudMwException(ErrorCode.OVERLOADED, "too many calls wait to be answered", e)));
        }
    }

    private static <A> void run(StreamObserver<A> observer, Work<A> work) {
        if (observer instanceof ServerCallStreamObserver<A> call && call.isCancelled()) {
            return;
        }
        A answer;
        try {
            answer = work.run();
        } catch (Exception | Error e) {
            observer.onError(RpcErrors.toStatusUnlogged(e));
            return;
        }
        observer.onNext(answer);
        observer.onCompleted();
    }

    /** One method's work. */
    @FunctionalInterface
    public interface Work<A> {
        A run() throws Exception;
    }
}
