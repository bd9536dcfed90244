package io.cloudmw.coordinator.rpc.audit;

import com.google.protobuf.Message;
import io.cloudmw.core.audit.RefusalTrail;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.rpc.RpcErrors;
import io.cloudmw.core.time.Ticker;
import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.ForwardingServerCall;
import io.grpc.ForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import java.util.Optional;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An interceptor that logs each administrative change with its caller, and each failed call. Changes and refusals go to
 * the audit trail, too. A call that fails before its service works on it is no change: neither strangers nor subjects
 * without rights can fill the record of changes. It must precede all other interceptors, so that it sees their refusals
 * and they find {@link Caller#current()}. Safe for any thread.
 */
public final class AuditLog implements ServerInterceptor {
    private static final Logger LOG = LoggerFactory.getLogger(AuditLog.class);
    private static final Context.Key<Audited<?, ?>> CURRENT = Context.key("cloudmw-audited-call");

    private final FailureLog failures;
    private final AuditTrail trail;

    public AuditLog(Ticker ticker, AuditTrail trail) {
        this.trail = trail;
        this.failures = new FailureLog(LOG, ticker);
    }

    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
        String method = call.getMethodDescriptor().getFullMethodName();
        String name = String.valueOf(call.getMethodDescriptor().getBareMethodName());
        boolean administrative = MethodKind.of(method) == MethodKind.ADMINISTRATIVE;
        Caller caller = Caller.of(call, headers);
        Audited<Q, A> audited = new Audited<>(call, name, caller, administrative);
        Context context = caller.in(Context.current()).withValue(CURRENT, audited);
        return new Requests<>(Contexts.interceptCall(context, audited, headers, next), audited);
    }

    /**
     * Returns an executor on which services work on calls that passed all checks. A failure of that work is a change
     * that failed. It is recorded on these threads, which may wait for the record, unlike event loops.
     */
    public static Executor attempting(Executor executor) {
        return task -> {
            @Nullable Audited<?, ?> call = CURRENT.get();
            executor.execute(() -> {
                if (call != null) {
                    call.attempted = true;
                }
                task.run();
            });
        };
    }

    /** A call whose end is logged. Its request is set before its end, on whatever thread. */
    private final class Audited<Q, A> extends ForwardingServerCall.SimpleForwardingServerCall<Q, A> {
        private final String name;
        private final Caller caller;
        private final boolean administrative;
        private volatile @Nullable Message request;
        /** Whether its service has worked on it. */
        private volatile boolean attempted;

        Audited(ServerCall<Q, A> call, String name, Caller caller, boolean administrative) {
            super(call);
            this.name = name;
            this.caller = caller;
            this.administrative = administrative;
        }

        @Override
        public void close(Status status, Metadata trailers) {
            if (!status.isOk()) {
                CloudMwException failure = RpcErrors.fromStatus(
                        status.asRuntimeException(trailers), ErrorCode.COORDINATOR_UNAVAILABLE, "coordinator");
                AuditedRequest asked = asked();
                failures.failed(name, administrative ? asked.shortText() : "", caller, failure, status.getCause());
                if (RefusalTrail.isRefusal(failure)) {
                    trail.refused(name, caller, asked, failure);
                } else if (administrative && attempted) {
                    trail.changed(name, caller, asked, Optional.of(failure));
                }
            } else if (administrative) {
                AuditedRequest asked = asked();
                LOG.info("{} by {}: {}", name, caller, asked.shortText());
                trail.changed(name, caller, asked, Optional.empty());
            }
            super.close(status, trailers);
        }

        private AuditedRequest asked() {
            Message message = request;
            return message == null ? AuditedRequest.unread() : AuditedRequest.of(message);
        }
    }

    /** A listener that keeps the request for the case that the call fails. */
    private static final class Requests<Q> extends ForwardingServerCallListener.SimpleForwardingServerCallListener<Q> {
        private final Audited<Q, ?> call;

        Requests(ServerCall.Listener<Q> listener, Audited<Q, ?> call) {
            super(listener);
            this.call = call;
        }

        @Override
        public void onMessage(Q message) {
            call.request = message instanceof Message known ? known : null;
            super.onMessage(message);
        }
    }
}
