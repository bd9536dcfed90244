package io.cloudmw.core.rpc;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.grpc.Context;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/**
 * The frame around every unary method of a service whose work blocks. The work runs on a bounded executor and gives
 * one answer or one error, which is mapped in one place. A defect is the cause of its status, for the server to log.
 * The server needs a direct executor, so that only blocking work waits in that queue. Safe for any thread.
 */
public final class UnaryCalls {
    private final Executor executor;

    /**
     * Makes a frame; work that {@code executor} rejects is answered with {@code OVERLOADED}. The caller closes the
     * executor.
     */
    public UnaryCalls(Executor executor) {
        this.executor = executor;
    }

    /**
     * Runs {@code work}, in the gRPC context of the call, and answers with its result or failure; answers nothing when the caller has
     * cancelled.
     */
    public <A> void answer(StreamObserver<A> observer, Work<A> work) {
        if (observer instanceof ServerCallStreamObserver<A> call) {
            // Without a handler, answering a caller that has cancelled would throw.
            call.setOnCancelHandler(() -> {});
        }
        try {
            executor.execute(Context.current().wrap(() -> run(observer, work)));
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

    /** The work of one method. */
    @FunctionalInterface
    public interface Work<A> {
        A run() throws Exception;
    }
}
