package io.cloudmw.helper.standalone;

import io.cloudmw.coordinator.server.CoordinatorConfig;
import io.cloudmw.coordinator.server.CoordinatorServer;
import io.cloudmw.core.config.HostPort;
import io.cloudmw.core.config.Settings;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.security.ClusterSecret;
import io.cloudmw.helper.HelperServer;
import io.cloudmw.helper.bucket.CoordinatorBuckets;
import io.cloudmw.helper.bucket.HelperBuckets;
import io.cloudmw.helper.config.DirectMemory;
import io.cloudmw.helper.config.HelperConfig;
import io.cloudmw.helper.disk.DiskOpener;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A cluster in one process: a coordinator, and helpers {@code helper-1}, {@code helper-2}… with one disk each,
 * {@code disk-1}, {@code disk-2}…, in one directory. Safe for any thread.
 */
public final class StandaloneCluster implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(StandaloneCluster.class);
    private static final long REGISTRATION_SECONDS = 30;

    private final Deque<AutoCloseable> resources = new ArrayDeque<>();
    private final List<HelperServer> helpers = new ArrayList<>();
    private final HostPort coordinator;

    /**
     * Starts the cluster. The cluster serves, and all helpers are registered, when this returns.
     *
     * @throws CloudMwException when a part cannot be opened; {@code INVALID_ARGUMENT} when the direct memory is too
     *     small for so many helpers. Nothing is left running then
     */
    public static StandaloneCluster start(StandaloneConfig config) throws CloudMwException {
        config.requireFits(DirectMemory.limitBytes());
        return new StandaloneCluster(config);
    }

    private StandaloneCluster(StandaloneConfig given) throws CloudMwException {
        boolean started = false;
        try {
            CoordinatorConfig config = CoordinatorConfig.read(coordinatorSettings(given));
            CoordinatorServer server =
                    with(CoordinatorServer.start(config, with(new CoordinatorBuckets()), new CompositeMeterRegistry()));
            coordinator = server.address();
            ClusterSecret secret = ClusterSecret.readOrCreate(config.secretFile());
            for (int i = 1; i <= given.helpers(); i++) {
                startHelper(given, i, secret);
            }
            for (HelperServer helper : helpers) {
                awaitRegistration(helper);
            }
            started = true;
        } finally {
            if (!started) {
                close();
            }
        }
    }

    private static Settings coordinatorSettings(StandaloneConfig given) {
        return Settings.of(Map.of(
                "coordinator.listen", given.listen().toString(),
                "coordinator.data-dir", given.directory().resolve("coordinator").toString(),
                "cluster.secret-file", given.secretFile().toString()));
    }

    private void startHelper(StandaloneConfig cluster, int i, ClusterSecret secret) throws CloudMwException {
        Path directory = cluster.directory();
        String disk = StandaloneConfig.disk(i);
        SimpleMeterRegistry meters = new SimpleMeterRegistry();
        with(meters::close);
        Map<String, String> given = new HashMap<>();
        given.put("helper.id", "helper-" + i);
        given.put("helper.coordinator", coordinator.toString());
        given.put("helper.spool.dir", directory.resolve("spool-" + i).toString());
        given.put("helper.disk." + disk + ".path", directory.resolve(disk).toString());
        given.put("helper.disk." + disk + ".domain", disk);
        HelperConfig config = HelperConfig.read(Settings.of(given))
                .replacing(cluster.replacedDisks().stream().filter(disk::equals).toList());
        HelperConfig.FetchLimits fetch = config.limits().fetch();
        HelperBuckets buckets = with(new HelperBuckets(
                fetch.threads(), fetch.extraThreads(), fetch.warmConnections(), Optional.empty(), meters));
        helpers.add(with(HelperServer.start(config, secret, buckets, DiskOpener.throttling(), meters)));
    }

    private static void awaitRegistration(HelperServer helper) throws CloudMwException {
        try {
            helper.registered().get(REGISTRATION_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CloudMwException(ErrorCode.CANCELLED, "standalone: interrupted while starting", e);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof CloudMwException refused
                    ? refused
                    : new CloudMwException(
                            ErrorCode.INTERNAL,
                            "helper " + helper.address().id() + ": registration failed: " + e.getCause(),
                            e);
        } catch (TimeoutException e) {
            throw new CloudMwException(
                    ErrorCode.COORDINATOR_UNAVAILABLE,
                    "helper " + helper.address().id() + " was not registered within " + REGISTRATION_SECONDS + " s",
                    e);
        }
    }

    private <T extends AutoCloseable> T with(T resource) {
        resources.push(resource);
        return resource;
    }

    /** The address of the coordinator. */
    public HostPort coordinator() {
        return coordinator;
    }

    public List<HelperServer> helpers() {
        return List.copyOf(helpers);
    }

    /** Stops the cluster, the coordinator last. Idempotent. */
    @Override
    public void close() {
        while (!resources.isEmpty()) {
            try {
                resources.pop().close();
            } catch (Exception e) {
                LOG.warn("standalone: a part could not be closed", e);
            }
        }
    }
}
