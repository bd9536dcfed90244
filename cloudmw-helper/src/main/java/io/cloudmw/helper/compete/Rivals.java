package io.cloudmw.helper.compete;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.race.RacerId;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The rivals of one transfer: the other helpers that race in it. Confined to the transfer's executor. Messages to a
 * rival that has not joined yet are kept; messages to a rival that is gone are dropped.
 */
final class Rivals {
    /** Messages kept for a rival that has not joined yet; a rival that falls further behind counts as gone. */
    static final int MAX_WAITING = 1024;

    private static final class Rival {
        private final ArrayDeque<RivalMessage> waiting = new ArrayDeque<>();
        private @Nullable RivalLink link;
        private boolean gone;
    }

    private final Map<RacerId, Rival> rivals = new HashMap<>();

    Rivals(int racers, RacerId self) {
        for (int rank = 0; rank < racers; rank++) {
            if (rank != self.rank()) {
                rivals.put(new RacerId(rank), new Rival());
            }
        }
    }

    /** Returns whether the transfer has this rival. */
    boolean knows(RacerId racer) {
        return rivals.containsKey(racer);
    }

    /**
     * Notes the link to a rival that has joined.
     *
     * @throws CloudMwException when the rival has a link already, or counts as gone; the new link is not used
     */
    void linked(RacerId racer, RivalLink link) throws CloudMwException {
        Rival rival = rivals.get(racer);
        if (rival == null || rival.gone || rival.link != null) {
            throw new CloudMwException(
                    ErrorCode.CONFLICT, "racer " + racer.rank() + " has joined before, or is not awaited any more");
        }
        rival.link = link;
        rival.waiting.forEach(link::send);
        rival.waiting.clear();
    }

    /** Sends a message, or keeps it; false when the rival must be given up because too many messages are kept. */
    boolean send(RacerId racer, RivalMessage message) {
        Rival rival = rivals.get(racer);
        if (rival == null || rival.gone) {
            return true;
        }
        if (rival.link != null) {
            rival.link.send(message);
            return true;
        }
        rival.waiting.add(message);
        return rival.waiting.size() <= MAX_WAITING;
    }

    /** Returns whether the rival has joined, or is gone. */
    boolean settled(RacerId racer) {
        Rival rival = rivals.get(racer);
        return rival == null || rival.gone || rival.link != null;
    }

    /** Closes the link to a rival, for good; false when it was gone before. */
    boolean drop(RacerId racer) {
        Rival rival = rivals.get(racer);
        if (rival == null || rival.gone) {
            return false;
        }
        rival.gone = true;
        rival.waiting.clear();
        if (rival.link != null) {
            rival.link.close();
        }
        return true;
    }

    void close() {
        rivals.keySet().forEach(this::drop);
    }
}
