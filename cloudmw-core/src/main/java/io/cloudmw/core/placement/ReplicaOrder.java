package io.cloudmw.core.placement;

import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.monitor.SpeedBook;
import io.cloudmw.core.status.fleet.ExpectedSpeed;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The order of preference among a chunk's replicas: those with the earliest expected end first, by the fleet's
 * measured speeds. Small differences do not count, so that readers do not all run to a store that was a little faster
 * a moment ago. About equally fast replicas keep the manifest's order.
 *
 * <p>A store without readers cannot show that it has recovered. So one of {@value #EXPLORED_EVERY} chunks, drawn anew
 * for each plan, is read as if the slowest replica were the best, if one is behind at all.
 *
 * <p>Immutable; its figures are of the moment it was made.
 */
public final class ReplicaOrder {
    /** The manifest's order, for speeds that were not measured. */
    public static final ReplicaOrder UNMEASURED = new ReplicaOrder(SpeedBook.EMPTY, 0);

    static final int EXPLORED_EVERY = 16;

    /** The factor over the best time that counts as slower; each such factor is one step behind. */
    private static final double STEP = 1.5;

    /** Replicas so many steps behind, five times as slow, take no turn when there are enough others. */
    private static final int FAR_BEHIND = 4;

    private final SpeedBook speeds;
    private final long draw;

    /**
     * The order by these speeds.
     *
     * @param draw another for each plan; the same gives the same order
     */
    public ReplicaOrder(SpeedBook speeds, long draw) {
        this.speeds = speeds;
        this.draw = draw;
    }

    /**
     * The replicas to read, best first.
     *
     * @param replicas to choose from, in the manifest's order
     * @param least the fewest to return; more only if they are not far behind
     */
    List<Integer> of(Chunk chunk, List<Integer> replicas, int least) {
        Map<Integer, Integer> behind = behind(chunk, replicas);
        List<Integer> ordered = new ArrayList<>(replicas);
        ordered.sort(Comparator.comparing(replica -> behind.getOrDefault(replica, 0)));
        if (Collections.max(behind.values()) > 0 && explores(chunk)) {
            Collections.rotate(ordered, 1);
            return ordered;
        }
        long near = behind.values().stream().filter(steps -> steps < FAR_BEHIND).count();
        return ordered.subList(0, (int) Math.min(ordered.size(), Math.max(near, least)));
    }

    private boolean explores(Chunk chunk) {
        long hash = RendezvousHash.hash(Long.toString(draw), chunk.id().toString());
        return Long.remainderUnsigned(hash, EXPLORED_EVERY) == 0;
    }

    /** The steps of each replica behind the best. */
    private Map<Integer, Integer> behind(Chunk chunk, List<Integer> replicas) {
        long bytes = chunk.range().length();
        Map<Integer, Double> nanos = new HashMap<>();
        for (int replica : replicas) {
            ExpectedSpeed expected = speeds.of(chunk.replicas().get(replica), bytes);
            nanos.put(replica, (double) Math.max(1, expected.expectedNanos(bytes)));
        }
        double best = Collections.min(nanos.values());
        Map<Integer, Integer> steps = new HashMap<>();
        nanos.forEach((replica, time) -> steps.put(replica, (int) (Math.log(time / best) / Math.log(STEP))));
        return steps;
    }
}
