package io.cloudmw.helper.peer;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.bulk.BulkConnection;
import io.cloudmw.core.bulk.BulkConnector;
import io.cloudmw.core.bulk.BulkHandler;
import io.cloudmw.core.config.HostPort;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.HelperAddress;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** One bulk connection to each peer helper, made when it is first needed. Safe for any thread. */
public final class PeerConnections implements AutoCloseable {
    private static final long CONNECT_SECONDS = 15;

    /** Peers open nothing on connections that this helper made. */
    private static final BulkHandler REFUSING = (stream, request) -> {
        throw new CloudMwException(ErrorCode.PROTOCOL_VIOLATION, "nothing is served on this connection");
    };

    private final BulkConnector connector;
    private final int limit;
    private final Object lock = new Object();

    @GuardedBy("lock")
    private final Map<String, CompletableFuture<BulkConnection>> connections = new HashMap<>();

    @GuardedBy("lock")
    private boolean closed;

    /**
     * Connects to nobody yet.
     *
     * @param limit peers connected to at once
     */
    public PeerConnections(BulkConnector connector, int limit) {
        this.connector = connector;
        this.limit = limit;
    }

    /**
     * The connection to a peer. Blocks while it is being made.
     *
     * @throws CloudMwException {@code STORE_UNAVAILABLE} when the peer cannot be reached; {@code OVERLOADED} when
     *     there are too many; {@code CANCELLED} when interrupted
     */
    public BulkConnection to(HelperAddress peer) throws CloudMwException {
        CompletableFuture<BulkConnection> connection = find(peer.bulk());
        try {
            return connection.get(CONNECT_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CloudMwException(ErrorCode.CANCELLED, "interrupted while connecting to helper " + peer.id(), e);
        } catch (ExecutionException | TimeoutException e) {
            forget(peer.bulk(), connection);
            Throwable cause = e.getCause() == null ? e : e.getCause();
            throw new CloudMwException(
                    ErrorCode.STORE_UNAVAILABLE,
                    "helper " + peer.id() + " at " + peer.bulk() + ": cannot connect: " + cause.getMessage(),
                    cause);
        }
    }

    private CompletableFuture<BulkConnection> find(String address) throws CloudMwException {
        CompletableFuture<BulkConnection> made;
        synchronized (lock) {
            if (closed) {
                throw new CloudMwException(ErrorCode.CANCELLED, "the helper is closing");
            }
            @Nullable CompletableFuture<BulkConnection> existing = connections.get(address);
            if (existing != null) {
                return existing;
            }
            if (connections.size() >= limit) {
                throw new CloudMwException(ErrorCode.OVERLOADED, "peers: " + limit + " connections are open already");
            }
            made = connector.connect(socketAddress(address), REFUSING);
            connections.put(address, made);
        }
        var unused = made.thenCompose(BulkConnection::closed).whenComplete((nothing, error) -> forget(address, made));
        return made;
    }

    private static InetSocketAddress socketAddress(String address) throws CloudMwException {
        try {
            HostPort parsed = HostPort.parse(address);
            return InetSocketAddress.createUnresolved(parsed.host(), parsed.port());
        } catch (IllegalArgumentException e) {
            throw new CloudMwException(ErrorCode.INVALID_ARGUMENT, String.valueOf(e.getMessage()), e);
        }
    }

    private void forget(String address, CompletableFuture<BulkConnection> connection) {
        synchronized (lock) {
            connections.remove(address, connection);
        }
    }

    /** Closes all of them. Idempotent. */
    @Override
    public void close() {
        List<CompletableFuture<BulkConnection>> all;
        synchronized (lock) {
            closed = true;
            all = List.copyOf(connections.values());
        }
        for (CompletableFuture<BulkConnection> connection : all) {
            var unused = connection.thenAccept(BulkConnection::close);
        }
    }
}
