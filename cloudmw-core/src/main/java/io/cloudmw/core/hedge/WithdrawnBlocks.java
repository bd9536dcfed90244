package io.cloudmw.core.hedge;

import io.cloudmw.core.race.AttemptStage;
import io.cloudmw.core.race.BlockId;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Blocks that went to another racer because nobody had begun them, as far as was heard. Who began one all the same, before
 * it heard that it was withdrawn, has made an extra request after all, or, where another's was paid for, fetched bytes that
 * were not: the governor is told as soon as that is heard.
 */
public final class WithdrawnBlocks {
    /** The oldest make room: their racers have been silent since. */
    private static final int MOST = 256;

    private final RedundancyBudget governor;
    /** Whether what was begun of them is no extra request any more: it is known, or another was paid for. */
    private final Map<BlockId, Boolean> begun = new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<BlockId, Boolean> eldest) {
            return size() > MOST;
        }
    };

    public WithdrawnBlocks(RedundancyBudget governor) {
        this.governor = governor;
    }

    public void add(BlockId block) {
        begun.put(block, false);
    }

    /** A second attempt, which the governor allowed, has won over it. */
    public void addPaid(BlockId block) {
        begun.put(block, true);
    }

    /** A racer says how far an attempt at a block has come that is not under way any more, as others see it. */
    public void attempted(BlockId block, AttemptStage stage, long bytes) {
        Boolean known = begun.get(block);
        if (known == null) {
            return;
        }
        if (stage == AttemptStage.KEPT) {
            begun.remove(block);
            return;
        }
        boolean stopped = stage == AttemptStage.STOPPED;
        boolean over = stopped || stage == AttemptStage.FETCHED;
        boolean news = !known && (!stopped || bytes > 0);
        governor.charge(news ? 1 : 0, over ? bytes : 0);
        if (over) {
            begun.remove(block);
        } else {
            begun.put(block, true);
        }
    }
}
