package io.cloudmw.core.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.grpc.stub.StreamObserver;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

final class UnaryCallsTest {
    private final List<String> seen = new ArrayList<>();
    private final StreamObserver<String> observer = new StreamObserver<>() {
        @Override
        public void onNext(String value) {
            seen.add(value);
        }

        @Override
        public void onError(Throwable failure) {
            seen.add(RpcErrors.fromStatus(failure, ErrorCode.COORDINATOR_UNAVAILABLE, "x")
                    .code()
                    .name());
        }

        @Override
        public void onCompleted() {
            seen.add("completed");
        }
    };

    @Test
    void callsGetASingleAnswerAndTheEnd() {
        new UnaryCalls(Runnable::run).answer(observer, () -> "answer");
        assertThat(seen).containsExactly("answer", "completed");
    }

    @Test
    void failedCallsGetASingleErrorAndNothingElse() {
        new UnaryCalls(Runnable::run).answer(observer, () -> {
            throw new CloudMwException(ErrorCode.CONFLICT, "changed");
        });
        assertThat(seen).containsExactly("CONFLICT");
    }

    @Test
    void callThatThrowsAnErrorIsAnsweredWithInternal() {
        new UnaryCalls(Runnable::run).answer(observer, () -> {
            throw new OutOfMemoryError("on purpose");
        });
        assertThat(seen).containsExactly("INTERNAL");
    }

    @Test
    void aThreadThatCannotBeStartedIsOverload() {
        new UnaryCalls(task -> {
                    throw new OutOfMemoryError("on purpose");
                })
                .answer(observer, () -> "never");
        assertThat(seen).containsExactly("OVERLOADED");
    }

    @Test
    void aFullExecutorIsOverload() {
        new UnaryCalls(task -> {
                    throw new RejectedExecutionException("full");
                })
                .answer(observer, () -> "never");
        assertThat(seen).containsExactly("OVERLOADED");
    }
}
