package io.cloudmw.client;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The clusters that this process has started, for tests and measurements, with the security that their clients need. A
 * client that connects to one of their addresses without options for its security uses it. Safe for any thread.
 */
public final class StartedClusters {
    private static final Map<String, ClientSecurity> BY_COORDINATOR = new ConcurrentHashMap<>();

    private StartedClusters() {}

    /** A cluster that is known until it is closed. */
    public interface Registration extends AutoCloseable {
        /** Forgets the cluster; clients that are connected stay so. Idempotent. */
        @Override
        void close();
    }

    /**
     * Makes a cluster known.
     *
     * @param coordinator its address, as clients name it
     */
    public static Registration register(String coordinator, ClientSecurity security) {
        BY_COORDINATOR.put(coordinator, security);
        return () -> BY_COORDINATOR.remove(coordinator, security);
    }

    static Optional<ClientSecurity> find(String coordinator) {
        return Optional.ofNullable(BY_COORDINATOR.get(coordinator));
    }
}
