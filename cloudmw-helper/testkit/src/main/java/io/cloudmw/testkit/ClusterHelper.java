package io.cloudmw.testkit;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.config.HostPort;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.store.ChunkStore;
import io.cloudmw.helper.HelperServer;
import io.cloudmw.helper.config.DiskConfig;
import io.cloudmw.helper.disk.DiskOpener;
import io.cloudmw.helper.standalone.HostedHelper;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A helper of a cluster under test, which can be killed, stopped and started. Safe for any thread. */
public final class ClusterHelper {
    private static final Duration REGISTRATION = Duration.ofSeconds(30);

    private final int number;
    private final ClusterLayout layout;
    private final Path directory;
    private final int coordinator;
    private final Relay link;
    private final Relay control;
    private final Relay bulk;
    private final ClusterStore store;

    @GuardedBy("this")
    private @Nullable HostedHelper running;

    /** @param coordinator the port of the coordinator */
    ClusterHelper(int number, ClusterLayout layout, Path directory, HostPort coordinator, RelayLoop relays)
            throws CloudMwException {
        this.number = number;
        this.layout = layout;
        this.directory = directory;
        this.coordinator = coordinator.port();
        this.link = relays.open();
        this.control = relays.open();
        this.bulk = relays.open();
        this.store = new ClusterStore(
                new StoreId(ClusterLayout.disk(number)), ClusterLayout.diskDirectory(number, directory));
    }

    /** The name of the helper in its cluster and in receipts. */
    public String id() {
        return ClusterLayout.helper(number);
    }

    /** The disk of this helper. */
    public ClusterStore store() {
        return store;
    }

    public synchronized boolean isRunning() {
        return running != null;
    }

    /**
     * Starts the helper again, at the same addresses, with the disk that it had. The helper is registered when this
     * returns. After {@link #kill}, that takes until the lease of the killed helper has ended
     * ({@code coordinator.helper-ttl}, 8 s here).
     *
     * @throws IllegalStateException when it is running
     * @throws CloudMwException when a part cannot be opened, or when the coordinator is down or refuses the helper;
     *     the helper is not running then
     */
    public void start() throws CloudMwException {
        begin();
        awaitRegistration();
    }

    /** Starts the helper, which registers in the background. */
    synchronized void begin() throws CloudMwException {
        if (running != null) {
            throw new IllegalStateException(id() + ": it is running already");
        }
        link.to(coordinator);
        boolean started = false;
        try {
            HostedHelper helper = HostedHelper.start(
                    layout.helperSettings(number, directory, link.address(), control.address(), bulk.address()),
                    List.of(),
                    new TestedDisks());
            HelperServer.Ports ports = helper.server().ports();
            control.to(ports.control());
            bulk.to(ports.bulk());
            running = helper;
            started = true;
        } finally {
            if (!started) {
                store.closed();
            }
        }
    }

    /** The decorator of the helper's disks; only its own one has faults. */
    private final class TestedDisks implements DiskOpener.Decorator {
        @Override
        public ChunkStore apply(ChunkStore disk, DiskConfig config) {
            return disk.id().equals(store.id()) ? store.opened(disk) : disk;
        }

        /** Clients are on this machine, but reach disks through helpers only, as clients elsewhere do. */
        @Override
        public Path announced(DiskConfig config) {
            return directory.resolve("not-shared").resolve(config.id().value());
        }
    }

    void awaitRegistration() throws CloudMwException {
        HostedHelper helper;
        synchronized (this) {
            helper = running;
        }
        if (helper == null) {
            return;
        }
        boolean registered = false;
        try {
            helper.requireRegistration(REGISTRATION);
            registered = true;
        } finally {
            if (!registered) {
                stop();
            }
        }
    }

    /**
     * Ends the helper as a crash does: its connections break at once and nothing is handed over. The coordinator counts
     * it as live until its lease has ended. No effect when it is not running.
     */
    public synchronized void kill() {
        // The link first: a helper that is killed gives no lease back and reports nothing.
        link.cut();
        control.cut();
        bulk.cut();
        end();
    }

    /** Stops the helper as SIGTERM does: it gives its lease back. No effect when it is not running. */
    public synchronized void stop() {
        end();
        link.cut();
        control.cut();
        bulk.cut();
    }

    private synchronized void end() {
        if (running != null) {
            running.close();
            running = null;
            store.closed();
        }
    }

    @Override
    public String toString() {
        return id();
    }
}
