package io.cloudmw.core.cost.plan;

import io.cloudmw.core.cost.Bill;
import io.cloudmw.core.cost.Prediction;
import io.cloudmw.core.cost.ReadStrategy;
import io.cloudmw.core.hedge.RedundancyBudget;
import io.cloudmw.core.hedge.StealSize;
import io.cloudmw.core.mode.ModePolicy;
import io.cloudmw.core.model.Mode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The model that predicts a read's time, mode by mode: γ and, with a {@link Bill}, δ of the paper. Deterministic.
 *
 * <p>The model: the {@link ModePolicy} of the read says how blocks are cut, how many are under way and when one is
 * late. A read is a sequence of blocks (whole chunks, or pieces where the mode cuts them). Each has a time to first
 * byte and a throughput drawn from its store's quantiles.
 *
 * <p>{@code single} reads one block after the other from the best store. {@code rounds} takes the fastest of all
 * replicas for each. {@code chunked} and {@code kn} give the next block to the first free stream, or group of streams.
 * {@code hedged} and {@code cooperative} do so too, and send a second attempt to another store when one falls behind
 * its store's usual speed: for the whole block, or for its missing part. In {@code cooperative} an idle stream steals
 * the end of the block that ends last, where the race would ({@link StealSize}) and as often as the {@link
 * RedundancyBudget} allows. The slowest stream ends the read; nothing is faster than the destination. [1] CloudMW §4.1
 * (γ ≤ Σ g/(n·Hs), the bound of phase 1), §4.2.
 *
 * <p><b>Differs:</b> distributions instead of bounds; phase 2 is overlapped, so that it shows only as the
 * destination's limit. The model leaves out failures, stores that share a bottleneck, and exploratory reads of slow
 * stores.
 *
 * <p>All strategies for the same read are predicted over the same samples. Confined to one thread.
 */
public final class TransferModel {
    private final ReadShape shape;
    private final int spare;
    private final Map<Long, SampledBlocks> rows = new HashMap<>();

    /**
     * @param governor the reader's budget as it is now; the model spends nothing of it
     */
    public TransferModel(ReadShape shape, RedundancyBudget governor) {
        this.shape = shape;
        this.spare = governor.spareRequests();
    }

    /** The prediction for reading {@code shape} by this strategy. */
    public static Prediction predict(ReadShape shape, ReadStrategy strategy, RedundancyBudget governor) {
        return new TransferModel(shape, governor).predict(strategy);
    }

    /** The predictions for every mode's usual strategy, in the order of the modes. */
    public static List<Prediction> predictAll(ReadShape shape, int helpers, RedundancyBudget governor) {
        TransferModel model = new TransferModel(shape, governor);
        List<Prediction> all = new ArrayList<>();
        for (Mode mode : Mode.values()) {
            all.add(model.predict(
                    ReadStrategy.usual(mode, helpers, shape.replicas().size())));
        }
        return all;
    }

    /** The prediction for this strategy. */
    public Prediction predict(ReadStrategy strategy) {
        if (shape.bytes() == 0) {
            return new Prediction(strategy, new double[1], 0, 0, 0);
        }
        ModePolicy policy = SlaPlanner.policy(strategy, false, shape.replicas().size());
        return new SimulatedRead(strategy, policy, row(policy), spare).run(shape);
    }

    /** The number of blocks of the read. */
    long blocks(ReadStrategy strategy) {
        return row(SlaPlanner.policy(strategy, false, shape.replicas().size())).count();
    }

    private SampledBlocks row(ModePolicy policy) {
        long unit = Math.min(policy.blocks().blockBytes(), shape.chunkBytes());
        return rows.computeIfAbsent(unit, length -> new SampledBlocks(shape, length));
    }
}
