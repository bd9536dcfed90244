package io.cloudmw.core.race;

import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;

/** Counts what becomes the {@link Tally}. */
final class Ledger {
    /** Attempts whose end was not heard; the oldest are forgotten, as they are when a helper dies. */
    private static final int MAX_ATTEMPTS = 4096;

    private final Map<AttemptId, Long> live = new LinkedHashMap<>();
    private int requests;
    private long fetchedBytes;
    private long deliveredBytes;
    private int hedgesWon;
    private int handOversWon;
    private int suppressed;
    private final Map<IssueReason, Integer> issued = new EnumMap<>(IssueReason.class);

    void issued(IssueReason reason) {
        issued.merge(reason, 1, Integer::sum);
    }

    void won(IssueReason reason) {
        if (reason == IssueReason.HEDGE) {
            hedgesWon++;
        } else if (reason == IssueReason.HAND_OVER) {
            handOversWon++;
        }
    }

    void suppressed() {
        suppressed++;
    }

    void delivered(long bytes) {
        deliveredBytes += bytes;
    }

    void attempted(DeliveryEvent.Attempted news) {
        AttemptId attempt = new AttemptId(news.block(), news.racer(), news.number());
        Long before = live.get(attempt);
        if (news.stage() == DeliveryEvent.Stage.STARTED) {
            if (before == null) {
                requests++;
                live.put(attempt, news.bytes());
                fetchedBytes += news.bytes();
            }
        } else if (before != null) {
            fetchedBytes += Math.max(0, news.bytes() - before);
            live.put(attempt, Math.max(before, news.bytes()));
            if (news.stage() != DeliveryEvent.Stage.UNDER_WAY) {
                live.remove(attempt);
            }
        }
        if (live.size() > MAX_ATTEMPTS) {
            live.remove(live.keySet().iterator().next());
        }
    }

    Tally tally() {
        return new Tally(
                requests,
                fetchedBytes,
                deliveredBytes,
                count(IssueReason.RETRY),
                count(IssueReason.HEDGE),
                hedgesWon,
                count(IssueReason.HAND_OVER),
                handOversWon,
                count(IssueReason.STEAL),
                count(IssueReason.DUPLICATE),
                suppressed);
    }

    private int count(IssueReason reason) {
        return issued.getOrDefault(reason, 0);
    }
}
