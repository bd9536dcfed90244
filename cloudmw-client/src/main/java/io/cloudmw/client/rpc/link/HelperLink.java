package io.cloudmw.client.rpc.link;

import io.cloudmw.core.bulk.BulkConnection;
import io.cloudmw.core.model.fleet.HelperAddress;
import io.grpc.ManagedChannel;

/** A link to one helper, which all transfers share: its gRPC channel and its bulk connection. */
record HelperLink(HelperAddress helper, ManagedChannel channel, BulkConnection bulk) {
    void close() {
        bulk.close();
        channel.shutdownNow();
    }
}
