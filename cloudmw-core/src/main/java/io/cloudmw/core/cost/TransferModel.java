package io.cloudmw.core.cost;

import io.cloudmw.core.hedge.RedundancyBudget;
import io.cloudmw.core.hedge.StealSize;
import io.cloudmw.core.mode.ModePolicy;
import io.cloudmw.core.model.Mode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Predicts what a read takes, mode by mode: γ and, with a {@link Bill}, δ of the paper. Deterministic.
 *
 * <p>The model: how blocks are cut, how many are under way and when one is late is said by the {@link ModePolicy} that
 * would carry out the read. A read is a row of blocks (whole chunks, or pieces where the mode cuts them), each with a
 * time to first byte and a throughput drawn anew from its store's quantiles. {@code single} reads one after the other
 * from the best store; {@code rounds} takes the fastest of all replicas for each; {@code chunked} and {@code kn} give the
 * next one to the first free stream, or group of streams. {@code hedged} and {@code cooperative} do so too, and make up
 * for an attempt that falls behind its store's usual pace at another store: with the whole block, or with what is
 * missing of it. In {@code cooperative} a stream that is done takes the end of the block that ends last, where the race
 * would ({@link StealSize}), as often as the {@link RedundancyBudget} has something to spare. The slowest stream ends the read; nothing is
 * faster than the destination. [1] CloudMW §4.1 (γ ≤ Σ g/(n·Hs), the bound of phase 1), §4.2.
 *
 * <p><b>Differs:</b> distributions instead of bounds; phase 2 is overlapped, so that it shows only as the destination's
 * limit. Failures, stores that share a bottleneck, and what is read to see whether a slow store still is one, are not in the
 * model.
 *
 * <p>All ways of reading the same thing are predicted over the same draws. Confined to one thread.
 */
public final class TransferModel {
    private final ReadShape shape;
    private final int spare;
    private final Map<Long, SampledBlocks> rows = new HashMap<>();

    /** @param governor of who reads, as it is now; it is asked for nothing */
    public TransferModel(ReadShape shape, RedundancyBudget governor) {
        this.shape = shape;
        this.spare = governor.spareRequests();
    }

    /** What reading {@code shape} this way takes. */
    public static Prediction predict(ReadShape shape, ReadStrategy way, RedundancyBudget governor) {
        return new TransferModel(shape, governor).predict(way);
    }

    /** Every mode's usual way, in the order of the modes. */
    public static List<Prediction> predictAll(ReadShape shape, int helpers, RedundancyBudget governor) {
        TransferModel model = new TransferModel(shape, governor);
        List<Prediction> all = new ArrayList<>();
        for (Mode mode : Mode.values()) {
            all.add(model.predict(
                    ReadStrategy.usual(mode, helpers, shape.replicas().size())));
        }
        return all;
    }

    /** What reading it this way takes. */
    public Prediction predict(ReadStrategy way) {
        if (shape.bytes() == 0) {
            return new Prediction(way, new double[1], 0, 0, 0);
        }
        ModePolicy policy = way.policy(false, shape.replicas().size());
        return new SimulatedRead(way, policy, row(policy), spare).run(shape);
    }

    /** How many blocks the read is cut into. */
    long blocks(ReadStrategy way) {
        return row(way.policy(false, shape.replicas().size())).count();
    }

    private SampledBlocks row(ModePolicy policy) {
        long unit = Math.min(policy.blocks().blockBytes(), shape.chunkBytes());
        return rows.computeIfAbsent(unit, length -> new SampledBlocks(shape, length));
    }
}
