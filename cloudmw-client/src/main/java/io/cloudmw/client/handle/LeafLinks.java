package io.cloudmw.client.handle;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.client.context.Failures;
import io.cloudmw.client.rpc.link.HelperLinks;
import io.cloudmw.core.bulk.BulkConnection;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.time.Ticker;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * The connections of open files to helpers, for small requests only, kept until this is closed. Helpers that failed
 * are avoided for a while. Safe for any thread.
 */
final class LeafLinks implements AutoCloseable {
    private static final long AVOIDED_NANOS = Duration.ofSeconds(5).toNanos();

    private final Supplier<HelperLinks> links;
    private final Ticker ticker;

    @GuardedBy("this")
    private final Map<HelperAddress, CompletableFuture<BulkConnection>> connections = new HashMap<>();

    @GuardedBy("this")
    private boolean closed;

    /** The time until which a helper is avoided. */
    @GuardedBy("this")
    private final Map<HelperId, Long> avoided = new HashMap<>();

    LeafLinks(Supplier<HelperLinks> links, Ticker ticker) {
        this.links = links;
        this.ticker = ticker;
    }

    /**
     * A connection to the helper, opened if there is none. A helper to which no connection can be opened is avoided.
     */
    CompletableFuture<BulkConnection> to(HelperAddress helper) {
        CompletableFuture<BulkConnection> connecting;
        synchronized (this) {
            if (closed) {
                return CompletableFuture.failedFuture(Failures.clientClosed());
            }
            connections.values().removeIf(LeafLinks::isOver);
            connecting =
                    connections.computeIfAbsent(helper, missing -> links.get().dialInteractive(missing));
        }
        return connecting.whenComplete((connection, failure) -> {
            if (failure != null) {
                avoid(helper);
            }
        });
    }

    private static boolean isOver(CompletableFuture<BulkConnection> connecting) {
        if (connecting.isCompletedExceptionally()) {
            return true;
        }
        BulkConnection made = connecting.getNow(null);
        return made != null && (made.isClosed() || made.isOld());
    }

    /** Avoids a helper that failed: for some seconds the others are asked first. */
    synchronized void avoid(HelperAddress helper) {
        avoided.put(helper.id(), ticker.nanos() + AVOIDED_NANOS);
    }

    synchronized boolean isAvoided(HelperAddress helper) {
        Long until = avoided.get(helper.id());
        if (until != null && until - ticker.nanos() <= 0) {
            avoided.remove(helper.id());
            return false;
        }
        return until != null;
    }

    @Override
    public synchronized void close() {
        closed = true;
        connections.values().forEach(connecting -> {
            var unused = connecting.thenAccept(BulkConnection::close);
        });
        connections.clear();
    }
}
