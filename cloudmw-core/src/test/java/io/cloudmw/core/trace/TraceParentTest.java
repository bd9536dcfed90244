package io.cloudmw.core.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TraceParentTest {
    private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";
    private static final String SPAN = "b7ad6b7169203331";

    private static Span span(TraceFlags flags) {
        return Span.wrap(SpanContext.create(TRACE, SPAN, flags, TraceState.getDefault()));
    }

    @Test
    void sampledSpanTravelsAsTheTraceContextSays() {
        TraceParent parent = TraceParent.of(span(TraceFlags.getSampled())).orElseThrow();
        assertThat(parent.value()).isEqualTo("00-" + TRACE + "-" + SPAN + "-01");

        SpanContext there = Span.fromContext(parent.context()).getSpanContext();
        assertThat(there.getTraceId()).isEqualTo(TRACE);
        assertThat(there.getSpanId()).isEqualTo(SPAN);
        assertThat(there.isSampled()).isTrue();
        assertThat(there.isRemote()).isTrue();
    }

    @Test
    void otherProcessesAreNotToldOfSpansThatNobodyRecords() {
        assertThat(TraceParent.of(span(TraceFlags.getDefault()))).isEmpty();
        assertThat(TraceParent.of(Span.getInvalid())).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "x", "00-" + TRACE + "-0000000000000000-01", "00-" + TRACE + "-" + SPAN + "-0\n"})
    void valueThatNamesNoSpanIsRefused(String value) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new TraceParent(value))
                .withMessageContaining("(expected: a traceparent)")
                .satisfies(refusal -> assertThat(refusal.getMessage()).doesNotContain("\n"));
    }
}
