package io.cloudmw.core.rpc;

import io.cloudmw.core.audit.RefusalTrail;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.grpc.ForwardingServerCall;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import java.util.UUID;

/**
 * An interceptor that records refused calls in the audit trail. It must precede all other interceptors, so that it sees
 * their refusals. Safe for any thread.
 */
public final class CallRefusals implements ServerInterceptor {
    private final RefusalTrail trail;

    public CallRefusals(RefusalTrail trail) {
        this.trail = trail;
    }

    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
        return next.startCall(
                new ForwardingServerCall.SimpleForwardingServerCall<>(call) {
                    @Override
                    public void close(Status status, Metadata trailers) {
                        if (!status.isOk()) {
                            closed(call, headers, status, trailers);
                        }
                        super.close(status, trailers);
                    }
                },
                headers);
    }

    private void closed(ServerCall<?, ?> call, Metadata headers, Status status, Metadata trailers) {
        CloudMwException failure =
                RpcErrors.fromStatus(status.asRuntimeException(trailers), ErrorCode.HELPER_UNAVAILABLE, "this process");
        if (RefusalTrail.isRefusal(failure)) {
            trail.refused(
                    String.valueOf(call.getMethodDescriptor().getBareMethodName()),
                    CallerIdentity.peer(call, headers),
                    UUID.randomUUID().toString(),
                    "",
                    failure);
        }
    }
}
