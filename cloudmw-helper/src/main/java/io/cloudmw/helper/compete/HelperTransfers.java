package io.cloudmw.helper.compete;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.bulk.BulkConnection;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.race.RacerId;
import io.cloudmw.core.security.TransferClaims;
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
    /** A rival that wants to join a transfer. Called once, by any thread. */
    public interface Joining {
        /** Accepts the rival: its messages go to {@code listener}. */
        RivalLink accepted(RivalLink.Listener listener);

        void refused(CloudMwException cause);
    }

    private record Parked(String transfer, RacerId racer, TransferClaims claims, Joining joining) {}

    private final HelperServices around;
    private final Object lock = new Object();

    @GuardedBy("lock")
    private final Map<String, HelperTransfer> running = new HashMap<>();

    @GuardedBy("lock")
    private final List<Parked> parked = new ArrayList<>();

    @GuardedBy("lock")
    private boolean closed;

    public HelperTransfers(HelperServices around) {
        this.around = around;
    }

    /**
     * Begins a transfer.
     *
     * @throws CloudMwException {@code OVERLOADED} when there are too many, or too many of this client; {@code ALREADY_EXISTS} when it has begun;
     *     {@code HELPER_UNAVAILABLE} when the destination's bulk connection is not there
     */
    public HelperTransfer begin(TransferSpec spec, Destination destination) throws CloudMwException {
        BulkConnection bulk = around.sessions()
                .find(spec.bulkSession())
                .orElseThrow(() -> new CloudMwException(
                        ErrorCode.HELPER_UNAVAILABLE, spec + ": no bulk connection of this session"));
        HelperTransfer transfer = new HelperTransfer(spec, bulk, around, destination, () -> ended(spec.id()));
        List<Parked> waiting;
        synchronized (lock) {
            if (closed || running.size() >= around.limits().transfers()) {
                throw CloudMwException.full(spec + ": " + running.size() + " transfers run here (limit: "
                        + around.limits().transfers() + ")");
            }
            requireRoomOfClient(spec);
            if (running.putIfAbsent(spec.id(), transfer) != null) {
                throw new CloudMwException(ErrorCode.ALREADY_EXISTS, spec + ": has begun here before");
            }
            waiting = takeParked(spec.id());
        }
        transfer.start();
        waiting.forEach(join -> admit(transfer, join));
        CloudMwException left = new CloudMwException(
                ErrorCode.HELPER_UNAVAILABLE, spec + ": the destination's bulk connection is closed");
        transfer.atEnd(bulk.onClosed(() -> transfer.abort(left)));
        return transfer;
    }

    @GuardedBy("lock")
    private void requireRoomOfClient(TransferSpec spec) throws CloudMwException {
        int own = 0;
        for (HelperTransfer other : running.values()) {
            own += other.spec().bulkSession().equals(spec.bulkSession()) ? 1 : 0;
        }
        if (own >= around.limits().clientTransfers()) {
            throw CloudMwException.full(spec + ": " + own + " transfers of its client run here (limit: "
                    + around.limits().clientTransfers() + ")");
        }
    }

    /** A rival wants to join; it is answered now, or when its transfer begins, or when it has waited for too long. */
    public void join(String id, RacerId racer, TransferClaims claims, Joining joining) {
        Parked join = new Parked(id, racer, claims, joining);
        @Nullable HelperTransfer transfer;
        boolean room;
        synchronized (lock) {
            transfer = running.get(id);
            room = !closed && parked.size() < around.limits().parkedJoins();
            if (transfer == null && room) {
                parked.add(join);
            }
        }
        if (transfer != null) {
            admit(transfer, join);
        } else if (room) {
            giveUpLater(join);
        } else {
            joining.refused(CloudMwException.full("transfer=" + id + ": too many rivals wait for transfers to begin"));
        }
    }

    /** Transfers that run now. */
    public int size() {
        synchronized (lock) {
            return running.size();
        }
    }

    /** Ends all transfers and takes no more. Idempotent. */
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
        waiting.forEach(join -> join.joining().refused(closing));
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
            join.joining()
                    .refused(new CloudMwException(
                            ErrorCode.UNAUTHENTICATED,
                            spec + ": racer " + join.racer().rank() + " cannot join with this rank and token"));
            return;
        }
        RivalLink link = join.joining().accepted(transfer.rivalEvents(join.racer()));
        transfer.joined(join.racer(), link);
    }

    private void giveUpLater(Parked join) {
        Runnable giveUp = () -> {
            boolean waits;
            synchronized (lock) {
                waits = parked.remove(join);
            }
            if (waits) {
                join.joining()
                        .refused(new CloudMwException(
                                ErrorCode.NOT_FOUND, "transfer=" + join.transfer() + ": did not begin here in time"));
            }
        };
        if (Threads.later(around.timer(), around.limits().joinNanos(), giveUp).isEmpty()) {
            giveUp.run();
        }
    }
}
