package io.cloudmw.helper.remote;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.bulk.BulkConnection;
import io.cloudmw.core.bulk.BulkConnector;
import io.cloudmw.core.bulk.BulkHandler;
import io.cloudmw.core.config.HostPort;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.Reasons;
import io.cloudmw.core.error.RetryVerdict;
import io.cloudmw.core.model.HelperAddress;
import io.cloudmw.core.time.Ticker;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * One bulk connection to each peer helper, made when it is first needed and kept for the next time; beyond a limit the
 * one that has been idle for longest is closed. Safe for any thread.
 */
public final class HelperConnections implements AutoCloseable {
    private static final long CONNECT_SECONDS = 15;

    /** Connections come and go; who refused one said no more than that there were too many just then. */
    private static final Duration ROOM_AGAIN = Duration.ofMillis(200);

    /** Peers open nothing on connections that this helper made. */
    private static final BulkHandler REFUSING = (stream, request) -> {
        throw new CloudMwException(ErrorCode.PROTOCOL_VIOLATION, "nothing is served on this connection");
    };

    private static final class Entry {
        final CompletableFuture<BulkConnection> connection;
        int users;
        /** Written before the connection is there, or is known not to come. */
        private volatile long endedNanos;

        Entry(CompletableFuture<BulkConnection> connecting, Ticker ticker) {
            connection = connecting.whenComplete((made, failure) -> endedNanos = ticker.nanos());
        }

        boolean isFailed() {
            return connection.isCompletedExceptionally();
        }

        /** Why it {@link #isFailed}. */
        Throwable failure() {
            return Reasons.unwrapped(connection.handle((made, cause) -> cause).join());
        }

        /** Whether it could not be made, so long ago that the peer may be back, or may have room. */
        boolean isPast(Ticker ticker, long awayNanos) {
            return isFailed() && ticker.nanos() - endedNanos >= pauseNanos(awayNanos);
        }

        /** A peer that had no room for a connection is not away. */
        private long pauseNanos(long awayNanos) {
            return failure() instanceof CloudMwException known && known.code() == ErrorCode.OVERLOADED
                    ? known.retryAfter().orElse(ROOM_AGAIN).toNanos()
                    : awayNanos;
        }
    }

    private final BulkConnector connector;
    private final int limit;
    private final Ticker ticker;
    private final long awayNanos;
    private final Object lock = new Object();

    @GuardedBy("lock")
    private final Map<String, Entry> entries = new LinkedHashMap<>(16, 0.75f, true);

    @GuardedBy("lock")
    private boolean closed;

    /**
     * Connects to nobody yet.
     *
     * @param limit peers connected to at once
     * @param away for so long a peer that could not be reached is not tried again: who asks for it meanwhile hears so at once. One that
     *     had no room for a connection is tried as soon as it said, or soon
     */
    public HelperConnections(BulkConnector connector, int limit, Ticker ticker, Duration away) {
        this.connector = connector;
        this.limit = limit;
        this.ticker = ticker;
        this.awayNanos = away.toNanos();
    }

    /** A connection in use: it is not closed for being idle. */
    public static final class Lease implements AutoCloseable {
        private final BulkConnection connection;
        private final Runnable release;
        private final AtomicBoolean released = new AtomicBoolean();

        /** @param release run once when it is closed */
        public Lease(BulkConnection connection, Runnable release) {
            this.connection = connection;
            this.release = release;
        }

        public BulkConnection connection() {
            return connection;
        }

        /** The connection stays open for others. Idempotent. */
        @Override
        public void close() {
            if (released.compareAndSet(false, true)) {
                release.run();
            }
        }
    }

    /**
     * Says so at once when it is known that a peer cannot be reached: it could not a moment ago.
     *
     * @throws CloudMwException as {@link #to}
     */
    public void check(HelperAddress peer) throws CloudMwException {
        Entry known;
        synchronized (lock) {
            known = entries.get(peer.bulk());
        }
        if (known != null && known.isFailed() && !known.isPast(ticker, awayNanos)) {
            throw unreachable(peer, known.failure());
        }
    }

    /**
     * The connection to a peer. Blocks while it is being made.
     *
     * @throws CloudMwException {@code STORE_UNAVAILABLE}, to be tried again after a refresh of what is known, when the peer
     *     cannot be reached; {@code OVERLOADED} when too many are in use; {@code CANCELLED} when interrupted
     */
    public Lease to(HelperAddress peer) throws CloudMwException {
        CompletableFuture<Lease> lease = lease(peer);
        try {
            return lease.get(CONNECT_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            giveUp(lease);
            throw new CloudMwException(ErrorCode.CANCELLED, "interrupted while connecting to helper " + peer.id(), e);
        } catch (ExecutionException | TimeoutException e) {
            giveUp(lease);
            throw unreachable(peer, e.getCause() == null ? e : e.getCause());
        }
    }

    private static CloudMwException unreachable(HelperAddress peer, Throwable cause) {
        return new CloudMwException(
                ErrorCode.STORE_UNAVAILABLE,
                RetryVerdict.AFTER_REFRESH,
                "helper " + peer.id() + " at " + peer.bulk() + ": cannot connect: " + cause.getMessage(),
                cause);
    }

    /** Should it come after all, the next finds it made. */
    private static void giveUp(CompletableFuture<Lease> lease) {
        var unused = lease.thenAccept(Lease::close);
    }

    /**
     * The same, without blocking.
     *
     * @return completes on an event loop, or here; fails as the connector does; who does not want it any more closes it when it
     *     comes
     * @throws CloudMwException {@code OVERLOADED} when too many are in use; {@code CANCELLED} when this is closed
     */
    public CompletableFuture<Lease> lease(HelperAddress peer) throws CloudMwException {
        Entry entry = use(peer.bulk());
        return entry.connection.handle((connection, failure) -> {
            if (connection == null) {
                release(entry);
                throw failure instanceof CompletionException known ? known : new CompletionException(failure);
            }
            return new Lease(connection, () -> release(entry));
        });
    }

    /** The entry for an address, with one user more. */
    private Entry use(String address) throws CloudMwException {
        InetSocketAddress target = socketAddress(address);
        Entry made;
        @Nullable Entry surplus = null;
        synchronized (lock) {
            if (closed) {
                throw new CloudMwException(ErrorCode.CANCELLED, "the helper is closing");
            }
            @Nullable Entry existing = entries.get(address);
            if (existing != null && !existing.isPast(ticker, awayNanos)) {
                existing.users++;
                return existing;
            }
            if (entries.size() >= limit) {
                surplus = removeIdle();
            }
            made = new Entry(connector.connect(target, REFUSING), ticker);
            made.users++;
            entries.put(address, made);
        }
        if (surplus != null) {
            closeWhenMade(surplus);
        }
        var unused = made.connection.thenAccept(connection -> connection.onClosed(() -> forget(address, made)));
        return made;
    }

    @GuardedBy("lock")
    private Entry removeIdle() throws CloudMwException {
        Iterator<Entry> leastRecentFirst = entries.values().iterator();
        while (leastRecentFirst.hasNext()) {
            Entry entry = leastRecentFirst.next();
            if (entry.users == 0) {
                leastRecentFirst.remove();
                return entry;
            }
        }
        throw new CloudMwException(ErrorCode.OVERLOADED, "peers: " + limit + " connections are in use already");
    }

    /** Peers whose connections are in use. */
    public int inUse() {
        synchronized (lock) {
            return (int)
                    entries.values().stream().filter(entry -> entry.users > 0).count();
        }
    }

    private void release(Entry entry) {
        synchronized (lock) {
            entry.users--;
        }
    }

    private static InetSocketAddress socketAddress(String address) throws CloudMwException {
        try {
            HostPort parsed = HostPort.parse(address);
            return InetSocketAddress.createUnresolved(parsed.host(), parsed.port());
        } catch (IllegalArgumentException e) {
            throw new CloudMwException(ErrorCode.INVALID_ARGUMENT, String.valueOf(e.getMessage()), e);
        }
    }

    private void forget(String address, Entry entry) {
        synchronized (lock) {
            entries.remove(address, entry);
        }
    }

    private static void closeWhenMade(Entry entry) {
        var unused = entry.connection.thenAccept(BulkConnection::close);
    }

    /** Closes all of them, those that are still being made too. Idempotent. */
    @Override
    public void close() {
        List<Entry> all;
        synchronized (lock) {
            closed = true;
            all = List.copyOf(entries.values());
        }
        all.forEach(HelperConnections::closeWhenMade);
    }
}
