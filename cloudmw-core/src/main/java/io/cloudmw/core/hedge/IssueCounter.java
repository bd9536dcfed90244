package io.cloudmw.core.hedge;

import io.cloudmw.core.mode.IssueReason;
import java.util.EnumMap;
import java.util.Map;

/** The counter behind {@link IssueCounts}. */
public final class IssueCounter {
    private final Map<IssueReason, Integer> issued = new EnumMap<>(IssueReason.class);
    private int hedgesWon;
    private int handOversWon;
    private int suppressed;

    public void issued(IssueReason reason) {
        issued.merge(reason, 1, Integer::sum);
    }

    public void won(IssueReason reason) {
        if (reason == IssueReason.HEDGE) {
            hedgesWon++;
        } else if (reason == IssueReason.HAND_OVER) {
            handOversWon++;
        }
    }

    public void suppressed() {
        suppressed++;
    }

    public IssueCounts counts() {
        return new IssueCounts(
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
