package io.cloudmw.core.rpc;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.security.MemberProofs;
import io.cloudmw.core.tls.ProcessIdentity;
import io.cloudmw.core.tls.ProcessRole;
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
 * The interceptors for methods that only members of the cluster may call: helpers and coordinators. Under TLS a member
 * has a certificate with such a role. In plain text it puts {@code cloudmw-member} into its headers: a proof, for the
 * called method, that it knows the cluster's secret. Stateless; safe for any thread.
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
            boolean encrypted = CallerIdentity.isEncrypted(call);
            if (!methods.contains(method)
                    || (strangers && (encrypted ? !isCertified(call) : headers.get(MEMBER) == null))) {
                return next.startCall(call, headers);
            }
            try {
                if (encrypted) {
                    requireCertified(call);
                } else {
                    proofs.verify(method, headers.get(MEMBER));
                }
            } catch (CloudMwException e) {
                call.close(RpcErrors.status(e), RpcErrors.trailers(e));
                return new ServerCall.Listener<>() {};
            }
            return Contexts.interceptCall(Context.current().withValue(PROVEN, true), call, headers, next);
        }
    }

    private static boolean isCertified(ServerCall<?, ?> call) {
        return CallerIdentity.of(call)
                .filter(caller -> caller.role() != ProcessRole.CLIENT)
                .isPresent();
    }

    private static void requireCertified(ServerCall<?, ?> call) throws CloudMwException {
        if (!isCertified(call)) {
            throw new CloudMwException(
                    ErrorCode.UNAUTHENTICATED,
                    "only helpers and coordinators may call "
                            + call.getMethodDescriptor().getBareMethodName() + " (the caller is "
                            + CallerIdentity.of(call)
                                    .map(ProcessIdentity::describe)
                                    .orElse("a process without a certificate")
                            + ")");
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
