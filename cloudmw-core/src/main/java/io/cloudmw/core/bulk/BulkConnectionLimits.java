package io.cloudmw.core.bulk;

import io.cloudmw.core.bulk.frame.BulkViolation;
import io.cloudmw.core.bulk.frame.ViolationException;
import io.cloudmw.core.schedule.ConnectionSlots;
import io.netty.channel.Channel;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The limits of a bulk server on its connections: on all of them, and on those that have not completed their handshake,
 * in total and from one address. A connection beyond a limit is told so and closed, which costs a TLS handshake; of
 * further ones nothing is read or sent. Safe for any thread.
 */
final class BulkConnectionLimits {
    /** The connections whose handshakes are always allowed, also from one address. */
    private static final int FEW = 64;

    /** The refused connections that are being told the reason at once. */
    static final int MAX_TOLD = 64;

    private final int connections;
    private final OpenChannels open;
    private final ConnectionSlots handshakes;
    private final ConnectionSlots told = new ConnectionSlots(MAX_TOLD, MAX_TOLD);

    /**
     * @param connections the most connections; half of them may be in their handshake, and a quarter from one address
     * @param open the connections of the server now
     */
    BulkConnectionLimits(int connections, OpenChannels open) {
        int few = Math.min(FEW, connections);
        this.connections = connections;
        this.open = open;
        handshakes = new ConnectionSlots(Math.max(connections / 2, few), Math.max(connections / 4, few));
    }

    /**
     * The decision on a new connection.
     *
     * @param refusal the reason that the peer is told before the connection is closed; null: it is accepted
     * @param greeted to be run when the handshake is complete
     */
    record Decision(@Nullable ViolationException refusal, Runnable greeted) {}

    /** Decides on a new connection; empty: the caller closes it at once. */
    Optional<Decision> decide(Channel child) {
        if (!(child.remoteAddress() instanceof InetSocketAddress peer)) {
            return Optional.empty(); // closed already
        }
        ViolationException refusal = null;
        Runnable greeted = () -> {};
        if (open.size() >= connections) {
            refusal = new ViolationException(
                    BulkViolation.TOO_MANY_CONNECTIONS, "more than " + connections + " connections");
        } else if (handshakes.tryTake(peer.getAddress())) {
            greeted = giveBackOnce(handshakes, child, peer);
        } else {
            refusal = new ViolationException(
                    BulkViolation.TOO_MANY_HANDSHAKES, "too many connections that have not greeted");
        }
        if (refusal != null) {
            if (!told.tryTake(peer.getAddress())) {
                return Optional.empty();
            }
            Runnable unused = giveBackOnce(told, child, peer);
        }
        return Optional.of(new Decision(refusal, greeted));
    }

    /** Gives the slot back when the result is run or the connection has ended, whichever is first. */
    private static Runnable giveBackOnce(ConnectionSlots slots, Channel child, InetSocketAddress peer) {
        AtomicBoolean over = new AtomicBoolean();
        Runnable end = () -> {
            if (!over.getAndSet(true)) {
                slots.giveBack(peer.getAddress());
            }
        };
        child.closeFuture().addListener(closed -> end.run());
        return end;
    }
}
