package io.cloudmw.core.rpc;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.grpc.ForwardingServerCall;
import io.grpc.ForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.Marshaller;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerMethodDefinition;
import io.grpc.ServerServiceDefinition;
import io.grpc.ServiceDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/**
 * The frame around a service that answers a request which is no message of its type with {@code INVALID_ARGUMENT}. By
 * itself gRPC would answer {@code UNKNOWN} and log a stack trace, which lets a stranger fill the log. Stateless.
 */
final class CheckedRequests {
    private CheckedRequests() {}

    /** The same service, with checked requests. */
    static ServerServiceDefinition of(ServerServiceDefinition service) {
        ServiceDescriptor own = service.getServiceDescriptor();
        ServiceDescriptor.Builder descriptor =
                ServiceDescriptor.newBuilder(own.getName()).setSchemaDescriptor(own.getSchemaDescriptor());
        var checked = service.getMethods().stream().map(CheckedRequests::of).toList();
        checked.forEach(method -> descriptor.addMethod(method.getMethodDescriptor()));
        ServerServiceDefinition.Builder result = ServerServiceDefinition.builder(descriptor.build());
        checked.forEach(result::addMethod);
        return result.build();
    }

    private static <Q, A> ServerMethodDefinition<Q, A> of(ServerMethodDefinition<Q, A> method) {
        MethodDescriptor<Q, A> descriptor = method.getMethodDescriptor();
        return ServerMethodDefinition.create(
                descriptor.toBuilder()
                        .setRequestMarshaller(new Lenient<>(descriptor.getRequestMarshaller()))
                        .build(),
                new Handler<>(method.getServerCallHandler()));
    }

    /** A marshaller that gives null for bytes that are no message: interceptors pass it on to the service's frame. */
    private record Lenient<Q>(Marshaller<Q> marshaller) implements Marshaller<Q> {
        @Override
        public InputStream stream(Q message) {
            return marshaller.stream(message);
        }

        @Override
        @SuppressWarnings("NullAway") // gRPC passes it on
        public Q parse(InputStream stream) {
            try {
                return marshaller.parse(stream);
            } catch (StatusRuntimeException e) {
                return null;
            }
        }
    }

    private record Handler<Q, A>(ServerCallHandler<Q, A> next) implements ServerCallHandler<Q, A> {
        @Override
        public ServerCall.Listener<Q> startCall(ServerCall<Q, A> call, Metadata headers) {
            Refusable<Q, A> refusable = new Refusable<>(call);
            return new Requests<>(next.startCall(refusable, headers), refusable);
        }
    }

    /** A call that ignores the service's answers once it was refused. */
    private static final class Refusable<Q, A> extends ForwardingServerCall.SimpleForwardingServerCall<Q, A> {
        @GuardedBy("this")
        private boolean closed;

        @GuardedBy("this")
        private boolean refused;

        Refusable(ServerCall<Q, A> call) {
            super(call);
        }

        synchronized void refuse() {
            refused = true;
            if (!closed) {
                closed = true;
                CloudMwException refusal = new CloudMwException(
                        ErrorCode.INVALID_ARGUMENT,
                        "the request is no message of "
                                + delegate().getMethodDescriptor().getFullMethodName());
                delegate().close(RpcErrors.status(refusal), RpcErrors.trailers(refusal));
            }
        }

        @Override
        public synchronized void sendHeaders(Metadata headers) {
            if (!refused) {
                super.sendHeaders(headers);
            }
        }

        @Override
        public synchronized void sendMessage(A message) {
            if (!refused) {
                super.sendMessage(message);
            }
        }

        @Override
        public synchronized void close(Status status, Metadata trailers) {
            if (!refused) {
                closed = true;
                super.close(status, trailers);
            }
        }

        @Override
        public synchronized boolean isCancelled() {
            return refused || super.isCancelled();
        }
    }

    /** The listener of a call. gRPC calls it for one event at a time. */
    private static final class Requests<Q> extends ForwardingServerCallListener.SimpleForwardingServerCallListener<Q> {
        private final Refusable<Q, ?> call;
        private boolean over;

        Requests(ServerCall.Listener<Q> listener, Refusable<Q, ?> call) {
            super(listener);
            this.call = call;
        }

        @Override
        public void onMessage(@Nullable Q message) {
            if (over) {
                return;
            }
            if (message == null) {
                over = true;
                call.refuse();
                super.onCancel();
            } else {
                super.onMessage(message);
            }
        }

        @Override
        public void onHalfClose() {
            if (!over) {
                super.onHalfClose();
            }
        }

        @Override
        public void onCancel() {
            if (!over) {
                super.onCancel();
            }
        }

        @Override
        public void onComplete() {
            if (!over) {
                super.onComplete();
            }
        }

        @Override
        public void onReady() {
            if (!over) {
                super.onReady();
            }
        }
    }
}
