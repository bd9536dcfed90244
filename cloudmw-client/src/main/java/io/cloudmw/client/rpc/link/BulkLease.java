package io.cloudmw.client.rpc.link;

import io.cloudmw.core.bulk.BulkConnection;

/** A lease of a helper's bulk connection by one transfer, until it is closed. */
public final class BulkLease implements AutoCloseable {
    private final HelperLinks links;
    private final HelperLink link;
    private boolean released;

    BulkLease(HelperLinks links, HelperLink link) {
        this.links = links;
        this.link = link;
    }

    public BulkConnection connection() {
        return link.bulk();
    }

    /** Ends the lease; the connection stays open for others. Idempotent. */
    @Override
    public void close() {
        synchronized (this) {
            if (released) {
                return;
            }
            released = true;
        }
        links.release(link);
    }
}
