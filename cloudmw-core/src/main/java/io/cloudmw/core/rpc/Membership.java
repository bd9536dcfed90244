package io.cloudmw.core.rpc;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.security.MemberProofs;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.ForwardingClientCall;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import java.util.Set;

/**
 * The interceptors for methods that only members of the cluster may call. A member puts {@code cloudmw-member} into
 * its headers: a proof, for the called method, that it knows the cluster's secret. Stateless; safe for any thread.
 */
public final class Membership {
    static final Metadata.Key<String> MEMBER = Metadata.Key.of("cloudmw-member", Metadata.ASCII_STRING_MARSHALLER);

    private static final Context.Key<Boolean> PROVEN = Context.keyWithDefault("cloudmw-member", false);

    private Membership() {}

    /** The interceptor of a member's channel: it adds a proof to every call. */
    public static ClientInterceptor client(MemberProofs proofs) {
        return new ClientSide(proofs);
    }

    /**
     * The interceptor of a server: it refuses calls without a proof with {@code UNAUTHENTICATED}, before the service
     * sees them.
     *
     * @param guarded full names of the methods for members only; every caller may use the others
     */
    public static ServerInterceptor server(MemberProofs proofs, Set<String> guarded) {
        return new ServerSide(proofs, Set.copyOf(guarded), false);
    }

    /**
     * The interceptor of a server whose service also answers strangers. A call without a proof reaches the service,
     * which learns it from {@link #isProven()}. A call with a wrong proof is refused as by {@link #server}.
     *
     * @param methods full names of the methods that answer members otherwise than strangers
     */
    public static ServerInterceptor telling(MemberProofs proofs, Set<String> methods) {
        return new ServerSide(proofs, Set.copyOf(methods), true);
    }

    /** Returns whether the caller of the service method on this thread has proven that it is a member. */
    public static boolean isProven() {
        return PROVEN.get();
    }

    private record ServerSide(MemberProofs proofs, Set<String> methods, boolean strangers)
            implements ServerInterceptor {
        @Override
        public <Q, A> ServerCall.Listener<Q> interceptCall(
                ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
            String method = call.getMethodDescriptor().getFullMethodName();
            if (!methods.contains(method) || (strangers && headers.get(MEMBER) == null)) {
                return next.startCall(call, headers);
            }
            try {
                proofs.verify(method, headers.get(MEMBER));
            } catch (CloudMwException e) {
                call.close(RpcErrors.status(e), RpcErrors.trailers(e));
                return new ServerCall.Listener<>() {};
            }
            return Contexts.interceptCall(Context.current().withValue(PROVEN, true), call, headers, next);
        }
    }

    private record ClientSide(MemberProofs proofs) implements ClientInterceptor {
        @Override
        public <Q, A> ClientCall<Q, A> interceptCall(MethodDescriptor<Q, A> method, CallOptions options, Channel next) {
            return new ForwardingClientCall.SimpleForwardingClientCall<>(next.newCall(method, options)) {
                @Override
                public void start(Listener<A> listener, Metadata headers) {
                    headers.put(MEMBER, proofs.prove(method.getFullMethodName()));
                    super.start(listener, headers);
                }
            };
        }
    }
}
