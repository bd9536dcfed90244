package io.cloudmw.client.rpc.link;

import io.cloudmw.core.bulk.BulkConnection;
import io.cloudmw.core.model.fleet.HelperAddress;
import java.util.concurrent.CompletableFuture;

/**
 * The lease of a helper's bulk connection by a long read. It is renewed when its connection has reached its age or is
 * closed: streams under way end on the former connection, the next begin on another. Confined to the read.
 */
public final class RenewedLease implements AutoCloseable {
    private final HelperLinks links;
    private final HelperAddress helper;
    private CompletableFuture<BulkLease> lease;

    private RenewedLease(HelperLinks links, HelperAddress helper) {
        this.links = links;
        this.helper = helper;
        lease = links.lease(helper);
    }

    /** Leases the connection to a helper. */
    public static RenewedLease of(HelperLinks links, HelperAddress helper) {
        return new RenewedLease(links, helper);
    }

    /** Returns a connection for the next streams. It fails for good when the helper could not be reached once. */
    public CompletableFuture<BulkConnection> connection() {
        BulkLease made = lease.isCompletedExceptionally() ? null : lease.getNow(null);
        if (made != null && (made.connection().isOld() || made.connection().isClosed())) {
            made.close();
            lease = links.lease(helper);
        }
        return lease.thenApply(BulkLease::connection);
    }

    /** Ends the lease; the connection stays open for others. Idempotent. */
    @Override
    public void close() {
        var unused = lease.thenAccept(BulkLease::close);
    }
}
