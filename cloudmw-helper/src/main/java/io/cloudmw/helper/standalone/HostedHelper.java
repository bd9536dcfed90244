package io.cloudmw.helper.standalone;

import io.cloudmw.core.config.HostPort;
import io.cloudmw.core.config.Settings;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.security.ClusterSecret;
import io.cloudmw.core.trace.Telemetry;
import io.cloudmw.core.trace.Traces;
import io.cloudmw.helper.HelperServer;
import io.cloudmw.helper.bucket.HelperBuckets;
import io.cloudmw.helper.config.HelperConfig;
import io.cloudmw.helper.disk.DiskOpener;
import io.opentelemetry.api.GlobalOpenTelemetry;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A helper in this JVM, with the settings of a process. Safe for any thread. */
public final class HostedHelper implements AutoCloseable {
    /**
     * Direct memory that a helper needs, in bytes. Each of its two event loops allocates 16 MiB at a time: always once,
     * and twice while many streams send. Blocks in memory are part of that.
     */
    public static final long DIRECT_MEMORY_BYTES = 64 << 20;

    private final HostedParts parts;
    private final HelperServer server;

    private HostedHelper(HostedParts parts, HelperServer server) {
        this.parts = parts;
        this.server = server;
    }

    /**
     * Starts a helper. The helper serves when this returns, and registers in the background.
     *
     * @param settings as in {@code docs/configuration.md}; no other source is read
     * @param replacedDisks ids of disks that replace lost ones
     * @param decorator decorates the disks
     * @throws CloudMwException {@code INVALID_ARGUMENT} for an unknown setting or a bad value; the failure of a part
     *     that cannot be opened. Nothing is left open then
     */
    public static HostedHelper start(
            Map<String, String> settings, List<String> replacedDisks, DiskOpener.Decorator decorator)
            throws CloudMwException {
        Settings given = Settings.of(settings);
        ClusterSecret secret =
                ClusterSecret.readOrCreate(given.path("cluster.secret-file", ClusterSecret.DEFAULT_FILE));
        HelperConfig config = HelperConfig.read(given).replacing(replacedDisks);
        given.finish();
        HostedParts parts = new HostedParts("helper " + config.id(), "helper.http.listen", config.http());
        boolean started = false;
        try {
            HelperConfig.FetchLimits fetch = config.limits().fetch();
            HelperBuckets buckets = parts.with(new HelperBuckets(
                    fetch.threads(),
                    fetch.extraThreads(),
                    fetch.warmConnections(),
                    config.s3Throttle(),
                    parts.meters()));
            Telemetry telemetry = new Telemetry(parts.meters(), Traces.tracer(GlobalOpenTelemetry.getOrNoop()));
            HelperServer server = parts.with(HelperServer.start(config, secret, buckets, decorator, telemetry));
            parts.serve(server::isServing, server::unready);
            started = true;
            return new HostedHelper(parts, server);
        } finally {
            if (!started) {
                parts.close();
            }
        }
    }

    /** The helper itself. Close this instance, not the server. */
    public HelperServer server() {
        return server;
    }

    /** The address of {@code /metrics}, if {@code helper.http.listen} was set. */
    public Optional<HostPort> http() {
        return parts.http();
    }

    /**
     * Waits until the coordinator has accepted this helper for the first time.
     *
     * @return whether it has, within the time
     * @throws CloudMwException the coordinator's reason when it refuses the helper for good; {@code CANCELLED} when the
     *     thread is interrupted, which stays set
     */
    public boolean awaitRegistration(Duration longest) throws CloudMwException {
        String helper = "helper " + server.address().id();
        try {
            server.registered().get(longest.toNanos(), TimeUnit.NANOSECONDS);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CloudMwException(ErrorCode.CANCELLED, helper + ": interrupted while it registered", e);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof CloudMwException refused
                    ? refused
                    : new CloudMwException(ErrorCode.INTERNAL, helper + ": registration failed: " + e.getCause(), e);
        } catch (TimeoutException e) {
            return false;
        }
    }

    /** Waits for the registration; fails with {@code COORDINATOR_UNAVAILABLE} when it takes longer. */
    public void requireRegistration(Duration longest) throws CloudMwException {
        if (!awaitRegistration(longest)) {
            throw new CloudMwException(
                    ErrorCode.COORDINATOR_UNAVAILABLE,
                    "helper " + server.address().id() + " was not registered within " + longest.toSeconds() + " s: "
                            + server.unready().orElse(""));
        }
    }

    /** Stops it as SIGTERM stops a process. Idempotent. */
    @Override
    public synchronized void close() {
        parts.close();
    }
}
