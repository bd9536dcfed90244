package io.cloudmw.coordinator.rpc;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.memory.ByteBudget;
import io.cloudmw.core.rpc.RpcErrors;
import io.grpc.Context;
import io.grpc.ForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.ServerStreamTracer;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A limit on the bytes of requests that a server holds at once, as counted on the wire. Bytes count from their arrival,
 * even while a request is incomplete. They count until the call has ended and the work handed to {@link #holding} is
 * done, so that a cancelled call frees no memory still in use. A call beyond the limit is closed with
 * {@code OVERLOADED} before all of it is read. Used as tracer and as interceptor, on a server with a direct executor.
 * Safe for any thread.
 */
public final class RequestBudget extends ServerStreamTracer.Factory implements ServerInterceptor {
    private static final Context.Key<Charge> CHARGE = Context.key("cloudmw-request-charge");

    private final ByteBudget budget;
    private final String setting;
    private final Predicate<String> others;

    /**
     * @param setting the setting to raise, for the error message
     * @param others the methods that have limits of their own, by their full names: their requests do not count here
     */
    public RequestBudget(long limitBytes, String setting, Predicate<String> others) {
        this.budget = new ByteBudget(limitBytes);
        this.setting = setting;
        this.others = others;
    }

    /** Returns the bytes that count now. */
    public long usedBytes() {
        return budget.usedBytes();
    }

    @Override
    public ServerStreamTracer newServerStreamTracer(String method, Metadata headers) {
        return others.test(method) ? new ServerStreamTracer() {} : new Charge();
    }

    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
        if (others.test(call.getMethodDescriptor().getFullMethodName())) {
            return next.startCall(call, headers);
        }
        Charge charge = Objects.requireNonNull(CHARGE.get(), "not the server's tracer");
        charge.call = call;
        return new Admitted<>(next.startCall(call, headers), charge);
    }

    /**
     * A listener of an admitted call. A request may be refused for its last bytes, and then be complete; it is dropped
     * all the same.
     */
    private static final class Admitted<Q> extends ForwardingServerCallListener.SimpleForwardingServerCallListener<Q> {
        private final Charge charge;

        Admitted(ServerCall.Listener<Q> listener, Charge charge) {
            super(listener);
            this.charge = charge;
        }

        @Override
        public void onMessage(Q request) {
            if (!charge.isRefused()) {
                super.onMessage(request);
            }
        }

        @Override
        public void onHalfClose() {
            if (!charge.isRefused()) {
                super.onHalfClose();
            }
        }
    }

    /** Returns an executor on which calls run their work; their requests count until that work is done. */
    public Executor holding(Executor executor) {
        return task -> {
            Charge charge = Objects.requireNonNull(CHARGE.get(), "outside of a call");
            charge.retain();
            boolean taken = false;
            try {
                executor.execute(() -> {
                    try {
                        task.run();
                    } finally {
                        charge.release();
                    }
                });
                taken = true;
            } finally {
                if (!taken) {
                    charge.release();
                }
            }
        };
    }

    /** The bytes of one call. Its event loop adds to them; the last release subtracts them. */
    private final class Charge extends ServerStreamTracer {
        /** The call, set by the event loop before the first byte arrives; null where the call was refused before. */
        private @Nullable ServerCall<?, ?> call;

        @GuardedBy("this")
        private long bytes;

        @GuardedBy("this")
        private int holders = 1;

        @GuardedBy("this")
        private boolean refused;

        @Override
        public Context filterContext(Context context) {
            return context.withValue(CHARGE, this);
        }

        @Override
        public void inboundWireSize(long arrived) {
            ServerCall<?, ?> open = call;
            if (open != null && !take(arrived)) {
                StatusRuntimeException refusal =
                        RpcErrors.toStatus(CloudMwException.full("requests of " + budget.usedBytes()
                                + " bytes are under way already (expected: with this one <= " + budget.limitBytes()
                                + ", " + setting + ")"));
                open.close(refusal.getStatus(), Objects.requireNonNull(refusal.getTrailers()));
            }
        }

        /**
         * Adds arrived bytes. Returns false once, for the first bytes beyond the limit; later bytes of the call are
         * dropped.
         */
        private synchronized boolean take(long arrived) {
            if (refused || holders == 0) {
                return true;
            }
            refused = !budget.tryTake(arrived);
            bytes += refused ? 0 : arrived;
            return !refused;
        }

        synchronized boolean isRefused() {
            return refused;
        }

        @Override
        public void streamClosed(Status status) {
            release();
        }

        synchronized void retain() {
            holders++;
        }

        synchronized void release() {
            holders--;
            if (holders == 0) {
                budget.giveBack(bytes);
            }
        }
    }
}
