package io.cloudmw.helper.compete;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.race.RacerId;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The other racers of one transfer. Confined to the transfer's executor. What is said to a peer before it has joined
 * waits for it; what is said to a peer that is gone is dropped.
 */
final class Peers {
    /** Messages kept for a peer that has not joined yet; a peer that falls further behind counts as gone. */
    static final int MAX_WAITING = 1024;

    private static final class Peer {
        private final ArrayDeque<PeerMessage> waiting = new ArrayDeque<>();
        private @Nullable PeerLink link;
        private boolean gone;
    }

    private final Map<RacerId, Peer> peers = new HashMap<>();

    Peers(int racers, RacerId self) {
        for (int rank = 0; rank < racers; rank++) {
            if (rank != self.rank()) {
                peers.put(new RacerId(rank), new Peer());
            }
        }
    }

    /** Whether this is another racer of the transfer. */
    boolean knows(RacerId racer) {
        return peers.containsKey(racer);
    }

    /**
     * The way to a peer is there.
     *
     * @throws CloudMwException when there is one already or the peer counts as gone: the new one is not used
     */
    void linked(RacerId racer, PeerLink link) throws CloudMwException {
        Peer peer = peers.get(racer);
        if (peer == null || peer.gone || peer.link != null) {
            throw new CloudMwException(
                    ErrorCode.CONFLICT, "racer " + racer.rank() + " has joined before, or is not awaited any more");
        }
        peer.link = link;
        peer.waiting.forEach(link::send);
        peer.waiting.clear();
    }

    /** Returns false when the peer must be given up: too much is waiting for it. */
    boolean send(RacerId racer, PeerMessage message) {
        Peer peer = peers.get(racer);
        if (peer == null || peer.gone) {
            return true;
        }
        if (peer.link != null) {
            peer.link.send(message);
            return true;
        }
        peer.waiting.add(message);
        return peer.waiting.size() <= MAX_WAITING;
    }

    /** Whether the racer has joined, or is gone. */
    boolean settled(RacerId racer) {
        Peer peer = peers.get(racer);
        return peer == null || peer.gone || peer.link != null;
    }

    /** Nothing more is expected of this racer. @return whether it was not gone before */
    boolean drop(RacerId racer) {
        Peer peer = peers.get(racer);
        if (peer == null || peer.gone) {
            return false;
        }
        peer.gone = true;
        peer.waiting.clear();
        if (peer.link != null) {
            peer.link.close();
        }
        return true;
    }

    void close() {
        peers.keySet().forEach(this::drop);
    }
}
