package io.cloudmw.client.context;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import java.util.List;
import java.util.Optional;

/**
 * The meters of one client, reported in the application's registry too when there is one. The application keeps and
 * closes its registry. Safe for any thread.
 */
public final class ClientMeters implements AutoCloseable {
    private final CompositeMeterRegistry registry = new CompositeMeterRegistry();
    private final Optional<MeterRegistry> application;

    /** @param application the registry of the application; empty: nothing is reported */
    public ClientMeters(Optional<MeterRegistry> application) {
        this.application = application;
        application.ifPresent(registry::add);
    }

    /** The registry for the meters of the client. */
    public MeterRegistry registry() {
        return registry;
    }

    /** Removes the meters of the client from the application's registry. Idempotent. */
    @Override
    public void close() {
        for (Meter meter : List.copyOf(registry.getMeters())) {
            registry.remove(meter);
        }
        application.ifPresent(registry::remove);
    }
}
