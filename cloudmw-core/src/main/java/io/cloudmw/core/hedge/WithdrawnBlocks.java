package io.cloudmw.core.hedge;

import io.cloudmw.core.race.AttemptStage;
import io.cloudmw.core.race.BlockId;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The blocks that were withdrawn from a racer and given to another because no racer had reported to have begun them. A
 * racer that began one nevertheless, before it heard of the withdrawal, has made an extra request; where another's was
 * paid for, it has fetched extra bytes. The budget is charged as soon as that is reported.
 */
public final class WithdrawnBlocks {
    private enum Extra {
        /** An attempt would be an extra request and extra bytes. */
        REQUEST_AND_BYTES,
        /** An attempt would be extra bytes alone: its request is charged, or the other block's was. */
        BYTES
    }

    /** Blocks remembered; the oldest make room, because their racers have been silent since. */
    private static final int MOST = 256;

    private final RedundancyBudget budget;
    private final Map<BlockId, Extra> extras = new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<BlockId, Extra> eldest) {
            return size() > MOST;
        }
    };

    public WithdrawnBlocks(RedundancyBudget budget) {
        this.budget = budget;
    }

    /** Adds a block that changed hands. */
    public void add(BlockId block) {
        extras.put(block, Extra.REQUEST_AND_BYTES);
    }

    /** Adds a block over which a second attempt, allowed by the budget, has won. */
    public void addPaid(BlockId block) {
        extras.put(block, Extra.BYTES);
    }

    /** A racer reports an attempt at a block that is not under way any more. */
    public void attempted(BlockId block, AttemptStage stage, long bytes) {
        Extra extra = extras.get(block);
        if (extra == null) {
            return;
        }
        if (stage == AttemptStage.KEPT) {
            extras.remove(block);
            return;
        }
        boolean isStopped = stage == AttemptStage.STOPPED;
        boolean isOver = isStopped || stage == AttemptStage.FETCHED;
        boolean isRequest = extra == Extra.REQUEST_AND_BYTES && (!isStopped || bytes > 0);
        budget.charge(isRequest ? 1 : 0, isOver ? bytes : 0);
        if (isOver) {
            extras.remove(block);
        } else {
            extras.put(block, Extra.BYTES);
        }
    }
}
