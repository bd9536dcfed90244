package io.cloudmw.coordinator.rpc.authorization;

import com.google.protobuf.Message;
import io.cloudmw.coordinator.grant.Authorizer;
import io.cloudmw.coordinator.rpc.audit.AuditTrail;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.rpc.CallerIdentity;
import io.cloudmw.core.rpc.RpcErrors;
import io.cloudmw.core.tls.ProcessIdentity;
import io.cloudmw.core.tls.ProcessRole;
import io.grpc.ForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import java.util.List;
import java.util.Optional;

/**
 * The interceptor that checks each request before its service sees it. A request that the caller has no right to make
 * ends the call with {@code PERMISSION_DENIED}. Safe for any thread.
 */
public final class CallAuthorization implements ServerInterceptor {
    private final Authorizer authorizer;
    private final AuditTrail trail;

    public CallAuthorization(Authorizer authorizer, AuditTrail trail) {
        this.authorizer = authorizer;
        this.trail = trail;
    }

    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
        Optional<ProcessIdentity> caller = CallerIdentity.of(call);
        if (caller.isEmpty()) {
            return next.startCall(call, headers);
        }
        return new Checked<>(next.startCall(call, headers), call, caller);
    }

    /** A listener that passes only requests that the caller may make. */
    private final class Checked<Q> extends ForwardingServerCallListener.SimpleForwardingServerCallListener<Q> {
        private final ServerCall<Q, ?> call;
        private final Optional<ProcessIdentity> caller;
        private boolean refused;

        Checked(ServerCall.Listener<Q> next, ServerCall<Q, ?> call, Optional<ProcessIdentity> caller) {
            super(next);
            this.call = call;
            this.caller = caller;
        }

        @Override
        public void onMessage(Q request) {
            try {
                check(call.getMethodDescriptor().getFullMethodName(), caller, (Message) request);
            } catch (CloudMwException e) {
                refused = true;
                call.close(RpcErrors.status(e), RpcErrors.trailers(e));
                return;
            }
            super.onMessage(request);
        }

        @Override
        public void onHalfClose() {
            if (!refused) {
                super.onHalfClose();
            }
        }
    }

    private void check(String method, Optional<ProcessIdentity> caller, Message request) throws CloudMwException {
        List<CallNeed> needs = CallRules.of(method, request)
                .orElseThrow(() ->
                        new CloudMwException(ErrorCode.PERMISSION_DENIED, method + ": nobody may call this method"));
        for (CallNeed need : needs) {
            require(need, caller);
        }
        if (caller.filter(known -> known.role() == ProcessRole.CLIENT).isPresent()) {
            for (CallNeed need : needs) {
                if (need instanceof CallNeed.ToPath path) {
                    trail.accessed(method, caller.get(), path.right(), volume(path.volume()), path.path());
                }
            }
        }
    }

    private void require(CallNeed need, Optional<ProcessIdentity> caller) throws CloudMwException {
        if (need instanceof CallNeed.Member) {
            if (caller.filter(known -> known.role() == ProcessRole.CLIENT).isPresent()) {
                throw new CloudMwException(
                        ErrorCode.PERMISSION_DENIED, "only helpers and coordinators may call this method");
            }
        } else if (need instanceof CallNeed.HelperItself helper) {
            requireItself(helper.id(), caller);
        } else if (need instanceof CallNeed.InCluster role) {
            authorizer.requireRole(caller, role.role());
        } else if (need instanceof CallNeed.Sees volume) {
            authorizer.requireSeen(caller, volume(volume.volume()));
        } else if (need instanceof CallNeed.InVolume somewhere) {
            authorizer.requireRightIn(caller, somewhere.right(), volume(somewhere.volume()));
        } else if (need instanceof CallNeed.ToPath path) {
            authorizer.requireRight(caller, path.right(), volume(path.volume()), path.path());
        } else {
            authorizer.requireKnown(caller);
        }
    }

    private static void requireItself(String id, Optional<ProcessIdentity> caller) throws CloudMwException {
        boolean isItself = caller.isEmpty()
                || (caller.get().role() == ProcessRole.HELPER
                        && caller.get().id().equals(id));
        if (!isItself) {
            throw new CloudMwException(
                    ErrorCode.PERMISSION_DENIED,
                    "the call is of helper " + id.replaceAll("\\p{C}", "?") + ", and its caller has the certificate of "
                            + caller.get().describe());
        }
    }

    private static VolumeName volume(String name) throws CloudMwException {
        try {
            return new VolumeName(name);
        } catch (IllegalArgumentException e) {
            throw new CloudMwException(ErrorCode.INVALID_ARGUMENT, String.valueOf(e.getMessage()), e);
        }
    }
}
