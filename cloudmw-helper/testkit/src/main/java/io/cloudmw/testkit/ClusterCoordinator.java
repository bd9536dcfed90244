package io.cloudmw.testkit;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.config.HostPort;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.helper.standalone.HostedCoordinator;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** The coordinator of a cluster under test, which can be stopped and started. Safe for any thread. */
public final class ClusterCoordinator {
    private final ClusterLayout layout;
    private final Path directory;
    private final Relay relay;

    @GuardedBy("this")
    private @Nullable HostedCoordinator running;

    ClusterCoordinator(ClusterLayout layout, Path directory, RelayLoop relays) throws CloudMwException {
        this.layout = layout;
        this.directory = directory;
        this.relay = relays.open();
    }

    HostPort reached() {
        return relay.address();
    }

    /** The address for clients, which stays the same when the coordinator stops and starts. */
    public String address() {
        return relay.address().toString();
    }

    public synchronized boolean isRunning() {
        return running != null;
    }

    /**
     * Starts the coordinator again, with the catalog that it had. Helpers find it by themselves.
     *
     * @throws IllegalStateException when it is running
     * @throws CloudMwException when a part cannot be opened; the coordinator is not running then
     */
    public synchronized void start() throws CloudMwException {
        if (running != null) {
            throw new IllegalStateException("coordinator: it is running already");
        }
        HostedCoordinator started = HostedCoordinator.start(layout.coordinatorSettings(directory));
        running = started;
        relay.to(started.address().port());
    }

    /** Breaks its connections at once, then stops the coordinator. No effect when it is not running. */
    public synchronized void kill() {
        relay.cut();
        end();
    }

    /** Stops the coordinator as SIGTERM does: calls under way end first. No effect when it is not running. */
    public synchronized void stop() {
        end();
        relay.cut();
    }

    private synchronized void end() {
        if (running != null) {
            running.close();
            running = null;
        }
    }

    @Override
    public String toString() {
        return "coordinator at " + address();
    }
}
