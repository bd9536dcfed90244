package io.cloudmw.coordinator.rpc;

import io.cloudmw.coordinator.fleet.HelperConnectionStates;
import io.grpc.Attributes;
import io.grpc.Grpc;
import io.grpc.ServerTransportFilter;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/** A filter that reports the ends of connections. Safe for any thread. */
public final class ConnectionEnds extends ServerTransportFilter {
    private final HelperConnectionStates connections;

    public ConnectionEnds(HelperConnectionStates connections) {
        this.connections = connections;
    }

    @Override
    public void transportTerminated(Attributes attributes) {
        @Nullable SocketAddress from = attributes == null ? null : attributes.get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR);
        if (from != null) {
            connections.ended(from);
        }
    }
}
