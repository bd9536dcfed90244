package io.cloudmw.client.context;

import io.cloudmw.client.peer.PeerOptions;
import io.cloudmw.client.peer.server.LocalPeer;
import io.cloudmw.client.rpc.coordinator.CoordinatorClient;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.fleet.Location;
import io.cloudmw.core.time.Ticker;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The chunk server of a client that serves others; absent until the client starts it. Safe for any thread. */
public final class PeerServing implements AutoCloseable {
    private final CoordinatorClient coordinator;
    private final ClientThreads threads;
    private final Ticker ticker;
    private volatile @Nullable LocalPeer node;
    private volatile boolean closed;

    PeerServing(CoordinatorClient coordinator, ClientThreads threads, Ticker ticker) {
        this.coordinator = coordinator;
        this.threads = threads;
        this.ticker = ticker;
    }

    /**
     * Starts the server: from now on the client keeps and serves chunks of volumes that allow it.
     *
     * @param location this client's location
     * @throws CloudMwException {@code LOCAL_IO} when the address cannot be bound, or the directory for chunks cannot be
     *     used
     */
    public synchronized LocalPeer start(Location location, PeerOptions options) throws CloudMwException {
        if (closed) {
            throw Failures.clientClosed();
        }
        LocalPeer started = node;
        if (started != null) {
            throw new IllegalStateException("peers are served already, at " + started.address());
        }
        started = LocalPeer.start(coordinator, location, threads.timer(), threads.files(), ticker, options);
        node = started;
        return started;
    }

    /** The server; empty when this client serves nobody. */
    public Optional<LocalPeer> node() {
        return Optional.ofNullable(node);
    }

    /** Refuses to start a server from now on. Idempotent. */
    public void refuse() {
        closed = true;
    }

    /** Stops the server if there is one. Idempotent. */
    @Override
    public void close() {
        closed = true;
        node().ifPresent(LocalPeer::close);
    }
}
