package io.cloudmw.core.rpc;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.wire.ProtocolVersion;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ForwardingClientCall;
import io.grpc.ForwardingClientCallListener;
import io.grpc.ForwardingServerCall;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The version handshake of the control plane. Both sides put {@code cloudmw-protocol: major.minor} into their headers
 * and refuse a peer without a version or with another major. Stateless; safe for any thread.
 */
public final class VersionHandshake {
    static final Metadata.Key<String> PROTOCOL = Metadata.Key.of("cloudmw-protocol", Metadata.ASCII_STRING_MARSHALLER);

    private VersionHandshake() {}

    /** The interceptor of every server: it refuses calls with another major before the service sees them. */
    public static ServerInterceptor server() {
        return server(ProtocolVersion.CURRENT);
    }

    /** The interceptor of every channel: it fails calls that a server of another major answered. */
    public static ClientInterceptor client() {
        return client(ProtocolVersion.CURRENT);
    }

    static ServerInterceptor server(ProtocolVersion own) {
        return new ServerSide(own);
    }

    static ClientInterceptor client(ProtocolVersion own) {
        return new ClientSide(own);
    }

    private static Optional<CloudMwException> objection(ProtocolVersion own, String peer, @Nullable String named) {
        boolean understood = named != null
                && ProtocolVersion.parse(named).map(own::understands).orElse(false);
        if (understood) {
            return Optional.empty();
        }
        String theirs = named == null ? "no protocol version" : "protocol " + printable(named);
        return Optional.of(new CloudMwException(
                ErrorCode.VERSION_UNSUPPORTED,
                peer + " speaks " + theirs + ", this process speaks protocol " + own + " (expected: major "
                        + own.major() + ")"));
    }

    private static String printable(String named) {
        return ProtocolVersion.parse(named).map(ProtocolVersion::toString).orElse("of unknown form");
    }

    private record ServerSide(ProtocolVersion own) implements ServerInterceptor {
        @Override
        public <Q, A> ServerCall.Listener<Q> interceptCall(
                ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
            Optional<CloudMwException> objection = objection(own, "the caller", headers.get(PROTOCOL));
            if (objection.isPresent()) {
                Metadata trailers = RpcErrors.trailers(objection.get());
                trailers.put(PROTOCOL, own.toString());
                call.close(RpcErrors.status(objection.get()), trailers);
                return new ServerCall.Listener<>() {};
            }
            return next.startCall(
                    new ForwardingServerCall.SimpleForwardingServerCall<>(call) {
                        @Override
                        public void sendHeaders(Metadata answer) {
                            answer.put(PROTOCOL, own.toString());
                            super.sendHeaders(answer);
                        }
                    },
                    headers);
        }
    }

    private record ClientSide(ProtocolVersion own) implements ClientInterceptor {
        @Override
        public <Q, A> ClientCall<Q, A> interceptCall(MethodDescriptor<Q, A> method, CallOptions options, Channel next) {
            return new ForwardingClientCall.SimpleForwardingClientCall<>(next.newCall(method, options)) {
                @Override
                public void start(Listener<A> listener, Metadata headers) {
                    headers.put(PROTOCOL, own.toString());
                    super.start(new CheckedListener<>(own, listener, delegate()), headers);
                }
            };
        }
    }

    /** The listener that checks the server's version. gRPC calls it for one call at a time. */
    private static final class CheckedListener<A>
            extends ForwardingClientCallListener.SimpleForwardingClientCallListener<A> {
        private final ProtocolVersion own;
        private final ClientCall<?, A> call;
        private @Nullable CloudMwException refusal;

        CheckedListener(ProtocolVersion own, ClientCall.Listener<A> listener, ClientCall<?, A> call) {
            super(listener);
            this.own = own;
            this.call = call;
        }

        @Override
        public void onHeaders(Metadata headers) {
            Optional<CloudMwException> objection = objection(own, "the server", headers.get(PROTOCOL));
            if (objection.isPresent()) {
                refusal = objection.get();
                call.cancel(refusal.getMessage(), refusal);
            } else {
                super.onHeaders(headers);
            }
        }

        @Override
        public void onMessage(A message) {
            if (refusal == null) {
                super.onMessage(message);
            }
        }

        @Override
        public void onClose(Status status, Metadata trailers) {
            if (refusal == null) {
                super.onClose(status, trailers);
            } else {
                super.onClose(RpcErrors.status(refusal), RpcErrors.trailers(refusal));
            }
        }
    }
}
