package io.cloudmw.core.rpc;

import io.cloudmw.core.audit.AuditedPeer;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.security.TokenBearer;
import io.cloudmw.core.tls.Certificates;
import io.cloudmw.core.tls.ProcessIdentity;
import io.grpc.Attributes;
import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import java.util.Optional;
import java.util.Set;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/**
 * The interceptor of a server that refuses calls of strangers, and tells services who the caller is. In
 * plain text there are no certificates, and every caller passes. Safe for any thread.
 */
public final class CallerIdentity implements ServerInterceptor {
    private static final Context.Key<Optional<ProcessIdentity>> CURRENT =
            Context.keyWithDefault("cloudmw-identity", Optional.empty());

    /** The identity of a connection's peer, found once for all its calls. */
    private static final Attributes.Key<Peer> PEER = Attributes.Key.create("cloudmw-identity");

    private static final Metadata.Key<String> USER_AGENT =
            Metadata.Key.of("user-agent", Metadata.ASCII_STRING_MARSHALLER);

    /** @param identity empty: the peer of the connection has no certificate */
    private record Peer(Optional<ProcessIdentity> identity) {}

    private final Set<String> open;

    /** @param open full names of the methods that callers without a certificate may call */
    public CallerIdentity(Set<String> open) {
        this.open = Set.copyOf(open);
    }

    /** Returns the caller whose call this thread serves; empty: it has no certificate. */
    public static Optional<ProcessIdentity> current() {
        return CURRENT.get();
    }

    /** Returns the bearer of the tokens in the call that this thread serves. */
    public static TokenBearer bearer() {
        return ProcessIdentity.bearer(current());
    }

    /** Returns the process at the other end of a call; empty: it has no certificate. */
    public static Optional<ProcessIdentity> of(ServerCall<?, ?> call) {
        return of(call.getAttributes());
    }

    /** Returns the process at the other end of a connection; empty: it has no certificate. */
    static Optional<ProcessIdentity> of(Attributes connection) {
        Peer known = connection.get(PEER);
        return known != null
                ? known.identity()
                : Optional.ofNullable(session(connection)).flatMap(Certificates::peer);
    }

    /** Returns the attributes of a connection with the identity of its peer, so that no call looks for it again. */
    static Attributes identified(Attributes connection) {
        return connection.toBuilder().set(PEER, new Peer(of(connection))).build();
    }

    /** Returns the process at the other end of a call with these headers, as the audit trail names it. */
    public static AuditedPeer peer(ServerCall<?, ?> call, Metadata headers) {
        @Nullable String agent = headers.get(USER_AGENT);
        return AuditedPeer.of(
                of(call), call.getAttributes().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR), agent == null ? "" : agent);
    }

    /** Returns whether the call came under TLS. */
    static boolean isEncrypted(ServerCall<?, ?> call) {
        return isEncrypted(call.getAttributes());
    }

    /** Returns whether a connection is under TLS. */
    static boolean isEncrypted(Attributes connection) {
        return session(connection) != null;
    }

    private static @Nullable SSLSession session(Attributes connection) {
        return connection.get(Grpc.TRANSPORT_ATTR_SSL_SESSION);
    }

    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
        Optional<ProcessIdentity> caller = of(call);
        if (caller.isEmpty()
                && isEncrypted(call)
                && !open.contains(call.getMethodDescriptor().getFullMethodName())) {
            CloudMwException refusal = new CloudMwException(
                    ErrorCode.TLS_FAILED,
                    "the caller showed no certificate (helpers enrol by the join secret, clients by a token)");
            call.close(RpcErrors.status(refusal), RpcErrors.trailers(refusal));
            return new ServerCall.Listener<>() {};
        }
        return Contexts.interceptCall(Context.current().withValue(CURRENT, caller), call, headers, next);
    }
}
