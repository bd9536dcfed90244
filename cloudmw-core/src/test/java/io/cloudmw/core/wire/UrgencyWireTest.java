package io.cloudmw.core.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cloudmw.core.bulk.message.BulkWire;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.Priority;
import io.cloudmw.core.model.Urgency;
import io.cloudmw.core.rpc.RpcErrors;
import io.grpc.Metadata;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class UrgencyWireTest {
    private final CloudMwException refusal = CloudMwException.overloaded("no room", Duration.ofMillis(1500));

    @ParameterizedTest
    @EnumSource(Priority.class)
    void classesAreReadAsTheyWereWritten(Priority priority) {
        assertThat(UrgencyWire.priority(UrgencyWire.priority(priority))).isEqualTo(priority);
    }

    @Test
    void unspecifiedAndUnknownPrioritiesAreBatch() {
        assertThat(UrgencyWire.priority(io.cloudmw.proto.v1.Priority.PRIORITY_UNSPECIFIED))
                .isEqualTo(Priority.BATCH);
        assertThat(UrgencyWire.priority(io.cloudmw.proto.v1.Priority.UNRECOGNIZED))
                .isEqualTo(Priority.BATCH);
    }

    @Test
    void deadlinesHaveBounds() throws CloudMwException {
        io.cloudmw.proto.v1.Priority batch = io.cloudmw.proto.v1.Priority.PRIORITY_BATCH;
        Urgency soon = new Urgency(Priority.BATCH, Optional.of(Duration.ofMillis(20)));
        assertThat(UrgencyWire.urgency(batch, UrgencyWire.millis(soon.deadline())))
                .isEqualTo(soon);
        assertThat(UrgencyWire.urgency(batch, UrgencyWire.millis(Optional.empty())))
                .isEqualTo(Urgency.of(Priority.BATCH));
        assertThat(UrgencyWire.millis(Optional.of(Duration.ofNanos(1)))).isEqualTo(1);
        assertThatThrownBy(() -> UrgencyWire.urgency(batch, -1)).hasMessageContaining("deadline: -1 ms");
        assertThatThrownBy(() -> UrgencyWire.urgency(batch, Long.MAX_VALUE)).hasMessageContaining("deadline: ");
    }

    @Test
    void retryAfterCrossesBothPlanes() throws CloudMwException {
        CloudMwException control =
                RpcErrors.fromStatus(RpcErrors.toStatus(refusal), ErrorCode.HELPER_UNAVAILABLE, "helper h");
        CloudMwException bulk = BulkWire.readReset(BulkWire.reset(refusal));

        assertThat(control.code()).isEqualTo(ErrorCode.OVERLOADED);
        assertThat(control.retryAfter()).isEqualTo(refusal.retryAfter());
        assertThat(bulk.code()).isEqualTo(ErrorCode.OVERLOADED);
        assertThat(bulk.retryAfter()).isEqualTo(refusal.retryAfter());
    }

    @Test
    void messagesWithoutRetryAfterHaveNone() throws CloudMwException {
        CloudMwException plain = new CloudMwException(ErrorCode.OVERLOADED, "no room");

        assertThat(BulkWire.readReset(BulkWire.reset(plain)).retryAfter()).isEmpty();
        assertThat(RpcErrors.fromStatus(RpcErrors.toStatus(plain), ErrorCode.HELPER_UNAVAILABLE, "helper h")
                        .retryAfter())
                .isEmpty();
    }

    @Test
    void malformedRetryAfterCountsAsNone() {
        StatusRuntimeException status = RpcErrors.toStatus(refusal);
        Metadata trailers = RpcErrors.trailers(new CloudMwException(ErrorCode.OVERLOADED, "no room"));
        trailers.put(RpcErrors.RETRY_AFTER, "soon");

        assertThat(RpcErrors.fromStatus(
                                status.getStatus().asRuntimeException(trailers),
                                ErrorCode.HELPER_UNAVAILABLE,
                                "helper h")
                        .retryAfter())
                .isEmpty();
    }
}
