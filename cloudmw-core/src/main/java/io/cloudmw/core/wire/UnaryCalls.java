package io.cloudmw.core.wire;

import io.grpc.stub.StreamObserver;

/** The frame around every unary method of a service: one answer or one error, mapped in one place. */
public final class UnaryCalls {
    private UnaryCalls() {}

    /** Runs {@code work} on the calling thread and answers with what it gives or with how it failed. */
    public static <A> void answer(StreamObserver<A> observer, Work<A> work) {
        A answer;
        try {
            answer = work.run();
        } catch (Exception e) {
            observer.onError(WireErrors.toStatus(e));
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
