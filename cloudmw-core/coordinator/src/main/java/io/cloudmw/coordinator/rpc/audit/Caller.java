package io.cloudmw.coordinator.rpc.audit;

import io.cloudmw.core.audit.AuditedPeer;
import io.cloudmw.core.rpc.CallerIdentity;
import io.cloudmw.core.tls.ProcessIdentity;
import io.grpc.Context;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Optional;

/**
 * The process that made a call.
 *
 * @param identity of its certificate; empty: the connection is in plain text, or the caller enrols
 * @param address the source address of its connection; empty: not known
 * @param client its description of itself; empty: none
 */
public record Caller(Optional<ProcessIdentity> identity, Optional<InetSocketAddress> address, String client) {
    private static final Caller UNKNOWN = new Caller(Optional.empty(), Optional.empty(), "");
    private static final Context.Key<Caller> CURRENT = Context.keyWithDefault("cloudmw-caller", UNKNOWN);

    /** Returns the caller of the call whose service method runs on this thread. */
    public static Caller current() {
        return CURRENT.get();
    }

    /** Returns the caller of a call with these headers. */
    static Caller of(ServerCall<?, ?> call, Metadata headers) {
        AuditedPeer peer = CallerIdentity.peer(call, headers);
        return new Caller(peer.identity(), peer.address(), peer.client());
    }

    /** Returns a context in which this is {@link #current()}. */
    Context in(Context context) {
        return context.withValue(CURRENT, this);
    }

    /** Returns the process as the audit trail names it. */
    AuditedPeer peer() {
        return new AuditedPeer(identity, address, client);
    }

    /** Returns the source address and port of its connection as a text. */
    String place() {
        return peer().place();
    }

    /** Returns the source address of its connection; empty: not known. */
    public Optional<InetAddress> host() {
        return address.map(InetSocketAddress::getAddress);
    }

    /** Returns a text such as {@code client app at 10.0.0.3:51234 (cloudmw/0.1.0)}. */
    @Override
    public String toString() {
        return identity.map(known -> known.describe() + " at ").orElse("")
                + place()
                + (client.isEmpty() ? "" : " (" + client + ")");
    }
}
