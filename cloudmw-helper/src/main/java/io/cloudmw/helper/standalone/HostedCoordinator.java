package io.cloudmw.helper.standalone;

import io.cloudmw.coordinator.server.CoordinatorConfig;
import io.cloudmw.coordinator.server.CoordinatorServer;
import io.cloudmw.core.config.HostPort;
import io.cloudmw.core.config.Settings;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.helper.bucket.CoordinatorBuckets;
import io.cloudmw.helper.page.PageAccessCheck;
import io.cloudmw.helper.page.WebPage;
import java.util.Map;
import java.util.Optional;

/** A coordinator in this JVM, with the settings of a process. Safe for any thread. */
public final class HostedCoordinator implements AutoCloseable {
    private final HostedParts parts;
    private final CoordinatorServer server;

    private HostedCoordinator(HostedParts parts, CoordinatorServer server) {
        this.parts = parts;
        this.server = server;
    }

    /**
     * Starts a coordinator, which serves when this returns.
     *
     * @param settings as in {@code docs/configuration.md}; no other source is read
     * @throws CloudMwException {@code INVALID_ARGUMENT} for an unknown setting or a bad value; the failure of a part
     *     that cannot be opened. Nothing is left open then
     */
    public static HostedCoordinator start(Map<String, String> settings) throws CloudMwException {
        Settings given = Settings.of(settings);
        CoordinatorConfig config = CoordinatorConfig.read(given);
        given.finish();
        PageAccessCheck.Settings access = PageAccessCheck.read(config.httpToken());
        HostedParts parts = new HostedParts("coordinator", "coordinator.http.listen", config.http());
        boolean started = false;
        try {
            CoordinatorBuckets buckets = parts.with(new CoordinatorBuckets());
            CoordinatorServer server = parts.with(CoordinatorServer.start(config, buckets, parts.meters()));
            if (config.http().isPresent()) {
                parts.handleOthers(
                        parts.with(WebPage.of(access.at(config.http().get(), server.logins()), server.page())));
            }
            parts.serve(server::isServing, server::unready);
            started = true;
            return new HostedCoordinator(parts, server);
        } finally {
            if (!started) {
                parts.close();
            }
        }
    }

    /** The address on which it serves. */
    public HostPort address() {
        return server.address();
    }

    /** The address of {@code /metrics} and of the web page, if {@code coordinator.http.listen} was set. */
    public Optional<HostPort> http() {
        return parts.http();
    }

    /** Stops it as SIGTERM stops a process. Idempotent. */
    @Override
    public synchronized void close() {
        parts.close();
    }
}
