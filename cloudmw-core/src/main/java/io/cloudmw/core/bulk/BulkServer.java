package io.cloudmw.core.bulk;

import io.cloudmw.core.error.CloudMwException;
import java.net.InetSocketAddress;

/** Accepts bulk connections on one address. Safe for any thread. */
@SuppressWarnings("DoNotCallSuggester") // its body follows in the next commit
public final class BulkServer implements AutoCloseable {
    private BulkServer() {}

    /**
     * Binds and starts to accept.
     *
     * @param address port 0 takes a free one
     * @param process what this process calls itself to peers
     * @param handler told of accepted connections and of the streams their peers open
     * @throws CloudMwException {@code LOCAL_IO} when the address cannot be bound
     */
    public static BulkServer bind(
            BulkTransport transport, InetSocketAddress address, String process, BulkHandler handler)
            throws CloudMwException {
        throw new UnsupportedOperationException("coming in the next commit");
    }

    /** The port it listens on. */
    public int port() {
        throw new UnsupportedOperationException("coming in the next commit");
    }

    /** Stops accepting and closes every connection accepted. Returns at once. Idempotent. */
    @Override
    public void close() {}
}
