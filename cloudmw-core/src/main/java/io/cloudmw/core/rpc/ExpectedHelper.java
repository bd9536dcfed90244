package io.cloudmw.core.rpc;

import io.cloudmw.core.tls.Certificates;
import io.cloudmw.core.tls.ProcessIdentity;
import io.grpc.CallCredentials;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.util.Optional;
import java.util.concurrent.Executor;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/**
 * The interceptor of a channel to one helper: it fails calls, before their request leaves, on connections to a process
 * whose certificate names another one. Safe for any thread.
 */
final class ExpectedHelper extends CallCredentials implements ClientInterceptor {
    private final String id;

    ExpectedHelper(String id) {
        this.id = id;
    }

    @Override
    public <Q, A> ClientCall<Q, A> interceptCall(MethodDescriptor<Q, A> method, CallOptions options, Channel next) {
        return next.newCall(method, options.withCallCredentials(this));
    }

    @Override
    public void applyRequestMetadata(RequestInfo request, Executor executor, MetadataApplier applier) {
        @Nullable SSLSession session = request.getTransportAttrs().get(Grpc.TRANSPORT_ATTR_SSL_SESSION);
        Optional<ProcessIdentity> peer = session == null ? Optional.empty() : Certificates.peer(session);
        if (peer.isPresent() && peer.get().id().equals(id)) {
            applier.apply(new Metadata());
        } else {
            String found = peer.map(ProcessIdentity::describe).orElse("no process");
            applier.fail(Status.UNAVAILABLE.withCause(new SSLPeerUnverifiedException(
                    "the certificate is of " + found + " (expected: helper " + id + ")")));
        }
    }
}
