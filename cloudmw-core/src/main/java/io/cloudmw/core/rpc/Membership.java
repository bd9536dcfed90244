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
 * What only members of the cluster may ask for: those who do put {@code cloudmw-member} into their headers, a proof that
 * they know its secret, for the method called. Stateless; safe for any thread.
 */
public final class Membership {
    static final Metadata.Key<String> MEMBER = Metadata.Key.of("cloudmw-member", Metadata.ASCII_STRING_MARSHALLER);

    private static final Context.Key<Boolean> PROVEN = Context.keyWithDefault("cloudmw-member", false);

    private Membership() {}

    /** For a member's channel: proves every call. */
    public static ClientInterceptor client(MemberProofs proofs) {
        return new ClientSide(proofs);
    }

    /**
     * For a server: refuses calls without a proof, with {@code UNAUTHENTICATED}, before the service sees them.
     *
     * @param guarded full names of the methods for members only; everybody may call the others
     */
    public static ServerInterceptor server(MemberProofs proofs, Set<String> guarded) {
        return new ServerSide(proofs, Set.copyOf(guarded), false);
    }

    /**
     * For a server: a call without a proof reaches the service, which learns from {@link #isProven()} that there was none. A
     * call whose proof does not fit is refused as by {@link #server}.
     *
     * @param methods full names of the methods that answer members otherwise than strangers
     */
    public static ServerInterceptor telling(MemberProofs proofs, Set<String> methods) {
        return new ServerSide(proofs, Set.copyOf(methods), true);
    }

    /**
     * Returns whether the caller of the call whose service method runs on this thread has proven that it is a
     * member.
     */
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
