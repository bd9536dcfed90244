package io.cloudmw.core.trace;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.TextMapGetter;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The identity of a span in messages to other processes: the value of {@code traceparent} of the W3C's recommendation
 * "Trace Context". Immutable.
 */
public record TraceParent(String value) {
    private static final String FIELD = "traceparent";
    private static final W3CTraceContextPropagator FORMAT = W3CTraceContextPropagator.getInstance();

    private static final TextMapGetter<Map<String, String>> GETTER = new TextMapGetter<>() {
        @Override
        public @Nullable String get(@Nullable Map<String, String> carrier, String key) {
            return carrier == null ? null : carrier.get(key);
        }
    };

    /** @throws IllegalArgumentException when the value names no span */
    public TraceParent {
        if (!span(value).isValid()) {
            throw new IllegalArgumentException("trace_parent: \"" + printable(value) + "\" (expected: a traceparent)");
        }
    }

    private static String printable(String value) {
        return value.substring(0, Math.min(64, value.length())).replaceAll("[^ -~]", "?");
    }

    /** The span's identity; empty when the span is not recorded, so that other processes need not know it. */
    public static Optional<TraceParent> of(Span span) {
        SpanContext context = span.getSpanContext();
        if (!context.isValid() || !context.isSampled()) {
            return Optional.empty();
        }
        Map<String, String> fields = new HashMap<>();
        FORMAT.inject(Context.root().with(span), fields, (carrier, key, value) -> {
            if (carrier != null) {
                carrier.put(key, value);
            }
        });
        return Optional.ofNullable(fields.get(FIELD)).map(TraceParent::new);
    }

    /** A context in which that span is the parent of new ones. */
    public Context context() {
        return extracted(value);
    }

    private static SpanContext span(String value) {
        return Span.fromContext(extracted(value)).getSpanContext();
    }

    private static Context extracted(String value) {
        return FORMAT.extract(Context.root(), Map.of(FIELD, value), GETTER);
    }
}
