package io.cloudmw.core.bulk;

import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;

/** Opens bulk connections. Safe for any thread; closed with its transport. */
@SuppressWarnings("DoNotCallSuggester") // its body follows in the next commit
public final class BulkConnector {
    /** @param process what this process calls itself to peers */
    public BulkConnector(BulkTransport transport, String process) {}

    /**
     * Connects and shakes hands. Cancelling the future gives up.
     *
     * @param address resolved here when it is not yet
     * @param handler told of the streams the peer opens
     * @return fails with a {@code CloudMwException}: {@code HELPER_UNAVAILABLE} when nobody answers in time,
     *     {@code VERSION_UNSUPPORTED}, {@code OVERLOADED} or {@code PROTOCOL_VIOLATION}
     */
    public CompletableFuture<BulkConnection> connect(InetSocketAddress address, BulkHandler handler) {
        throw new UnsupportedOperationException("coming in the next commit");
    }
}
