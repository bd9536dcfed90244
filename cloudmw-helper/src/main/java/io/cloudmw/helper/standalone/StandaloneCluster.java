package io.cloudmw.helper.standalone;

import io.cloudmw.core.config.HostPort;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.Reasons;
import io.cloudmw.helper.HelperServer;
import io.cloudmw.helper.config.DirectMemory;
import io.cloudmw.helper.disk.DiskOpener;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A cluster in one process: a coordinator, and helpers {@code helper-1}, {@code helper-2}… with one disk each,
 * {@code disk-1}, {@code disk-2}…, in one directory. Safe for any thread.
 */
public final class StandaloneCluster implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(StandaloneCluster.class);
    private static final Duration REGISTRATION = Duration.ofSeconds(30);

    private final Deque<AutoCloseable> resources = new ArrayDeque<>();
    private final List<HostedHelper> helpers = new ArrayList<>();
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
            createDirectory(given.directory());
            coordinator =
                    with(HostedCoordinator.start(coordinatorSettings(given))).address();
            for (int i = 1; i <= given.helpers(); i++) {
                helpers.add(with(startHelper(given, i)));
            }
            for (HostedHelper helper : helpers) {
                helper.requireRegistration(REGISTRATION);
            }
            started = true;
        } finally {
            if (!started) {
                close();
            }
        }
    }

    /** Creates the cluster's directory with all above it; a coordinator's and the helpers' parts are below. */
    private static void createDirectory(Path directory) throws CloudMwException {
        try {
            Files.createDirectories(directory);
        } catch (IOException e) {
            throw new CloudMwException(
                    ErrorCode.LOCAL_IO,
                    "directory of the cluster " + directory + ": cannot be created: " + Reasons.of(e),
                    e);
        }
    }

    private static Map<String, String> coordinatorSettings(StandaloneConfig given) {
        Map<String, String> settings = new HashMap<>(given.tls().coordinator());
        settings.put("coordinator.listen", given.listen().toString());
        settings.put(
                "coordinator.data-dir", given.directory().resolve("coordinator").toString());
        settings.put("cluster.secret-file", given.secretFile().toString());
        return settings;
    }

    private HostedHelper startHelper(StandaloneConfig cluster, int i) throws CloudMwException {
        Path directory = cluster.directory();
        String disk = StandaloneConfig.disk(i);
        Map<String, String> given = new HashMap<>(cluster.tls().helper());
        given.put("cluster.secret-file", cluster.secretFile().toString());
        given.put("helper.id", "helper-" + i);
        given.put("helper.coordinator", coordinator.toString());
        given.put("helper.spool.dir", directory.resolve("spool-" + i).toString());
        given.put("helper.disk." + disk + ".path", directory.resolve(disk).toString());
        given.put("helper.disk." + disk + ".domain", disk);
        List<String> replaced =
                cluster.replacedDisks().stream().filter(disk::equals).toList();
        return HostedHelper.start(given, replaced, DiskOpener.throttling());
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
        return helpers.stream().map(HostedHelper::server).toList();
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
