package io.cloudmw.coordinator.rpc.authorization;

import com.google.protobuf.Message;
import io.cloudmw.coordinator.grant.Authorizer;
import io.cloudmw.coordinator.rpc.audit.AuditTrail;
import io.cloudmw.coordinator.rpc.audit.Caller;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.rpc.CallerIdentity;
import io.cloudmw.core.rpc.RpcErrors;
import io.cloudmw.core.tls.ProcessIdentity;
import io.cloudmw.core.tls.ProcessRole;
import io.cloudmw.core.wire.FromWire;
import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.ForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
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
    /** The most conditions of a request: each path of a batch is one, and some belong to the batch. */
    private static final int MAX_NEEDS = 1010;

    private static final Context.Key<Long> REVISION = Context.keyWithDefault("cloudmw-subjects", 0L);

    private final Authorizer authorizer;
    private final AuditTrail trail;

    public CallAuthorization(Authorizer authorizer, AuditTrail trail) {
        this.authorizer = authorizer;
        this.trail = trail;
    }

    /**
     * Returns the revision of the subjects that were known when the call came that this thread serves. By these, or by
     * newer ones, the call was allowed. A later revision would make tokens outlive a right that was taken meanwhile.
     */
    public static long revision() {
        return REVISION.get();
    }

    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
        Optional<ProcessIdentity> caller = CallerIdentity.of(call);
        if (caller.isEmpty()) {
            return next.startCall(call, headers);
        }
        Context context = Context.current().withValue(REVISION, authorizer.revision());
        return new Checked<>(Contexts.interceptCall(context, call, headers, next), call, caller);
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
            if (refused) {
                return;
            }
            try {
                // The service refuses what is no message.
                if (request instanceof Message message) {
                    check(call.getMethodDescriptor(), caller, message);
                }
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

    private void check(MethodDescriptor<?, ?> method, Optional<ProcessIdentity> caller, Message request)
            throws CloudMwException {
        List<CallNeed> needs = CallRules.of(method.getFullMethodName(), request).orElse(List.of());
        if (needs.isEmpty()) {
            throw new CloudMwException(
                    ErrorCode.PERMISSION_DENIED, method.getFullMethodName() + ": nobody may call this method");
        }
        if (needs.size() > MAX_NEEDS) {
            throw new CloudMwException(
                    ErrorCode.INVALID_ARGUMENT,
                    method.getBareMethodName() + ": " + needs.size() + " paths (expected: at most " + MAX_NEEDS + ")");
        }
        for (CallNeed need : needs) {
            require(need, caller);
        }
        if (caller.filter(known -> known.role() == ProcessRole.CLIENT).isPresent()) {
            for (CallNeed need : needs) {
                if (need instanceof CallNeed.ToPath path) {
                    trail.accessed(
                            String.valueOf(method.getBareMethodName()),
                            Caller.current(),
                            request,
                            path.right(),
                            FromWire.volumeName(path.volume()),
                            path.path());
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
        } else if (need instanceof CallNeed.Anywhere anywhere) {
            authorizer.requireRightAnywhere(caller, anywhere.right());
        } else if (need instanceof CallNeed.Sees volume) {
            authorizer.requireSeen(caller, FromWire.volumeName(volume.volume()));
        } else if (need instanceof CallNeed.InVolume somewhere) {
            authorizer.requireRightIn(caller, somewhere.right(), FromWire.volumeName(somewhere.volume()));
        } else if (need instanceof CallNeed.ToPath path) {
            authorizer.requireRight(caller, path.right(), FromWire.volumeName(path.volume()), bounded(path.path()));
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

    private static String bounded(String path) throws CloudMwException {
        if (path.length() > FilePath.MAX_BYTES) {
            throw new CloudMwException(
                    ErrorCode.INVALID_ARGUMENT,
                    "path of " + path.length() + " characters (expected: at most " + FilePath.MAX_BYTES + ")");
        }
        return path;
    }
}
