package io.cloudmw.coordinator.rpc;

import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.metrics.CoordinatorMetrics;
import io.cloudmw.core.rpc.RpcErrors;
import io.cloudmw.core.time.Ticker;
import io.grpc.ForwardingServerCall;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;

/**
 * An interceptor that counts and times a server's unary calls, from their headers on and including refused ones.
 * Streams are left out. It must precede all other interceptors. Safe for any thread.
 */
public final class CallMetrics implements ServerInterceptor {
    private final CoordinatorMetrics metrics;
    private final Ticker ticker;

    public CallMetrics(CoordinatorMetrics metrics, Ticker ticker) {
        this.metrics = metrics;
        this.ticker = ticker;
    }

    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
        MethodDescriptor<Q, A> method = call.getMethodDescriptor();
        if (method.getType() != MethodDescriptor.MethodType.UNARY) {
            return next.startCall(call, headers);
        }
        long began = ticker.nanos();
        return next.startCall(
                new ForwardingServerCall.SimpleForwardingServerCall<>(call) {
                    @Override
                    public void close(Status status, Metadata trailers) {
                        metrics.called(
                                String.valueOf(method.getBareMethodName()),
                                code(status, trailers),
                                ticker.nanos() - began);
                        super.close(status, trailers);
                    }
                },
                headers);
    }

    private static String code(Status status, Metadata trailers) {
        return status.isOk()
                ? CoordinatorMetrics.OK
                : RpcErrors.fromStatus(
                                status.asRuntimeException(trailers), ErrorCode.COORDINATOR_UNAVAILABLE, "coordinator")
                        .code()
                        .name();
    }
}
