package io.cloudmw.helper.compete;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.bulk.BulkConnection;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.race.RacerId;
import io.cloudmw.core.security.TransferClaims;
import io.cloudmw.core.security.TransferTokens;
import io.cloudmw.core.thread.Threads;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The transfers of this helper, and the rivals that joined one before its destination did. Safe for any thread.
 */
public final class HelperTransfers implements AutoCloseable {
    /** A request of a rival to join a transfer. One of the methods is called once, by any thread. */
    public interface JoinRequest {
        /** Accepts the rival, whose messages go to {@code listener}. */
        RivalLink accepted(RivalLink.Listener listener);

        void refused(CloudMwException cause);
    }

    private record Parked(String transfer, RacerId racer, TransferClaims claims, JoinRequest request) {}

    private final HelperServices services;
    private final Object lock = new Object();

    @GuardedBy("lock")
    private final Map<String, HelperTransfer> running = new HashMap<>();

    @GuardedBy("lock")
    private final List<Parked> parked = new ArrayList<>();

    @GuardedBy("lock")
    private boolean closed;

    public HelperTransfers(HelperServices services) {
        this.services = services;
    }

    /**
     * Begins a transfer.
     *
     * @throws CloudMwException {@code OVERLOADED} when too many transfers run, or too many of this client;
     *     {@code ALREADY_EXISTS} when the transfer has begun here; {@code HELPER_UNAVAILABLE} when there is no bulk
     *     connection of the destination
     */
    public HelperTransfer begin(TransferSpec spec, Destination destination) throws CloudMwException {
        BulkConnection bulk = services.links()
                .sessions()
                .find(spec.bulkSession())
                .orElseThrow(() -> new CloudMwException(
                        ErrorCode.HELPER_UNAVAILABLE,
                        spec + ": the destination has no bulk connection to this helper"));
        HelperTransfer transfer = new HelperTransfer(spec, bulk, services, destination, () -> ended(spec.id()));
        List<Parked> waiting;
        synchronized (lock) {
            if (closed || running.size() >= services.limits().transfers()) {
                throw CloudMwException.full(spec + ": " + running.size() + " transfers run here (limit: "
                        + services.limits().transfers() + ")");
            }
            requireRoomOfClient(spec);
            if (running.putIfAbsent(spec.id(), transfer) != null) {
                throw new CloudMwException(ErrorCode.ALREADY_EXISTS, spec + ": the transfer has begun here already");
            }
            waiting = takeParked(spec.id());
        }
        transfer.start();
        waiting.forEach(join -> admit(transfer, join));
        CloudMwException left = new CloudMwException(
                ErrorCode.HELPER_UNAVAILABLE, spec + ": the destination's bulk connection is closed");
        bulk.hold();
        Runnable deaf = bulk.onClosed(() -> transfer.abort(left));
        transfer.atEnd(() -> {
            deaf.run();
            bulk.release();
        });
        return transfer;
    }

    @GuardedBy("lock")
    private void requireRoomOfClient(TransferSpec spec) throws CloudMwException {
        String client = spec.tenant().client();
        int own = 0;
        for (HelperTransfer other : running.values()) {
            own += other.spec().tenant().client().equals(client) ? 1 : 0;
        }
        if (own >= services.limits().clientTransfers()) {
            throw CloudMwException.full(spec + ": " + own + " transfers of its client run here (limit: "
                    + services.limits().clientTransfers() + ")");
        }
    }

    /** Adds a rival's request to join. The request is answered now, when its transfer begins, or after a time-out. */
    public void join(String id, RacerId racer, TransferClaims claims, JoinRequest request) {
        Parked join = new Parked(id, racer, claims, request);
        @Nullable HelperTransfer transfer;
        boolean room;
        synchronized (lock) {
            transfer = running.get(id);
            room = !closed && parked.size() < services.limits().parkedJoins();
            if (transfer == null && room) {
                parked.add(join);
            }
        }
        if (transfer != null) {
            admit(transfer, join);
        } else if (room) {
            expireLater(join);
        } else {
            request.refused(CloudMwException.full(
                    "transfer=" + id + ": too many rivals wait for transfers to begin here; retry later"));
        }
    }

    /** Fails the transfers whose tokens were revoked. */
    public void resetRevoked(TransferTokens tokens) {
        List<HelperTransfer> all;
        synchronized (lock) {
            all = List.copyOf(running.values());
        }
        for (HelperTransfer transfer : all) {
            try {
                tokens.requireNotRevoked(transfer.spec().claims());
            } catch (CloudMwException e) {
                transfer.abort(e);
            }
        }
    }

    /** Number of running transfers. */
    public int size() {
        synchronized (lock) {
            return running.size();
        }
    }

    /** Fails all transfers and accepts no more. Idempotent. */
    @Override
    public void close() {
        List<HelperTransfer> all;
        List<Parked> waiting;
        synchronized (lock) {
            closed = true;
            all = List.copyOf(running.values());
            waiting = List.copyOf(parked);
            parked.clear();
        }
        CloudMwException closing = new CloudMwException(ErrorCode.HELPER_UNAVAILABLE, "the helper is closing");
        all.forEach(transfer -> transfer.abort(closing));
        waiting.forEach(join -> join.request().refused(closing));
    }

    private void ended(String id) {
        synchronized (lock) {
            running.remove(id);
        }
    }

    @GuardedBy("lock")
    private List<Parked> takeParked(String id) {
        List<Parked> taken = new ArrayList<>();
        for (Iterator<Parked> all = parked.iterator(); all.hasNext(); ) {
            Parked join = all.next();
            if (join.transfer().equals(id)) {
                all.remove();
                taken.add(join);
            }
        }
        return taken;
    }

    private static void admit(HelperTransfer transfer, Parked join) {
        TransferSpec spec = transfer.spec();
        boolean lower = join.racer().rank() < spec.self().rank();
        if (!lower || !join.claims().version().equals(spec.claims().version())) {
            join.request()
                    .refused(new CloudMwException(
                            ErrorCode.UNAUTHENTICATED,
                            spec + ": racer " + join.racer().rank()
                                    + " has a rank that is not lower, or a token for another version"));
            return;
        }
        RivalLink link = join.request().accepted(transfer.rivalEvents(join.racer()));
        transfer.joined(join.racer(), link);
    }

    private void expireLater(Parked join) {
        Runnable expire = () -> {
            boolean waits;
            synchronized (lock) {
                waits = parked.remove(join);
            }
            if (waits) {
                join.request()
                        .refused(new CloudMwException(
                                ErrorCode.NOT_FOUND,
                                "transfer=" + join.transfer() + ": the transfer did not begin here in time"));
            }
        };
        if (Threads.later(services.timing().timer(), services.limits().joinNanos(), expire)
                .isEmpty()) {
            expire.run();
        }
    }
}
