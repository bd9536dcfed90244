package io.cloudmw.core.trace;

import io.micrometer.core.instrument.MeterRegistry;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.trace.Tracer;

/**
 * The receivers of what a process reports about itself. Safe for any thread; the process's owner closes both.
 *
 * @param meters registry of its meters
 * @param tracer receiver of its spans
 */
public record Telemetry(MeterRegistry meters, Tracer tracer) {
    /** Meters without spans. */
    public static Telemetry of(MeterRegistry meters) {
        return new Telemetry(meters, Traces.tracer(OpenTelemetry.noop()));
    }
}
