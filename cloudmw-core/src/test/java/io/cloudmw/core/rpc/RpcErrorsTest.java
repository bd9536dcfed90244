package io.cloudmw.core.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.nio.channels.ClosedChannelException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class RpcErrorsTest {
    @ParameterizedTest
    @EnumSource(ErrorCode.class)
    void everyCodeTravelsAndArrivesAsItself(ErrorCode code) {
        StatusRuntimeException sent = RpcErrors.toStatus(new CloudMwException(code, "volume=v path=/ü chunk=3"));
        assertThat(sent.getStatus().getCode().name()).isEqualTo(code.grpcStatus());

        CloudMwException received = received(sent);
        assertThat(received.code()).isEqualTo(code);
        assertThat(received.verdict()).isEqualTo(code.verdict());
        assertThat(received).hasMessage("volume=v path=/ü chunk=3");
    }

    @Test
    void aServerThatCannotBeReachedIsNamed() {
        CloudMwException failure =
                received(Status.UNAVAILABLE.withDescription("refused").asRuntimeException());
        assertThat(failure.code()).isEqualTo(ErrorCode.COORDINATOR_UNAVAILABLE);
        assertThat(failure).hasMessage("coordinator: refused");
    }

    @Test
    void aServerWhoseConnectionClosedUnderTheCallIsUnreachable() {
        CloudMwException failure = received(Status.UNKNOWN
                .withDescription("channel closed")
                .withCause(new ClosedChannelException())
                .asRuntimeException());
        assertThat(failure.code()).isEqualTo(ErrorCode.COORDINATOR_UNAVAILABLE);
        assertThat(received(Status.UNKNOWN.withDescription("a defect").asRuntimeException())
                        .code())
                .isEqualTo(ErrorCode.INTERNAL);
    }

    @Test
    void aDefectTellsTheCallerItsTypeOnly() {
        CloudMwException failure = received(RpcErrors.toStatus(new IllegalStateException("secret detail")));
        assertThat(failure.code()).isEqualTo(ErrorCode.INTERNAL);
        assertThat(failure).hasMessageContaining("IllegalStateException").hasMessageNotContaining("secret");
    }

    /** In a header gRPC writes each byte that is no printable ASCII as three. */
    @Test
    void messageThatIsNoAsciiFitsAHeaderToo() {
        for (String character : new String[] {"\u00e9", "\u20ac", "\ud83d\ude00", "\n", "%"}) {
            String text = RpcErrors.toStatus(
                            new CloudMwException(ErrorCode.INVALID_ARGUMENT, "x" + character.repeat(5000)))
                    .getStatus()
                    .getDescription();
            assertThat(text).isNotNull();
            int bytes = 1 + 3 * (text.getBytes(StandardCharsets.UTF_8).length - 1);
            assertThat(bytes).as(character).isBetween(3980, 4000);
            assertThat(text).as("ends with a whole character").endsWith(character);
        }
    }

    @Test
    void anUnknownCodeFallsBackToTheStatus() {
        Metadata trailers = new Metadata();
        trailers.put(RpcErrors.ERROR, "FROM_THE_FUTURE");
        CloudMwException failure = received(Status.ABORTED.asRuntimeException(trailers));
        assertThat(failure.code()).isEqualTo(ErrorCode.CONFLICT);
    }

    @ParameterizedTest
    @EnumSource(Status.Code.class)
    void everyStatusGivesSomeCode(Status.Code code) {
        assertThat(received(Status.fromCode(code).asRuntimeException()).code()).isNotNull();
    }

    @Test
    void answersOfServersDifferFromCallsThatDidNotReachThem() {
        CloudMwException said =
                received(RpcErrors.toStatus(new CloudMwException(ErrorCode.COORDINATOR_UNAVAILABLE, "just started")));
        assertThat(RpcErrors.isAnswer(said)).isTrue();
        assertThat(RpcErrors.isAnswer(received(Status.UNAVAILABLE.asRuntimeException())))
                .isFalse();
        assertThat(RpcErrors.isAnswer(new CloudMwException(ErrorCode.CANCELLED, "here")))
                .isFalse();
    }

    @Test
    void aLongMessageIsCut() {
        StatusRuntimeException sent =
                RpcErrors.toStatus(new CloudMwException(ErrorCode.INVALID_ARGUMENT, "x".repeat(100_000)));
        assertThat(sent.getStatus().getDescription()).hasSize(4000);
    }

    @Test
    void reasonOfAnUnreachablePeerIsKept() {
        Throwable refused = new java.io.IOException("wrapped", new java.net.ConnectException("Connection refused"));
        assertThat(received(io.grpc.Status.UNAVAILABLE
                        .withDescription("io exception")
                        .withCause(refused)
                        .asRuntimeException()))
                .hasMessage("coordinator: connection refused");
    }

    @Test
    void failureWrappedByAFutureIsUnwrapped() {
        Throwable wrapped = new CompletionException(new ExecutionException(Status.ABORTED.asRuntimeException()));
        assertThat(received(wrapped).code()).isEqualTo(ErrorCode.CONFLICT);
    }

    private static CloudMwException received(Throwable failure) {
        return RpcErrors.fromStatus(failure, ErrorCode.COORDINATOR_UNAVAILABLE, "coordinator");
    }
}
