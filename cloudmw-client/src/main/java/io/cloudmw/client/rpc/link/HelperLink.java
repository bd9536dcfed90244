package io.cloudmw.client.rpc.link;

import io.cloudmw.core.bulk.BulkConnection;
import io.cloudmw.core.model.HelperAddress;
import io.grpc.ManagedChannel;

/** Both planes of one helper, shared by all transfers that use it. */
record HelperLink(HelperAddress helper, ManagedChannel channel, BulkConnection bulk) {
    void close() {
        bulk.close();
        channel.shutdownNow();
    }
}
