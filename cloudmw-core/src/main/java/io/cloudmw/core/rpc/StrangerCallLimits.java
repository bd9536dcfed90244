package io.cloudmw.core.rpc;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.schedule.ConnectionSlots;
import io.grpc.Context;
import io.grpc.ForwardingServerCallListener;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.ServerStreamTracer;
import io.grpc.Status;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The limits on calls of the methods that callers without a certificate may call: their number, in total and by remote
 * address, the bytes of each, as counted on the wire, and its time. So these calls cost bounded memory, whatever their
 * callers send or leave out. Used as tracer and as interceptor, on a server with a direct executor. Safe for any thread.
 */
public final class StrangerCallLimits extends ServerStreamTracer.Factory implements ServerInterceptor {
    /** Calls at once. */
    static final int MAX_CALLS = 128;

    /** The part of them from one address. */
    static final int MAX_CALLS_OF_ONE_ADDRESS = 32;

    /** The bytes of one call. An enrolment has less than a tenth of them. */
    static final int MAX_CALL_BYTES = 8 << 10;

    /** The time of one call. */
    static final int MAX_CALL_SECONDS = 10;

    private static final Metadata.Key<String> TIMEOUT =
            Metadata.Key.of("grpc-timeout", Metadata.ASCII_STRING_MARSHALLER);
    private static final Context.Key<Tracked> TRACKED = Context.key("cloudmw-stranger-call");

    private final Set<String> methods;
    private final int seconds;
    private final ConnectionSlots slots;

    /** @param methods full names of the methods that callers without a certificate may call */
    public StrangerCallLimits(Set<String> methods) {
        this(methods, MAX_CALLS, MAX_CALLS_OF_ONE_ADDRESS, MAX_CALL_SECONDS);
    }

    StrangerCallLimits(Set<String> methods, int most, int mostOfOneAddress, int seconds) {
        this.methods = Set.copyOf(methods);
        this.seconds = seconds;
        this.slots = new ConnectionSlots(most, mostOfOneAddress);
    }

    /** Returns whether a method has these limits. */
    public boolean covers(String method) {
        return methods.contains(method);
    }

    /** Returns the calls that count now. */
    int calls() {
        return slots.taken();
    }

    @Override
    public ServerStreamTracer newServerStreamTracer(String method, Metadata headers) {
        if (!covers(method)) {
            return new ServerStreamTracer() {};
        }
        // The server ends a call by the deadline in its headers.
        headers.discardAll(TIMEOUT);
        headers.put(TIMEOUT, seconds + "S");
        return new Tracked();
    }

    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
        Tracked tracked = TRACKED.get();
        if (tracked == null) {
            return next.startCall(call, headers);
        }
        InetAddress address =
                call.getAttributes().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR) instanceof InetSocketAddress remote
                        ? remote.getAddress()
                        : InetAddress.getLoopbackAddress();
        if (!tracked.admit(call, address)) {
            close(call, CloudMwException.full("too many calls of callers without a certificate are under way"));
            return new ServerCall.Listener<>() {};
        }
        return new Admitted<>(next.startCall(call, headers), tracked);
    }

    private static void close(ServerCall<?, ?> call, CloudMwException refusal) {
        call.close(RpcErrors.status(refusal), RpcErrors.trailers(refusal));
    }

    /** A listener of an admitted call. It drops a request that was refused for its last bytes. */
    private static final class Admitted<Q> extends ForwardingServerCallListener.SimpleForwardingServerCallListener<Q> {
        private final Tracked tracked;

        Admitted(ServerCall.Listener<Q> listener, Tracked tracked) {
            super(listener);
            this.tracked = tracked;
        }

        @Override
        public void onMessage(Q request) {
            if (!tracked.isRefused()) {
                super.onMessage(request);
            }
        }

        @Override
        public void onHalfClose() {
            if (!tracked.isRefused()) {
                super.onHalfClose();
            }
        }
    }

    /** A call with limits. */
    private final class Tracked extends ServerStreamTracer {
        /** The call, set before the first byte arrives; null where it was refused before. */
        @GuardedBy("this")
        private @Nullable ServerCall<?, ?> call;

        /** The address whose slot it has; null: none. */
        @GuardedBy("this")
        private @Nullable InetAddress slot;

        @GuardedBy("this")
        private long bytes;

        @GuardedBy("this")
        private boolean refused;

        @GuardedBy("this")
        private boolean over;

        @Override
        public Context filterContext(Context context) {
            return context.withValue(TRACKED, this);
        }

        /** Takes a slot; returns false when none is left. */
        synchronized boolean admit(ServerCall<?, ?> admitted, InetAddress address) {
            if (over || !slots.tryTake(address)) {
                return false;
            }
            slot = address;
            call = admitted;
            return true;
        }

        @Override
        public void inboundWireSize(long arrived) {
            ServerCall<?, ?> open = firstBeyond(arrived);
            if (open != null) {
                close(
                        open,
                        new CloudMwException(
                                ErrorCode.INVALID_ARGUMENT,
                                "a request of more than " + MAX_CALL_BYTES + " bytes (expected: <= " + MAX_CALL_BYTES
                                        + ", because the method is open to callers without a certificate)"));
            }
        }

        /** Adds arrived bytes. Returns the call once, for the first bytes beyond the limit. */
        private synchronized @Nullable ServerCall<?, ?> firstBeyond(long arrived) {
            bytes += arrived;
            if (bytes <= MAX_CALL_BYTES || refused) {
                return null;
            }
            refused = true;
            return call;
        }

        synchronized boolean isRefused() {
            return refused;
        }

        @Override
        public synchronized void streamClosed(Status status) {
            over = true;
            if (slot != null) {
                slots.giveBack(slot);
                slot = null;
            }
        }
    }
}
