package io.cloudmw.core.rpc;

import io.cloudmw.core.audit.AuditedPeer;
import io.cloudmw.core.audit.RefusalTrail;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.grpc.ForwardingServerCall;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * An interceptor that records refused calls in the audit trail. It must precede all other interceptors, so that it sees
 * their refusals. Safe for any thread.
 */
public final class CallRefusals implements ServerInterceptor {
    private static final Metadata.Key<String> USER_AGENT =
            Metadata.Key.of("user-agent", Metadata.ASCII_STRING_MARSHALLER);

    private final RefusalTrail trail;

    public CallRefusals(RefusalTrail trail) {
        this.trail = trail;
    }

    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
        AuditedPeer peer = peer(call, headers);
        return next.startCall(
                new ForwardingServerCall.SimpleForwardingServerCall<>(call) {
                    @Override
                    public void close(Status status, Metadata trailers) {
                        if (!status.isOk()) {
                            closed(getMethodDescriptor().getBareMethodName(), peer, status, trailers);
                        }
                        super.close(status, trailers);
                    }
                },
                headers);
    }

    private void closed(@Nullable String method, AuditedPeer peer, Status status, Metadata trailers) {
        CloudMwException failure =
                RpcErrors.fromStatus(status.asRuntimeException(trailers), ErrorCode.HELPER_UNAVAILABLE, "this process");
        if (RefusalTrail.isRefusal(failure)) {
            trail.refused(String.valueOf(method), peer, UUID.randomUUID().toString(), "", failure);
        }
    }

    private static AuditedPeer peer(ServerCall<?, ?> call, Metadata headers) {
        @Nullable String agent = headers.get(USER_AGENT);
        return new AuditedPeer(
                CallerIdentity.of(call),
                call.getAttributes().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR) instanceof InetSocketAddress address
                        ? Optional.of(address)
                        : Optional.empty(),
                agent == null ? "" : agent);
    }
}
