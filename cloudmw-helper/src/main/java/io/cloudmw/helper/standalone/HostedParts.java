package io.cloudmw.helper.standalone;

import com.sun.net.httpserver.HttpHandler;
import io.cloudmw.core.config.HostPort;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.helper.http.HttpEndpoint;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The parts of a hosted server: its meters, its HTTP endpoint and everything else that it opened. Confined to one
 * thread at a time.
 */
final class HostedParts implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(HostedParts.class);

    private final String owner;
    private final Deque<AutoCloseable> opened = new ArrayDeque<>();
    private final @Nullable PrometheusMeterRegistry scraped;
    private final MeterRegistry meters;
    private final @Nullable HttpEndpoint endpoint;

    /**
     * Binds the HTTP endpoint, if there is one.
     *
     * @param owner the server, for messages
     * @param setting the setting that holds the address, for messages
     */
    HostedParts(String owner, String setting, Optional<HostPort> http) throws CloudMwException {
        this.owner = owner;
        this.scraped = http.isPresent() ? new PrometheusMeterRegistry(PrometheusConfig.DEFAULT) : null;
        this.meters = scraped == null ? new SimpleMeterRegistry() : scraped;
        opened.push(meters::close);
        this.endpoint = http.isPresent() ? with(new HttpEndpoint(setting, http.get())) : null;
    }

    /** Takes over a part, which is closed before those taken over earlier. */
    <T extends AutoCloseable> T with(T part) {
        opened.push(part);
        return part;
    }

    MeterRegistry meters() {
        return meters;
    }

    /** Adds a handler of all paths that are not those of metrics and health; called before {@link #serve}. */
    void handleOthers(HttpHandler others) {
        if (endpoint != null) {
            endpoint.handleOthers(others);
        }
    }

    /** Begins to answer HTTP requests, if there is an endpoint. */
    void serve(BooleanSupplier healthy, Supplier<Optional<String>> unready) {
        if (endpoint != null && scraped != null) {
            endpoint.serve(scraped, healthy, unready);
        }
    }

    /** The address of the HTTP endpoint. */
    Optional<HostPort> http() {
        return Optional.ofNullable(endpoint).map(HttpEndpoint::address);
    }

    /** Closes every part; failures are logged. Idempotent. */
    @Override
    public void close() {
        while (!opened.isEmpty()) {
            try {
                opened.pop().close();
            } catch (Exception e) {
                LOG.warn("{}: a part could not be closed", owner, e);
            }
        }
    }
}
