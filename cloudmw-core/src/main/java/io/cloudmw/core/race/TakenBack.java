package io.cloudmw.core.race;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Blocks that went to another racer because nobody had begun them, as far as was heard. Who began one all the same, before
 * it heard that it was withdrawn, has made an extra request after all, or, where another's was paid for, fetched bytes that
 * were not: the governor is told as soon as that is heard.
 */
final class TakenBack {
    /** The oldest make room: their racers have been silent since. */
    private static final int MOST = 256;

    private final Governor governor;
    /** Whether what was begun of them is no extra request any more: it is known, or another was paid for. */
    private final Map<BlockId, Boolean> begun = new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<BlockId, Boolean> eldest) {
            return size() > MOST;
        }
    };

    TakenBack(Governor governor) {
        this.governor = governor;
    }

    void add(BlockId block) {
        begun.put(block, false);
    }

    /** A second attempt, which the governor allowed, has won over it. */
    void addPaid(BlockId block) {
        begun.put(block, true);
    }

    /** A racer says how far an attempt at a block has come that is not under way any more, as others see it. */
    void attempted(DeliveryEvent.Attempted attempt) {
        Boolean known = begun.get(attempt.block());
        if (known == null) {
            return;
        }
        if (attempt.stage() == DeliveryEvent.Stage.KEPT) {
            begun.remove(attempt.block());
            return;
        }
        boolean stopped = attempt.stage() == DeliveryEvent.Stage.STOPPED;
        boolean over = stopped || attempt.stage() == DeliveryEvent.Stage.FETCHED;
        boolean news = !known && (!stopped || attempt.bytes() > 0);
        governor.charge(news ? 1 : 0, over ? attempt.bytes() : 0);
        if (over) {
            begun.remove(attempt.block());
        } else {
            begun.put(attempt.block(), true);
        }
    }
}
