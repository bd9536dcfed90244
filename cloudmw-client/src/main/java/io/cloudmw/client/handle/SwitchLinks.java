package io.cloudmw.client.handle;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.client.rpc.BulkLease;
import io.cloudmw.client.rpc.HelperLinks;
import io.cloudmw.core.bulk.BulkConnection;
import io.cloudmw.core.model.HelperAddress;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.time.Ticker;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** The connections to switches that open files use, kept until this is closed, and which of them are not to be asked just now. Safe for any thread. */
final class SwitchLinks implements AutoCloseable {
    private static final long AVOIDED_NANOS = Duration.ofSeconds(5).toNanos();

    private final Supplier<HelperLinks> links;
    private final Ticker ticker;

    @GuardedBy("this")
    private final Map<HelperAddress, CompletableFuture<BulkLease>> leases = new HashMap<>();

    /** Until when. */
    @GuardedBy("this")
    private final Map<HelperId, Long> avoided = new HashMap<>();

    SwitchLinks(Supplier<HelperLinks> links, Ticker ticker) {
        this.links = links;
        this.ticker = ticker;
    }

    /** A connection to it, which is made if there is none. */
    CompletableFuture<BulkConnection> to(HelperAddress helper) {
        CompletableFuture<BulkLease> lease;
        synchronized (this) {
            leases.values().removeIf(SwitchLinks::isOver);
            lease = leases.computeIfAbsent(helper, missing -> links.get().lease(missing));
        }
        return lease.thenApply(BulkLease::connection);
    }

    private static boolean isOver(CompletableFuture<BulkLease> lease) {
        if (lease.isCompletedExceptionally()) {
            return true;
        }
        BulkLease made = lease.getNow(null);
        if (made == null || !made.connection().isClosed()) {
            return false;
        }
        made.close();
        return true;
    }

    /** It failed: the others are asked first for some seconds. */
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
        leases.values().forEach(lease -> {
            var unused = lease.thenAccept(BulkLease::close);
        });
        leases.clear();
    }
}
