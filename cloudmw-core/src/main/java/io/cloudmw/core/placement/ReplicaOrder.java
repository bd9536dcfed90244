package io.cloudmw.core.placement;

import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.monitor.ExpectedSpeed;
import io.cloudmw.core.monitor.SpeedBook;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Which replicas of a chunk are read rather than others: those expected to be through sooner, by what the fleet has
 * measured. Small differences do not count, so that not everybody runs to the store that was a little faster a moment
 * ago; between replicas about as fast the manifest's order stays.
 *
 * <p>A store that is read by nobody cannot show that it has recovered: of {@value #EXPLORED_EVERY} chunks one, drawn
 * anew for each plan, is read as if the slowest replica were the best, where one is behind at all.
 *
 * <p>Immutable; figures are of the moment it was made.
 */
public final class ReplicaOrder {
    /** Nothing was measured: the manifest's order. */
    public static final ReplicaOrder UNMEASURED = new ReplicaOrder(SpeedBook.EMPTY, 0);

    static final int EXPLORED_EVERY = 16;

    /** Times as long as the best that count as longer at all; each such factor is one step behind. */
    private static final double STEP = 1.5;

    /** Replicas so many steps behind, five times as slow, take no turn where there are enough others. */
    private static final int FAR_BEHIND = 4;

    private final SpeedBook speeds;
    private final long draw;

    /**
     * By these speeds.
     *
     * @param draw another for each plan; the same gives the same order
     */
    public ReplicaOrder(SpeedBook speeds, long draw) {
        this.speeds = speeds;
        this.draw = draw;
    }

    /**
     * The replicas that are read, best first.
     *
     * @param replicas to choose from, in the manifest's order
     * @param least how many there must be; more only if they are not far behind
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

    /** By how many steps each is behind the best. */
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
