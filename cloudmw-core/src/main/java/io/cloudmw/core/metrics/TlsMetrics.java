package io.cloudmw.core.metrics;

import io.cloudmw.core.time.WallClock;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.OptionalLong;
import java.util.function.Supplier;

/** The meters of a process's certificates. Safe for any thread. */
public final class TlsMetrics {
    /** The time until the process's own certificate ends; negative: it has ended. */
    public static final String CERTIFICATE = "cloudmw.tls.certificate.left";

    /** The time until the first of the trusted authorities ends; negative: it has ended. */
    public static final String AUTHORITY = "cloudmw.tls.authority.left";

    private static final String SECONDS = "seconds";

    private TlsMetrics() {}

    /**
     * Registers the meters.
     *
     * @param certificateEnd when the own certificate ends, in milliseconds since 1970; empty: there is none
     * @param authorityEnd when the first authority ends; empty: there is none
     */
    public static void watch(
            MeterRegistry meters,
            Supplier<OptionalLong> certificateEnd,
            Supplier<OptionalLong> authorityEnd,
            WallClock clock) {
        Gauge unused = left(CERTIFICATE, certificateEnd, clock).register(meters);
        unused = left(AUTHORITY, authorityEnd, clock).register(meters);
    }

    private static Gauge.Builder<Supplier<Number>> left(String name, Supplier<OptionalLong> end, WallClock clock) {
        Supplier<Number> seconds = () -> {
            OptionalLong millis = end.get();
            return millis.isEmpty() ? Double.NaN : (millis.getAsLong() - clock.millis()) / 1000.0;
        };
        return Gauge.builder(name, seconds).baseUnit(SECONDS);
    }
}
