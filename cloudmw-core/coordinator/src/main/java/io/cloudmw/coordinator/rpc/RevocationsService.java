package io.cloudmw.coordinator.rpc;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.coordinator.grant.KnownSubjects;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.rpc.RpcErrors;
import io.cloudmw.core.security.RevokedHolders;
import io.cloudmw.core.time.WallClock;
import io.cloudmw.core.tls.ProcessIdentity;
import io.cloudmw.core.tls.ProcessRole;
import io.cloudmw.proto.v1.FollowRevocationsRequest;
import io.cloudmw.proto.v1.RevocationEvent;
import io.cloudmw.proto.v1.RevocationsGrpc;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The gRPC service that tells helpers whose transfer tokens were revoked. Each follower gets the whole list at once and
 * after each change. While the catalog does not answer, followers hear nothing and turn to another coordinator. A slow
 * follower gets the newest list when it is ready again, and costs no memory meanwhile. Safe for any thread.
 */
public final class RevocationsService extends RevocationsGrpc.RevocationsImplBase implements AutoCloseable {
    /** The most followers: the most helpers. */
    static final int MAX_FOLLOWERS = 4096;

    private static final Logger LOG = LoggerFactory.getLogger(RevocationsService.class);
    private static final RevocationEvent UNCHANGED =
            RevocationEvent.newBuilder().setUnchanged(true).build();

    private final KnownSubjects known;
    private final Optional<String> cluster;
    private final RevokedHolders here;
    private final WallClock clock;
    private final Object making = new Object();

    @GuardedBy("this")
    private final Map<String, Follower> followers = new HashMap<>();

    @GuardedBy("this")
    private boolean closed;

    /** The last list, which all followers get. */
    @GuardedBy("making")
    private Told newest = new Told(-1, UNCHANGED);

    /**
     * A list as it is sent.
     *
     * @param revision of the subjects
     */
    private record Told(long revision, RevocationEvent event) {}

    /**
     * @param cluster its name in certificates; empty: in plain text, where nobody is followed
     * @param here gets each list, for the tokens that this coordinator verifies
     */
    public RevocationsService(KnownSubjects known, Optional<String> cluster, RevokedHolders here, WallClock clock) {
        this.known = known;
        this.cluster = cluster;
        this.here = here;
        this.clock = clock;
        if (cluster.isPresent()) {
            known.onChange(this::tell);
            Told unused = told();
        }
    }

    @Override
    public void followRevocations(FollowRevocationsRequest request, StreamObserver<RevocationEvent> observer) {
        ServerCallStreamObserver<RevocationEvent> call = (ServerCallStreamObserver<RevocationEvent>) observer;
        String helper = request.getHelperId();
        Follower follower = new Follower(call);
        call.setOnCancelHandler(() -> forget(helper, follower));
        call.setOnReadyHandler(follower::tell);
        try {
            Optional<Follower> former = add(helper, follower);
            former.ifPresent(other -> other.end(new CloudMwException(
                    ErrorCode.CANCELLED, "helper " + helper + " follows the revocations by another call")));
            follower.tell();
        } catch (CloudMwException e) {
            follower.end(e);
        }
    }

    private synchronized Optional<Follower> add(String helper, Follower follower) throws CloudMwException {
        if (cluster.isEmpty()) {
            throw new CloudMwException(
                    ErrorCode.INVALID_ARGUMENT,
                    "revocations cannot be followed in plain text, where tokens are bound to nobody"
                            + " (expected: tls.insecure=false)");
        }
        if (closed) {
            throw stopping();
        }
        if (followers.size() >= MAX_FOLLOWERS && !followers.containsKey(helper)) {
            throw new CloudMwException(
                    ErrorCode.OVERLOADED,
                    "followers of revocations: " + followers.size() + " (expected: < " + MAX_FOLLOWERS + ")");
        }
        return Optional.ofNullable(followers.put(helper, follower));
    }

    private synchronized void forget(String helper, Follower follower) {
        boolean unused = followers.remove(helper, follower);
    }

    /** Returns how many helpers follow. */
    synchronized int followers() {
        return followers.size();
    }

    private synchronized List<Follower> all() {
        return new ArrayList<>(followers.values());
    }

    private void tell() {
        Told unused = told();
        all().forEach(Follower::tell);
    }

    /** Tells all followers that this coordinator still serves and knows the newest list. Called each second or so. */
    public void beat() {
        all().forEach(Follower::beat);
    }

    private Told told() {
        synchronized (making) {
            if (newest.revision() != known.revision()) {
                newest = made(cluster.orElseThrow());
            }
            return newest;
        }
    }

    private Told made(String ofCluster) {
        KnownSubjects.Losses losses = known.losses(clock.millis());
        Map<String, Long> revisions = new HashMap<>();
        losses.bySubject()
                .forEach((subject, last) -> revisions.put(
                        new ProcessIdentity(ofCluster, ProcessRole.CLIENT, subject).holder(), last.revision()));
        here.replace(revisions);
        RevocationEvent.Builder event = RevocationEvent.newBuilder();
        revisions.forEach((identity, revision) ->
                event.addRevokedBuilder().setIdentity(identity).setRevision(revision));
        return new Told(losses.revision(), event.build());
    }

    private static CloudMwException stopping() {
        return new CloudMwException(
                ErrorCode.COORDINATOR_UNAVAILABLE, "the coordinator is stopping; follow another one");
    }

    /** Ends all calls. Idempotent. */
    @Override
    public void close() {
        synchronized (this) {
            closed = true;
        }
        all().forEach(follower -> follower.end(stopping()));
    }

    /** The call of one helper. */
    private final class Follower {
        private final ServerCallStreamObserver<RevocationEvent> call;

        /** The revision of the list that the helper has; -1: it has none. */
        @GuardedBy("this")
        private long sent = -1;

        @GuardedBy("this")
        private boolean over;

        Follower(ServerCallStreamObserver<RevocationEvent> call) {
            this.call = call;
        }

        /** Sends the newest list unless the helper has it. */
        synchronized void tell() {
            if (!isOpen()) {
                return;
            }
            Told next = told();
            if (next.revision() != sent) {
                send(next.event());
                sent = next.revision();
            }
        }

        synchronized void beat() {
            tell();
            if (isOpen()) {
                send(UNCHANGED);
            }
        }

        @GuardedBy("this")
        private boolean isOpen() {
            return !over && call.isReady() && known.areConfirmed();
        }

        /** A call that ends meanwhile must not spoil the change that is told. */
        @GuardedBy("this")
        private void send(RevocationEvent event) {
            try {
                call.onNext(event);
            } catch (RuntimeException e) {
                over = true;
                LOG.debug("a helper that follows revocations is gone", e);
            }
        }

        synchronized void end(CloudMwException why) {
            if (!over && !call.isCancelled()) {
                call.onError(RpcErrors.toStatus(why));
            }
            over = true;
        }
    }
}
