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
import io.cloudmw.core.model.fleet.HelperAddress;
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
 * The bulk connections to other helpers, one to each, opened with the first request. Beyond a limit, the connection
 * that has been idle longest is closed. A connection that has reached its age is replaced, and closes when its last
 * lease has ended. Safe for any thread.
 */
public final class HelperConnections implements AutoCloseable {
    private static final long CONNECT_SECONDS = 15;

    /** Pause after a helper refused a connection because it had too many, without a retry-after. */
    private static final Duration OVERLOAD_PAUSE = Duration.ofMillis(200);

    /** Refuses streams: other helpers open none on connections that this helper made. */
    private static final BulkHandler REFUSING = (stream, request) -> {
        throw new CloudMwException(
                ErrorCode.PROTOCOL_VIOLATION, "a stream was opened on a client connection (expected: none)");
    };

    private static final class Entry {
        final CompletableFuture<BulkConnection> connection;
        int users;
        /** Time when the attempt to connect ended; written before the future completes. */
        private volatile long endedNanos;

        Entry(CompletableFuture<BulkConnection> connecting, Ticker ticker) {
            connection = connecting.whenComplete((made, failure) -> endedNanos = ticker.nanos());
        }

        /** Returns whether nothing new may begin on the connection. */
        boolean isOld() {
            BulkConnection made = isFailed() ? null : connection.getNow(null);
            return made != null && made.isOld();
        }

        boolean isFailed() {
            return connection.isCompletedExceptionally();
        }

        /** The failure of the attempt to connect. */
        Throwable failure() {
            return Reasons.unwrapped(connection.handle((made, cause) -> cause).join());
        }

        /** Returns whether the attempt failed so long ago that the helper may be back, or may have room. */
        boolean isPast(Ticker ticker, long awayNanos) {
            return isFailed() && ticker.nanos() - endedNanos >= pauseNanos(awayNanos);
        }

        /** The pause after a failure; a helper without room for a connection is not down. */
        private long pauseNanos(long awayNanos) {
            return failure() instanceof CloudMwException known && known.code() == ErrorCode.OVERLOADED
                    ? known.retryAfter().orElse(OVERLOAD_PAUSE).toNanos()
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
     * Opens no connection yet.
     *
     * @param limit helpers connected at once
     * @param away time for which a helper that could not be reached is not tried again; requests for it fail at once. A
     *     helper without room for a connection is tried again after its retry-after, or soon
     */
    public HelperConnections(BulkConnector connector, int limit, Ticker ticker, Duration away) {
        this.connector = connector;
        this.limit = limit;
        this.ticker = ticker;
        this.awayNanos = away.toNanos();
    }

    /** A lease on a connection, which is not closed as idle while the lease is open. */
    public static final class Lease implements AutoCloseable {
        private final BulkConnection connection;
        private final Runnable release;
        private final AtomicBoolean released = new AtomicBoolean();

        /** @param release run once, when the lease is closed */
        public Lease(BulkConnection connection, Runnable release) {
            this.connection = connection;
            this.release = release;
        }

        public BulkConnection connection() {
            return connection;
        }

        /** Gives the connection back; it stays open. Idempotent. */
        @Override
        public void close() {
            if (released.compareAndSet(false, true)) {
                release.run();
            }
        }
    }

    /**
     * Checks, without connecting, that a helper is not known to be unreachable.
     *
     * @throws CloudMwException as {@link #to}
     */
    public void check(HelperAddress helper) throws CloudMwException {
        Entry known;
        synchronized (lock) {
            known = entries.get(helper.bulk());
        }
        if (known != null && known.isFailed() && !known.isPast(ticker, awayNanos)) {
            throw unreachable(helper, known.failure());
        }
    }

    /**
     * The connection to a helper. Blocks while it is being opened.
     *
     * @throws CloudMwException {@code STORE_UNAVAILABLE}, to be retried after a refresh, when the helper cannot be
     *     reached; {@code OVERLOADED} when too many connections are in use; {@code CANCELLED} when interrupted
     */
    public Lease to(HelperAddress helper) throws CloudMwException {
        CompletableFuture<Lease> lease = lease(helper);
        try {
            return lease.get(CONNECT_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            giveUp(lease);
            throw new CloudMwException(ErrorCode.CANCELLED, "interrupted while connecting to helper " + helper.id(), e);
        } catch (ExecutionException | TimeoutException e) {
            giveUp(lease);
            throw unreachable(helper, e.getCause() == null ? e : e.getCause());
        }
    }

    private static CloudMwException unreachable(HelperAddress helper, Throwable cause) {
        return new CloudMwException(
                ErrorCode.STORE_UNAVAILABLE,
                RetryVerdict.AFTER_REFRESH,
                "helper " + helper.id() + " at " + helper.bulk() + ": cannot connect: " + cause.getMessage(),
                cause);
    }

    /** Releases a lease that comes too late; the next caller finds the connection open. */
    private static void giveUp(CompletableFuture<Lease> lease) {
        var unused = lease.thenAccept(Lease::close);
    }

    /**
     * The connection to a helper, without blocking.
     *
     * @return completes on an event loop or on this thread; fails with the connector's failure. The caller closes the
     *     lease
     * @throws CloudMwException {@code OVERLOADED} when too many connections are in use; {@code CANCELLED} when this is
     *     closed
     */
    public CompletableFuture<Lease> lease(HelperAddress helper) throws CloudMwException {
        Entry entry = use(helper);
        return entry.connection.handle((connection, failure) -> {
            if (connection == null) {
                release(entry);
                throw failure instanceof CompletionException known ? known : new CompletionException(failure);
            }
            connection.hold();
            return new Lease(connection, () -> {
                connection.release();
                release(entry);
            });
        });
    }

    /** The entry of an address, with one more user. */
    private Entry use(HelperAddress helper) throws CloudMwException {
        String address = helper.bulk();
        InetSocketAddress target = socketAddress(address);
        Entry made;
        @Nullable Entry surplus = null;
        synchronized (lock) {
            if (closed) {
                throw new CloudMwException(ErrorCode.CANCELLED, "the helper is closing");
            }
            @Nullable Entry existing = entries.get(address);
            if (existing != null && !existing.isOld() && !existing.isPast(ticker, awayNanos)) {
                existing.users++;
                return existing;
            }
            if (entries.size() >= limit) {
                surplus = removeIdle();
            }
            made = new Entry(connector.to(helper.id().value()).connect(target, REFUSING), ticker);
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
        throw new CloudMwException(
                ErrorCode.OVERLOADED, "helpers: " + limit + " connections are in use already; retry later");
    }

    /** Number of helpers whose connections are in use. */
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

    /** Closes all connections, including those being opened. Idempotent. */
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
